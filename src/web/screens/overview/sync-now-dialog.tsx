import { Radio } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { kinds, maxChosenDocuments, type Mode, type SubmittableKind } from '#core/kinds.ts';
import { submitAll } from '#contract/sync.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { noteJob } from '../../lib/follow-job.ts';
import { showMessage } from '../../lib/flash.ts';
import { setMoney, setSums, sumsByCurrency } from '../../lib/format.ts';
import { useAction } from '../../lib/queries.ts';
import { eligibleQuery } from '../../lib/screen-queries.ts';
import { ModeBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Modal } from '../../ui/modal.tsx';
import { messageOf, submittingMs, useSubmit } from '../sync/use-submit.ts';
import { submittingText } from '../sync/words.ts';
import styles from './sync-now-dialog.module.css';
import { syncNowWords } from './sync-now-words.ts';

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
          {syncNowWords.title(shown)}
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
  const all = useAction(submitAll, { onError: () => undefined, showsMessage: () => mode !== 'live' });
  const chosen = useSubmit(mode === 'live');
  const isPending = all.isPending || chosen.isPending;

  const isLive = mode === 'live';
  const isForced = isLive && force;
  // Eligible documents are looked up before: the dialog says how many and how much.
  const eligible = useQuery({ ...eligibleQuery(kinds[kind].segment, isForced), enabled: isLive });
  const found = isLive && !eligible.isFetching ? eligible.data : undefined;
  const worth = syncNowWords.worth(kind, found?.length ?? 0, setSums(sumsByCurrency(found ?? [])));
  const isTooMany = found !== undefined && found.length > maxChosenDocuments;
  const submit = async (): Promise<string> => {
    const segment = kinds[kind].segment;
    if (isTooMany)
      return (
        await chosen.submit(
          kind,
          found.slice(0, maxChosenDocuments).map(({ entityid }) => entityid),
          { mode: 'test', force: isForced },
        )
      ).id;
    showMessage(submittingText(kind), submittingMs);
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
  };

  return (
    <form className={styles.form} data-mode={mode} onSubmit={send}>
      <Radio.Group
        label={syncNowWords.mode}
        value={mode}
        onChange={(value) => onMode(value === 'live' ? 'live' : 'test')}
      >
        <div className={styles.cards}>
          <label className={styles.card} data-mode="test" data-chosen={!isLive}>
            <Radio value="test" color="test" data-autofocus />
            <span className={styles.words}>
              <ModeBadge mode="test" />
              <span className={styles.hint}>{syncNowWords.testHint}</span>
            </span>
          </label>
          <label className={styles.card} data-mode="live" data-chosen={isLive}>
            <Radio value="live" />
            <span className={styles.words}>
              <ModeBadge mode="live" />
              <span className={styles.hint}>{syncNowWords.liveHint(accounting.short_label)}</span>
            </span>
          </label>
        </div>
      </Radio.Group>
      <p className={styles.summary}>
        {isLive
          ? found === undefined
            ? eligible.isError
              ? syncNowWords.lookFailed(eligible.error.message)
              : syncNowWords.looking(kind)
            : found.length === 0
              ? syncNowWords.none(kind)
              : syncNowWords.found(worth, accounting.short_label, isTooMany ? maxChosenDocuments : null)
          : syncNowWords.test(kind)}
      </p>
      {isLive && (
        // The list gives its room to whatever else is said: the buttons below do not move by themselves.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolls by itself, so keys must reach it
        <ul className={styles.documents} tabIndex={0} aria-label={syncNowWords.documents} data-empty={!found?.length}>
          {found?.map(({ entityid, what, number, party, amount, currency }) => (
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
            label={syncNowWords.ifSynced}
            value={force ? 'again' : 'skip'}
            onChange={(value) => setForce(value === 'again')}
          >
            <div className={styles.choices}>
              <Radio value="skip" label={syncNowWords.skip} />
              <Radio value="again" label={syncNowWords.again} color="red" />
            </div>
          </Radio.Group>
        )}
        {isForced && <Notice tone="bad">{syncNowWords.warning(kind, accounting.label, psa.label)}</Notice>}
        {refusal !== null && (
          <Notice tone="bad" role="alert">
            {refusal}
          </Notice>
        )}
      </div>
      <div className={styles.buttons}>
        <Button variant="default" onClick={onClose}>
          {syncNowWords.cancel}
        </Button>
        {isLive ? (
          <Button type="submit" color={isForced ? 'red' : 'accent'} loading={isPending}>
            {syncNowWords.review(kind, found === undefined || isTooMany ? null : found.length || null, isForced)}
          </Button>
        ) : (
          <Button type="submit" variant="outline" color="test" loading={isPending}>
            {syncNowWords.submitTest(kind)}
          </Button>
        )}
      </div>
    </form>
  );
}
