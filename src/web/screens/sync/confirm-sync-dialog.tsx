import { DialogButtons } from '../../components/dialog.tsx';
import { Button, Group, Radio, Stack } from '@mantine/core';
import { useState } from 'react';
import { type Mode, type SubmittableKind, kinds } from '#core/kinds.ts';
import { useEnvironment } from '../../data/environment.ts';
import { showMessage } from '../../components/flash.ts';
import { ModeBadge } from '../../components/badge.tsx';
import { Form, FormError } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { Modal } from '../../components/modal.tsx';
import type { Row } from './columns.tsx';
import { SubmitButton } from './submit-button.tsx';
import { sumOfRows } from './sums.ts';
import { messageOf, useSubmit } from './use-submit.ts';
import { countOf, thisOrThese } from '../../data/format.ts';

interface ConfirmSyncDialogProps {
  kind: SubmittableKind;
  mode: Mode | null;
  rows: readonly Row[];
  onClose: () => void;
  onSubmitted: (jobId: string, mode: Mode) => void;
}

/**
 * Confirms a sync or a test of the selected documents.
 *
 * @param mode null keeps the dialog closed.
 * @param onSubmitted receives the id of the job.
 */
export function ConfirmSyncDialog({ kind, mode, rows, onClose, onSubmitted }: ConfirmSyncDialogProps) {
  // While the dialog closes, it still shows its last content.
  const [shown, setShown] = useState<{ mode: Mode; rows: readonly Row[] }>({ mode: 'test', rows: [] });
  if (mode !== null && (mode !== shown.mode || (rows !== shown.rows && rows.length > 0))) setShown({ mode, rows });
  return (
    <Modal
      opened={mode !== null}
      onClose={onClose}
      title={
        <Group component="span" gap="sm" display="inline-flex">
          Confirm Sync <ModeBadge mode={shown.mode} />
        </Group>
      }
      size={520}
    >
      <Confirmation key={mode} kind={kind} {...shown} onClose={onClose} onSubmitted={onSubmitted} />
    </Modal>
  );
}

function Confirmation({ kind, mode, rows, onClose, onSubmitted }: ConfirmSyncDialogProps & { mode: Mode }) {
  const { psa, accounting } = useEnvironment();
  const [force, setForce] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const isLive = mode === 'live';
  const { submit, isPending } = useSubmit(isLive);
  const isForced = isLive && force;
  const sum = sumOfRows(rows);
  const documents = `${countOf(rows.length, kinds[kind].label.toLowerCase())}${sum === '' ? '' : `, ${sum}`}`;
  const send = () => {
    if (rows.length === 0) {
      onClose();
      showMessage('Nothing is selected.');
      return;
    }
    setError(null);
    const ids = rows.map(({ id }) => id);
    // A live sync is planned as a test first, then reviewed.
    submit(kind, ids, { mode: 'test', force: isForced }).then(
      ({ id }) => onSubmitted(id, mode),
      (reason: unknown) => setError(messageOf(reason)),
    );
  };
  return (
    <Form onSubmit={send}>
      <p>{`Please confirm you want to ${isLive ? 'sync' : 'test sync'} ${thisOrThese(rows.length, kinds[kind].label.toLowerCase())}.`}</p>
      <p>
        {sum !== '' && (
          <>
            Total: <span style={{ fontWeight: 600 }}>{sum}</span>.{' '}
          </>
        )}
        {isLive
          ? `You review the planned documents before anything is sent to ${accounting.short_label}.`
          : 'A simulation. Neither service is changed; the logs show what would be posted.'}
      </p>
      {isLive && (
        <Radio.Group
          label="If already synced..."
          value={force ? 'again' : 'skip'}
          onChange={(value) => setForce(value === 'again')}
        >
          <Stack gap="sm" pt="xs">
            <Radio value="skip" label="Do not process." />
            <Radio value="again" label="Sync it again." color="red" />
          </Stack>
        </Radio.Group>
      )}
      {isForced && (
        <Notice tone="bad">
          Each {kinds[kind].label.toLowerCase()} that is already synced gets another document in {accounting.label}, and
          the former reference number in {psa.label} is overwritten.
        </Notice>
      )}
      <FormError error={error} />
      <DialogButtons>
        <Button variant="default" onClick={onClose} data-autofocus>
          Cancel
        </Button>
        <SubmitButton mode={mode} isForced={isForced} loading={isPending}>
          {isLive ? `Review ${documents}${isForced ? ', again' : ''}` : `TEST ${documents}`}
        </SubmitButton>
      </DialogButtons>
    </Form>
  );
}
