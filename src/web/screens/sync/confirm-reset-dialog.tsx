import type { SubmittableKind } from '#core/kinds.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { showMessage } from '../../lib/flash.ts';
import { DialogForm } from '../../ui/dialog.tsx';
import { Modal } from '../../ui/modal.tsx';
import type { Row } from './columns.tsx';
import styles from './sync-screen.module.css';
import { useClearStatus } from './use-clear-status.ts';
import { resetWords, syncWords, whatIsCleared } from './words.ts';

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
  const { clear, progress, error, isPending, reset } = useClearStatus();
  const submit = async () => {
    if (rows.length === 0) {
      onClose();
      showMessage(syncWords.nothingSelected);
      return;
    }
    const cleared = await clear(
      kind,
      rows.map(({ id }) => id),
    );
    if (cleared === null) return;
    onCleared();
    showMessage(resetWords.done(kind, cleared));
  };
  return (
    <Modal opened={isOpen} onClose={onClose} onExitTransitionEnd={() => reset()} title={resetWords.title} size={520}>
      <DialogForm
        isConfirm
        submitLabel={syncWords.clear}
        error={error}
        progress={progress}
        isBusy={isPending}
        onSubmit={() => void submit()}
        onCancel={onClose}
      >
        <div className={styles.dialog}>
          <p>{resetWords.ask(kind, rows.length)}</p>
          <p>
            {whatIsCleared(kind, rows.length, usesPsaNumber, psa.label)} {resetWords.linked(accounting.short_label)}
          </p>
        </div>
      </DialogForm>
    </Modal>
  );
}
