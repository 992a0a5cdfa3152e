import { useState } from 'react';
import type { AttentionGroupReply } from '#contract/attention.ts';
import { Modal } from '../../components/modal.tsx';
import { CauseCard } from '../needs-attention/cause-card.tsx';

interface CauseDialogProps {
  group: AttentionGroupReply | null;
  onReview: (jobIds: readonly string[]) => void;
  onClose: () => void;
}

/**
 * Fixes one cause on the Overview, as on the screen Needs attention.
 *
 * @param group null keeps the dialog closed
 */
export function CauseDialog({ group, onReview, onClose }: CauseDialogProps) {
  // While the dialog closes, it still shows its last content.
  const [shown, setShown] = useState(group);
  if (group !== null && group !== shown) setShown(group);
  return (
    <Modal opened={group !== null} onClose={onClose} title="Needs attention" size={760}>
      {shown !== null && <CauseCard key={shown.key} group={shown} onReview={onReview} />}
    </Modal>
  );
}
