import type { SubmittableKind } from '#core/kinds.ts';
import { useEnvironment } from '../../data/environment.ts';
import { showMessage, showSuccess } from '../../components/flash.ts';
import { DialogForm } from '../../components/dialog.tsx';
import { Modal } from '../../components/modal.tsx';
import type { Row } from './columns.tsx';
import { useClearStatus } from './use-clear-status.ts';
import { thisOrThese, countOf } from '../../data/format.ts';
import { kinds } from '#core/kinds.ts';

interface ConfirmResetDialogProps {
  kind: SubmittableKind;
  isOpen: boolean;
  rows: readonly Row[];
  usesPsaNumber: boolean;
  onClose: () => void;
  onCleared: () => void;
}

/** Confirms clearing the sync status of documents; explains what changes and what does not. */
export function ConfirmResetDialog({ kind, isOpen, rows, usesPsaNumber, onClose, onCleared }: ConfirmResetDialogProps) {
  const { psa, accounting } = useEnvironment();
  const { clear, progress, error, isPending, reset } = useClearStatus();
  const submit = async () => {
    if (rows.length === 0) {
      onClose();
      showMessage('Nothing is selected.');
      return;
    }
    const cleared = await clear(
      kind,
      rows.map(({ id }) => id),
    );
    if (cleared === null) return;
    onCleared();
    showSuccess(`Sync status cleared for ${countOf(cleared, kinds[kind].label.toLowerCase())}.`);
  };
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      onExitTransitionEnd={() => reset()}
      title="Confirm Reset Sync Status"
      size={520}
    >
      <DialogForm
        isConfirm
        submitLabel="Clear Sync Status"
        error={error}
        progress={progress}
        isBusy={isPending}
        onSubmit={() => void submit()}
        onCancel={onClose}
      >
        <p>
          Please confirm you want to reset the sync status of{' '}
          {thisOrThese(rows.length, kinds[kind].label.toLowerCase())}.
        </p>
        <p>
          {clearedFields(kind, rows.length, usesPsaNumber, psa.label)} Nothing changes in {accounting.short_label}. The
          next sync links existing documents instead of creating duplicates.
        </p>
      </DialogForm>
    </Modal>
  );
}

/** Returns what clearing changes in the PSA (specification 2, section 4). */
function clearedFields(kind: SubmittableKind, count: number, usesPsaNumber: boolean, psa: string): string {
  const their = count === 1 ? 'Its' : 'Their';
  if (kind === 'expense_report') return `${their} QuickBooks reference number in ${psa} is cleared.`;
  if (kind === 'purchase_order') return `${their} external PO number in ${psa} is cleared.`;
  return usesPsaNumber
    ? `${their} invoice number in ${psa} is restored without ERROR or IN PROCESS. The sync date is cleared.`
    : `${their} invoice number in ${psa} is cleared.`;
}
