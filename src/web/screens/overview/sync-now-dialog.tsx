import { Button, Modal, Radio } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { kinds, type Mode, type SubmittableKind } from '#core/kinds.ts';
import { submitAll } from '#contract/sync.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { noteJob } from '../../lib/follow-job.ts';
import { showMessage } from '../../lib/flash.ts';
import { countOf, setCount, setMoney, setSums, sumsByCurrency } from '../../lib/format.ts';
import { eligibleQuery, useAction } from '../../lib/queries.ts';
import { ModeBadge } from '../../ui/badge.tsx';
import { Notice } from '../../ui/notice.tsx';
import { messageOf, useSubmit } from '../sync/use-submit.ts';
import styles from './sync-now-dialog.module.css';

const submittingMs = 2_000;

/** So many documents are reviewed at once. */
const mostReviewed = 1_000;

/**
 * Asks how everything of one kind that is eligible is to be synced: as a test unless live is chosen, and never twice
 * unless that is chosen too. Live is planned first as well, as a test does, and reviewed before anything is sent.
 *
 * @param kind null keeps the dialog closed.
 * @param onSubmitted receives the id of the test, and whether it is to be reviewed.
 */
export function SyncNowDialog({
  kind,
  onClose,
  onSubmitted,
}: {
  kind: SubmittableKind | null;
  onClose: () => void;
  onSubmitted: (jobId: string, mode: Mode) => void;
}) {
  // While the dialog closes it still shows what it was about.
  const [shown, setShown] = useState<SubmittableKind>('invoice');
  const [mode, setMode] = useState<Mode>('test');
  if (kind !== null && kind !== shown) setShown(kind);
  return (
    <Modal
      opened={kind !== null}
      onClose={onClose}
      onExitTransitionEnd={() => setMode('test')}
      title={
        <span className={styles.title}>
          Sync {kinds[shown].plural.toLowerCase()} now
          <ModeBadge mode={mode} />
        </span>
      }
      size={520}
    >
      <Form kind={shown} mode={mode} onMode={setMode} onClose={onClose} onSubmitted={onSubmitted} />
    </Modal>
  );
}

function Form({
  kind,
  mode,
  onMode,
  onClose,
  onSubmitted,
}: {
  kind: SubmittableKind;
  mode: Mode;
  onMode: (mode: Mode) => void;
  onClose: () => void;
  onSubmitted: (jobId: string, mode: Mode) => void;
}) {
  const { psa, accounting } = useEnvironment();
  const [force, setForce] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);
  const all = useAction(submitAll, { onError: () => undefined });
  const chosen = useSubmit();
  const isPending = all.isPending || chosen.isPending;

  const one = kinds[kind].label.toLowerCase();
  const many = kinds[kind].plural.toLowerCase();
  const isLive = mode === 'live';
  const isForced = isLive && force;
  // Eligible documents are looked up before: the dialog says how many and how much.
  const eligible = useQuery({ ...eligibleQuery(kinds[kind].segment, isForced), enabled: isLive });
  const found = isLive && !eligible.isFetching ? eligible.data : undefined;
  const isTooMany = found !== undefined && found.length > mostReviewed;
  const submit = async (): Promise<string> => {
    const segment = kinds[kind].segment;
    if (isTooMany)
      return (
        await chosen.submit(
          kind,
          found.slice(0, mostReviewed).map(({ entityid }) => entityid),
          { mode: 'test', force: isForced },
        )
      ).id;
    const { job } = (await all.mutateAsync({ params: { kind: segment }, body: { mode: 'test', force: isForced } }))
      .data;
    noteJob(job);
    return job.id;
  };
  const send = (event: FormEvent) => {
    event.preventDefault();
    setRefusal(null);
    submit().then(
      (jobId) => onSubmitted(jobId, mode),
      (thrown: unknown) => setRefusal(messageOf(thrown)),
    );
    showMessage(`Submitting ${one} sync job...`, submittingMs);
  };

  return (
    <form className={styles.form} onSubmit={send}>
      <Radio.Group label="Mode" value={mode} onChange={(value) => onMode(value === 'live' ? 'live' : 'test')}>
        <div className={styles.cards}>
          <label className={styles.card} data-mode="test" data-chosen={!isLive}>
            <Radio value="test" color="test" data-autofocus />
            <span className={styles.words}>
              <ModeBadge mode="test" />
              <span className={styles.hint}>A simulation. Nothing is sent, neither service is changed.</span>
            </span>
          </label>
          <label className={styles.card} data-mode="live" data-chosen={isLive}>
            <Radio value="live" />
            <span className={styles.words}>
              <ModeBadge mode="live" />
              <span className={styles.hint}>Creates documents in {accounting.short_label}.</span>
            </span>
          </label>
        </div>
      </Radio.Group>
      <p className={styles.summary}>
        {isLive
          ? found === undefined
            ? eligible.isError
              ? `What is eligible could not be looked up: ${eligible.error.message}`
              : `Looking for eligible ${many}…`
            : found.length === 0
              ? `No ${one} is eligible now.`
              : `${worth(found, one)}. You see the whole of it before anything is sent to ${accounting.short_label}.${isTooMany ? ` The first ${setCount(mostReviewed)} are reviewed now, the others after them.` : ''}`
          : `Every ${one} that is eligible now is prepared exactly as for live; the logs show what would be posted.`}
      </p>
      {found !== undefined && found.length > 0 && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolls by itself, so keys must reach it
        <ul className={styles.documents} tabIndex={0} aria-label="Documents">
          {found.map(({ entityid, what, number, party, amount, currency }) => (
            <li key={entityid}>
              <span>
                {what} {number ?? entityid}
              </span>
              <span className={styles.hint}>{party}</span>
              <span>{amount !== null && setMoney(amount, currency)}</span>
            </li>
          ))}
        </ul>
      )}
      <div className={styles.live}>
        {isLive && (
          <Radio.Group
            label="If already synced..."
            value={force ? 'again' : 'skip'}
            onChange={(value) => setForce(value === 'again')}
          >
            <div className={styles.choices}>
              <Radio value="skip" label="Do not process" />
              <Radio value="again" label="Sync it again" color="red" />
            </div>
          </Radio.Group>
        )}
        {isForced && (
          <Notice tone="bad">
            Each {one} that is already synced gets a second document in {accounting.label}: a duplicate, until you
            delete or void one. The earlier reference number in {psa.label} is overwritten.
          </Notice>
        )}
        {refusal !== null && (
          <Notice tone="bad" role="alert">
            {refusal}
          </Notice>
        )}
      </div>
      <div className={styles.buttons}>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        {isLive ? (
          <Button type="submit" color={isForced ? 'red' : 'accent'} loading={isPending}>
            {found === undefined || found.length === 0 || isTooMany
              ? `Review eligible ${many}`
              : `Review ${worth(found, one)}`}
            {isForced ? ', again' : ''}
          </Button>
        ) : (
          <Button type="submit" variant="outline" color="test" loading={isPending}>
            TEST eligible {many}
          </Button>
        )}
      </div>
    </form>
  );
}

/** “12 invoices, $18,430.20”. */
function worth(
  documents: readonly { readonly amount: string | null; readonly currency: string | null }[],
  noun: string,
): string {
  const sum = setSums(sumsByCurrency(documents));
  return sum === '' ? countOf(documents.length, noun) : `${countOf(documents.length, noun)}, ${sum}`;
}
