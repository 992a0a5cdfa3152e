import type { DataOf } from '#contract/define.ts';
import type { listEligible } from '#contract/sync.ts';
import { DialogButtons } from '../../components/dialog.tsx';
import { Button, Radio, Stack, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { kinds, maxChosenDocuments, type Mode, type SubmittableKind } from '#core/kinds.ts';
import { submitAll } from '#contract/calls/sync.ts';
import { useEnvironment } from '../../data/environment.ts';
import { cacheJob } from '../../data/follow-job.ts';
import { showProgress } from '../../components/flash.ts';
import { countOf, formatMoney, formatSums, sumsByCurrency, formatCount } from '../../data/format.ts';
import { useAction } from '../../data/queries.ts';
import { eligibleQuery } from '../../data/screen-queries.ts';
import { FormError } from '../../components/form.tsx';
import { ModeBadge } from '../../components/badge.tsx';
import { Notice } from '../../components/notice.tsx';
import { Modal } from '../../components/modal.tsx';
import { messageOf, submittingMs, submittingText, useSubmit } from '../sync/use-submit.ts';
import { SubmitButton } from '../sync/submit-button.tsx';
import styles from './sync-now-dialog.module.css';

interface SyncNowDialogProps {
  kind: SubmittableKind | null;
  firstMode?: Mode;
  onClose: () => void;
  onSubmitted: (jobId: string, mode: Mode) => void;
}

/**
 * Starts a sync of all eligible documents of a kind: a test by default, or a live sync. A live sync is planned as a test
 * first and reviewed before anything is sent.
 *
 * @param kind null keeps the dialog closed.
 * @param firstMode the mode that is chosen when the dialog opens.
 * @param onSubmitted receives the id of the test job; with the mode `live`, the job is reviewed next.
 */
export function SyncNowDialog({ kind, firstMode = 'test', onClose, onSubmitted }: SyncNowDialogProps) {
  // While the dialog closes, it still shows its last content.
  const [shown, setShown] = useState<SubmittableKind>('invoice');
  const [mode, setMode] = useState<Mode>(firstMode);
  if (kind !== null && kind !== shown) setShown(kind);
  return (
    <Modal
      opened={kind !== null}
      onClose={onClose}
      onExitTransitionEnd={() => setMode(firstMode)}
      title={
        <Group component="span" gap={10}>
          Sync {kinds[shown].plural.toLowerCase()} now
          <ModeBadge mode={mode} />
        </Group>
      }
      size={520}
    >
      <Form kind={shown} mode={mode} onMode={setMode} onClose={onClose} onSubmitted={onSubmitted} />
    </Modal>
  );
}

const modes = ['test', 'live'] as const;

interface FormProps {
  kind: SubmittableKind;
  mode: Mode;
  onMode: (mode: Mode) => void;
  onClose: () => void;
  onSubmitted: (jobId: string, mode: Mode) => void;
}

function Form({ kind, mode, onMode, onClose, onSubmitted }: FormProps) {
  const { psa, accounting } = useEnvironment();
  const [force, setForce] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const all = useAction(submitAll, { onError: () => undefined, showsMessage: () => mode !== 'live' });
  const chosen = useSubmit(mode === 'live');
  const isPending = all.isPending || chosen.isPending;

  const isLive = mode === 'live';
  const isForced = isLive && force;
  // The dialog shows the number and total of the eligible documents.
  const eligible = useQuery({ ...eligibleQuery(kinds[kind].segment, isForced), enabled: isLive });
  const found = isLive && !eligible.isFetching ? eligible.data : undefined;
  const sum = formatSums(sumsByCurrency(found ?? []));
  const summary = `${countOf(found?.length ?? 0, kinds[kind].label.toLowerCase())}${sum === '' ? '' : `, ${sum}`}`;
  const hasTooMany = found !== undefined && found.length > maxChosenDocuments;
  const submit = async (): Promise<string> => {
    const segment = kinds[kind].segment;
    if (hasTooMany)
      return (
        await chosen.submit(
          kind,
          found.slice(0, maxChosenDocuments).map(({ entityid }) => entityid),
          { mode: 'test', force: isForced },
        )
      ).id;
    showProgress(submittingText(kind), submittingMs);
    const { job } = (await all.mutateAsync({ params: { kind: segment }, body: { mode: 'test', force: isForced } }))
      .data;
    cacheJob(job);
    return job.id;
  };
  const send = (event: FormEvent) => {
    event.preventDefault();
    setError(null);
    submit().then(
      (jobId) => onSubmitted(jobId, mode),
      (reason: unknown) => setError(messageOf(reason)),
    );
  };

  return (
    <Stack component="form" gap="md" className={styles.form ?? ''} data-mode={mode} onSubmit={send}>
      <ModeChoice mode={mode} onMode={onMode} />
      <Text c="soft" className={styles.summary ?? ''}>
        {isLive
          ? found === undefined
            ? eligible.isError
              ? `The search for eligible documents failed: ${eligible.error.message}`
              : `Looking for eligible ${kinds[kind].plural.toLowerCase()}…`
            : found.length === 0
              ? `No ${kinds[kind].label.toLowerCase()} is eligible now.`
              : `${summary}. You review everything before it is sent to ${accounting.short_label}.${hasTooMany ? ` This review covers the first ${formatCount(maxChosenDocuments)}.` : ''}`
          : `Tests every eligible ${kinds[kind].label.toLowerCase()}. The logs show what would be posted.`}
      </Text>
      {isLive && <EligibleDocuments documents={found} />}
      <Stack gap={12} mih={44}>
        {isLive && <ForceChoice force={force} onForce={setForce} />}
        {isForced && (
          <Notice tone="bad">
            Each {kinds[kind].label.toLowerCase()} that is already synced gets a duplicate in {accounting.label}. Its
            earlier reference number in {psa.label} is overwritten.
          </Notice>
        )}
        <FormError error={error} />
      </Stack>
      <DialogButtons>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <SubmitButton mode={mode} isForced={isForced} loading={isPending}>
          {isLive
            ? reviewLabel(kind, found === undefined || hasTooMany ? 0 : found.length, isForced)
            : `TEST eligible ${kinds[kind].plural.toLowerCase()}`}
        </SubmitButton>
      </DialogButtons>
    </Stack>
  );
}

function ModeChoice({ mode, onMode }: { mode: Mode; onMode: (mode: Mode) => void }) {
  const { accounting } = useEnvironment();
  return (
    <Radio.Group label="Mode" value={mode} onChange={(value) => onMode(value === 'live' ? 'live' : 'test')}>
      <div className={styles.cards}>
        {modes.map((one) => (
          <label key={one} className={styles.card} data-mode={one} data-chosen={one === mode}>
            <Radio value={one} {...(one === 'test' && { color: 'test', 'data-autofocus': true })} />
            <Stack component="span" gap={6} align="flex-start">
              <ModeBadge mode={one} />
              <Text span c="soft" size="sm">
                {one === 'test'
                  ? 'A simulation. Neither service is changed.'
                  : `Creates documents in ${accounting.short_label}.`}
              </Text>
            </Stack>
          </label>
        ))}
      </div>
    </Radio.Group>
  );
}

/** The list shrinks when a warning appears, so that the buttons below do not move. */
function EligibleDocuments({ documents }: { documents: DataOf<typeof listEligible>['documents'] | undefined }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the list scrolls, so it must be focusable
    <ul className={styles.documents} tabIndex={0} aria-label="Documents" data-empty={!documents?.length}>
      {documents?.map(({ entityid, what, number, party, amount, currency }) => (
        <li key={entityid}>
          <span>
            {what} {number ?? entityid}
          </span>
          <Text span c="soft" size="sm">
            <bdi>{party}</bdi>
          </Text>
          <span>{amount !== null && formatMoney(amount, currency)}</span>
        </li>
      ))}
    </ul>
  );
}

function ForceChoice({ force, onForce }: { force: boolean; onForce: (force: boolean) => void }) {
  return (
    <Radio.Group
      label="If already synced..."
      value={force ? 'again' : 'skip'}
      onChange={(value) => onForce(value === 'again')}
    >
      <Group gap="8px 24px">
        <Radio value="skip" label="Do not process" />
        <Radio value="again" label="Sync it again" color="red" />
      </Group>
    </Radio.Group>
  );
}

/** @param count 0 if the number is unknown or larger than one review */
function reviewLabel(kind: SubmittableKind, count: number, isAgain: boolean): string {
  const { label, plural } = kinds[kind];
  const documents = count === 0 ? `eligible ${plural.toLowerCase()}` : countOf(count, label.toLowerCase());
  return `Review ${documents}${isAgain ? ', again' : ''}`;
}
