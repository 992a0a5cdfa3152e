import { Modal } from '@mantine/core';
import type { AttentionDocument } from '#contract/attention.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { setMoney } from '../../lib/format.ts';
import { ModeBadge } from '../../ui/badge.tsx';
import { DialogForm } from '../../ui/dialog.tsx';
import { worthOf } from './headline.ts';
import styles from './needs-attention.module.css';
import { useRelease } from './use-release.ts';

/** Asks before documents are sent again, and says once more which and how much money that is. */
export function ReleaseDialog({
  isOpen,
  documents,
  onClose,
}: {
  isOpen: boolean;
  documents: readonly AttentionDocument[];
  onClose: () => void;
}) {
  const { accounting } = useEnvironment();
  const { submit, isPending } = useRelease(onClose);
  const worth = worthOf(documents);
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={
        <span className={styles.dialogTitle}>
          Release <ModeBadge mode="live" />
        </span>
      }
      size={520}
    >
      <DialogForm
        submitLabel={`Post ${worth}${worth.includes(', ') ? ',' : ''} to ${accounting.short_label}`}
        isBusy={isPending}
        onSubmit={() => submit(documents, 'live')}
        onCancel={onClose}
      >
        <p className={styles.hint}>
          Each is decided on anew: what is mended is posted, what is not stays here. Nothing is posted twice.
        </p>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolls by itself, so keys must reach it */}
        <ul className={styles.released} tabIndex={0} aria-label="Documents">
          {documents.map(({ log_key: key, what, number, entityid, party, amount, currency }) => (
            <li key={key}>
              <span>
                {what} {number ?? entityid}
              </span>
              <span className={styles.party}>{party}</span>
              <span className={styles.amount}>{amount !== null && setMoney(amount, currency)}</span>
            </li>
          ))}
        </ul>
      </DialogForm>
    </Modal>
  );
}
