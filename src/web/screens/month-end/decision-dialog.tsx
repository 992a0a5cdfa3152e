import { Textarea } from '@mantine/core';
import { decideException } from '#contract/calls/closes.ts';
import type { CloseReply } from '#contract/closes.ts';
import { formatMoney } from '../../data/format.ts';
import { useAction } from '../../data/queries.ts';
import { DialogForm } from '../../components/dialog.tsx';
import { Modal } from '../../components/modal.tsx';
import { useCallForm } from '../../components/use-call-form.ts';

/** A difference that the user accepts or carries to the next month. */
export interface Deciding {
  readonly exception: CloseReply['exceptions'][number];
  readonly decision: 'accept' | 'carry';
}

interface DecisionDialogProps {
  month: string;
  deciding: Deciding | null;
  onClose: () => void;
  onDecided: (key: string) => void;
}

/** Asks for the reason of a decision. @param deciding null keeps the dialog closed */
export function DecisionDialog({ month, deciding, onClose, onDecided }: DecisionDialogProps) {
  const decide = useAction(decideException, {
    changes: ['closes'],
    onError: () => undefined,
    onSuccess: (_, { body }) => {
      reset();
      onDecided(body.key);
      onClose();
    },
  });
  const { field, state, values, reset } = useCallForm({ reason: '' }, decide);
  if (deciding === null) return null;
  const { exception, decision } = deciding;
  const was = { amount: exception.amount, decision: exception.decision?.decision ?? null };
  return (
    <Modal
      opened
      onClose={onClose}
      title={decision === 'accept' ? 'Accept difference' : 'Carry to next month'}
      size={460}
    >
      <DialogForm
        submitLabel={decision === 'accept' ? 'Accept' : 'Carry'}
        {...state}
        onSubmit={() => decide.mutate({ params: { month }, body: { key: exception.key, decision, ...values, was } })}
        onCancel={onClose}
      >
        <p>
          {`${exception.number ?? ''} ${exception.party}, ${formatMoney(exception.amount, exception.currency)}. The reason is recorded in the proof. Neither service is changed.`}
        </p>
        <Textarea data-autofocus label="Reason" autosize minRows={2} maxLength={1_000} {...field('reason')} />
      </DialogForm>
    </Modal>
  );
}
