import { Textarea } from '@mantine/core';
import { rejectDrafts } from '#contract/calls/drafts.ts';
import type { DraftReply } from '#contract/drafts.ts';
import { useAction } from '../../data/queries.ts';
import { DialogForm } from '../../components/dialog.tsx';
import { Modal } from '../../components/modal.tsx';
import { useCallForm } from '../../components/use-call-form.ts';
import { countOf } from '../../data/format.ts';

interface RejectDialogProps {
  isOpen: boolean;
  drafts: readonly DraftReply[];
  onClose: () => void;
}

/** Asks for a reason and rejects the drafts. */
export function RejectDialog({ isOpen, drafts, onClose }: RejectDialogProps) {
  const reject = useAction(rejectDrafts, { changes: ['drafts', 'psa'], onSuccess: onClose, onError: () => undefined });
  const { field, state, values } = useCallForm({ reason: '' }, reject);
  return (
    <Modal opened={isOpen} onClose={onClose} title={`Reject ${countOf(drafts.length, 'document')}`} size={480}>
      <DialogForm
        submitLabel={`Reject ${countOf(drafts.length, 'document')}`}
        isDanger
        isDisabled={values.reason.trim().length < 3}
        {...state}
        onSubmit={() => reject.mutate({ body: { draft_ids: drafts.map(({ id }) => id), ...values } })}
        onCancel={onClose}
      >
        <p>Rejected documents are not posted. They return here if something about them changes.</p>
        <Textarea label="Reason" required autosize minRows={2} maxLength={1_000} {...field('reason')} />
      </DialogForm>
    </Modal>
  );
}
