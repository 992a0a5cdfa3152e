import { Modal } from '@mantine/core';
import type { SubmittableKind } from '#core/kinds.ts';
import { clearSyncErrors } from '#contract/psa.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { showMessage } from '../../lib/flash.ts';
import { useAction } from '../../lib/queries.ts';
import { DialogForm } from '../../ui/dialog.tsx';
import type { Row } from './columns.tsx';
import { psaEntities } from './documents.ts';
import styles from './sync-screen.module.css';
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
  const clear = useAction(clearSyncErrors, {
    changes: ['psa', 'jobs'],
    onSuccess: ({ cleared }) => {
      onCleared();
      showMessage(resetWords.done(kind, cleared.length));
    },
    onError: () => undefined,
  });
  const submit = () => {
    if (rows.length === 0) {
      onClose();
      showMessage(syncWords.nothingSelected);
      return;
    }
    clear.mutate({ params: { entity: psaEntities[kind].entity }, body: { ids: rows.map(({ id }) => id) } });
  };
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      onExitTransitionEnd={() => clear.reset()}
      title={resetWords.title}
      size={520}
    >
      <DialogForm
        submitLabel={syncWords.clear}
        error={clear.error?.message ?? null}
        isBusy={clear.isPending}
        onSubmit={submit}
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
