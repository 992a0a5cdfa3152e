import { DialogButtons } from '../../components/dialog.tsx';
import { Button, Radio, Stack } from '@mantine/core';
import { useState } from 'react';
import { kinds, type Mode } from '#core/kinds.ts';
import { submitAll } from '#contract/calls/sync.ts';
import { useEnvironment } from '../../data/environment.ts';
import { cacheJob } from '../../data/follow-job.ts';
import { useAction } from '../../data/queries.ts';
import { Form, FormError } from '../../components/form.tsx';
import { Modal } from '../../components/modal.tsx';

type PaymentOrVoid = 'payment' | 'void';

interface PaymentsAndVoidsDialogProps {
  isOpen: boolean;
  onClose: () => void;
  onSubmitted: (jobId: string, mode: Mode) => void;
}

/**
 * Syncs the due payments or voids of synced invoices: plans them as a test, which the user reviews before anything is sent.
 *
 * @param onSubmitted receives the id of the test job; with the mode `live`, the job is reviewed next
 */
export function PaymentsAndVoidsDialog({ isOpen, onClose, onSubmitted }: PaymentsAndVoidsDialogProps) {
  const { psa, accounting, voids_enabled: hasVoids } = useEnvironment();
  const [kind, setKind] = useState<PaymentOrVoid>('payment');
  const [mode, setMode] = useState<Mode>('test');
  const submit = useAction(submitAll, {
    onSuccess: ({ job }) => {
      cacheJob(job);
      onSubmitted(job.id, mode);
    },
    onError: () => undefined,
    showsMessage: () => mode !== 'live',
  });
  const send = (chosen: Mode) => {
    setMode(chosen);
    submit.mutate({ params: { kind: kinds[kind].segment }, body: { mode: 'test' } });
  };
  return (
    <Modal opened={isOpen} onClose={onClose} title="Payments and voids" size={520}>
      <Form onSubmit={() => send('live')}>
        <Radio.Group
          label="Documents"
          value={kind}
          onChange={(value) => setKind(value === 'void' ? 'void' : 'payment')}
        >
          <Stack gap="sm" pt="xs">
            <Radio
              value="payment"
              label="Payments"
              description={`Syncs the paid state of invoices in both directions between ${psa.label} and ${accounting.short_label}.`}
            />
            <Radio
              value="void"
              label="Voids"
              disabled={!hasVoids}
              description={
                hasVoids
                  ? `Syncs invoices that were voided in ${psa.label} after they were synced.`
                  : 'Voids are off in this deployment.'
              }
            />
          </Stack>
        </Radio.Group>
        <FormError error={submit.error} />
        <DialogButtons>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button variant="outline" color="test" loading={submit.isPending} onClick={() => send('test')}>
            TEST {kinds[kind].plural.toLowerCase()}
          </Button>
          <Button type="submit" loading={submit.isPending}>
            Review {kinds[kind].plural.toLowerCase()}
          </Button>
        </DialogButtons>
      </Form>
    </Modal>
  );
}
