import { Textarea } from '@mantine/core';
import { decideException, decideExceptions } from '#contract/calls/closes.ts';
import type { CloseReply } from '#contract/closes.ts';
import { formatMoney } from '../../data/format.ts';
import { useAction } from '../../data/queries.ts';
import { DialogForm } from '../../components/dialog.tsx';
import { Modal } from '../../components/modal.tsx';
import { useCallForm } from '../../components/use-call-form.ts';

/** Differences that the user accepts or carries to the next month. */
export interface Deciding {
  readonly exceptions: readonly CloseReply['exceptions'][number][];
  readonly decision: 'accept' | 'carry';
  /** The suggested reason. Undefined if there is none. */
  readonly reason?: string;
}

interface DecisionDialogProps {
  month: string;
  deciding: Deciding;
  onClose: () => void;
  onDecided: (keys: readonly string[]) => void;
}

/** Asks for the reason of a decision about one difference or several. */
export function DecisionDialog({ month, deciding, onClose, onDecided }: DecisionDialogProps) {
  const { exceptions, decision, reason = '' } = deciding;
  const settled = { changes: ['closes'] as const, onError: () => undefined };
  const end = () => {
    onDecided(exceptions.map(({ key }) => key));
    onClose();
  };
  const one = useAction(decideException, { ...settled, onSuccess: end });
  const many = useAction(decideExceptions, { ...settled, onSuccess: end });
  const [only, ...others] = exceptions;
  const isOne = others.length === 0;
  const { field, state, values } = useCallForm({ reason }, isOne ? one : many);
  if (only === undefined) return null;
  const params = { month };
  const seen = (of: (typeof exceptions)[number]) => ({ amount: of.amount, decision: of.decision?.decision ?? null });
  const send = () => {
    if (isOne) one.mutate({ params, body: { key: only.key, decision, ...values, was: seen(only) } });
    else
      many.mutate({
        params,
        body: { decision, ...values, differences: exceptions.map((of) => ({ key: of.key, ...seen(of) })) },
      });
  };
  const what = isOne
    ? `${only.number ?? ''} ${only.party}, ${formatMoney(only.amount, only.currency)}.`
    : 'Differences that another user decided meanwhile keep that decision.';
  const count = isOne ? '' : ` ${exceptions.length}`;
  return (
    <Modal
      opened
      onClose={onClose}
      title={`${decision === 'accept' ? 'Accept' : 'Carry'}${count} ${isOne ? 'difference' : 'differences'}${decision === 'accept' ? '' : ' to next month'}`}
      size={460}
    >
      <DialogForm
        submitLabel={`${decision === 'accept' ? 'Accept' : 'Carry'}${count}`}
        {...state}
        onSubmit={send}
        onCancel={onClose}
      >
        <p>{`${what} The reason is recorded in the proof. Neither service is changed.`}</p>
        <Textarea data-autofocus label="Reason" autosize minRows={2} maxLength={1_000} {...field('reason')} />
      </DialogForm>
    </Modal>
  );
}
