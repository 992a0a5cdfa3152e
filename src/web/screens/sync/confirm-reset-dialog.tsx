import { Modal } from '@mantine/core';
import { kinds, type SubmittableKind } from '#core/kinds.ts';
import { clearSyncErrors } from '#contract/psa.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { countOf, these } from '../../lib/format.ts';
import { showMessage } from '../../lib/flash.ts';
import { useAction } from '../../lib/queries.ts';
import { DialogForm } from '../../ui/dialog.tsx';
import type { Row } from './columns.tsx';
import { psaEntities } from './documents.ts';
import styles from './sync-screen.module.css';

/** Asks before the status of documents is cleared, and says what that changes and what it leaves alone. */
export function ConfirmResetDialog({
  kind,
  isOpen,
  rows,
  usesPsaNumber,
  onClose,
  onCleared,
}: {
  kind: SubmittableKind;
  isOpen: boolean;
  rows: readonly Row[];
  usesPsaNumber: boolean;
  onClose: () => void;
  onCleared: () => void;
}) {
  const { psa, accounting } = useEnvironment();
  const clear = useAction(clearSyncErrors, {
    changes: ['psa', 'jobs'],
    onSuccess: ({ cleared }) => {
      onCleared();
      showMessage(`The sync status of ${countNoun(kind, cleared.length)} was cleared.`);
    },
    onError: () => undefined,
  });
  const submit = () => {
    if (rows.length === 0) {
      onClose();
      showMessage('Nothing is selected.');
      return;
    }
    clear.mutate({ params: { entity: psaEntities[kind].entity }, body: { ids: rows.map(({ id }) => id) } });
  };
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      onExitTransitionEnd={() => clear.reset()}
      title="Confirm Reset Sync Status"
      size={520}
    >
      <DialogForm
        submitLabel="Clear Sync Status"
        error={clear.error?.message ?? null}
        isBusy={clear.isPending}
        onSubmit={submit}
        onCancel={onClose}
      >
        <div className={styles.dialog}>
          <p>
            Please confirm you want to reset the sync status of {these(rows.length, kinds[kind].label.toLowerCase())}.
          </p>
          <p>
            {whatIsCleared(kind, rows.length, usesPsaNumber, psa.label)} Nothing changes in {accounting.short_label}: a
            document that is there already is linked again by the next sync, not made twice.
          </p>
        </div>
      </DialogForm>
    </Modal>
  );
}

const countNoun = (kind: SubmittableKind, count: number): string => countOf(count, kinds[kind].label.toLowerCase());

function whatIsCleared(kind: SubmittableKind, count: number, usesPsaNumber: boolean, psa: string): string {
  const whose = count === 1 ? 'Its' : 'Their';
  if (kind === 'expense_report') return `${whose} QuickBooks reference number in ${psa} is emptied.`;
  if (kind === 'purchase_order') return `${whose} external PO number in ${psa} is emptied.`;
  return usesPsaNumber
    ? `${whose} invoice number in ${psa} is set back to the original: ERROR or IN PROCESS is taken off it.`
    : `${whose} invoice number in ${psa} is emptied.`;
}
