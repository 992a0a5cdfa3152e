import { Button, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { changeMaintenance } from '#contract/calls/deployment.ts';
import type { DeploymentStatus } from '#contract/deployment.ts';
import { maxMaintenanceMessage } from '#core/records/maintenance.ts';
import { call } from '../../data/call.ts';
import { refreshAll } from '../../data/queries.ts';
import { DialogForm } from '../../components/dialog.tsx';
import { clearErrors, showError, showMessage } from '../../components/flash.ts';
import { Modal } from '../../components/modal.tsx';
import { useCallForm } from '../../components/use-call-form.ts';

/** Turns maintenance on, after a dialog with the message to users, or off. */
export function MaintenanceSwitch({ maintenance }: Pick<DeploymentStatus, 'maintenance'>) {
  const [isOpen, setOpen] = useState(false);
  const change = useMutation({
    mutationFn: (message: string | null) => {
      clearErrors();
      return call(changeMaintenance, { body: { message } });
    },
    onSuccess: async ({ message }) => {
      setOpen(false);
      await refreshAll('deployment');
      if (message !== null) showMessage(message);
    },
    onError: (error) => {
      if (!isOpen) showError(error.message);
    },
  });
  const { field, state, values } = useCallForm({ message: '' }, change);
  if (maintenance !== null)
    return (
      <Button loading={change.isPending} onClick={() => change.mutate(null)}>
        Turn off maintenance
      </Button>
    );
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Turn on maintenance…
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title="Turn on maintenance" size={480}>
        <DialogForm
          submitLabel="Turn on maintenance"
          isDanger
          isConfirm={false}
          {...state}
          onSubmit={() => change.mutate(values.message)}
          onCancel={() => setOpen(false)}
        >
          <p>
            Work in progress ends, and no sync begins. Users see a page with your message. System administrators can
            still log in. Changes that QuickBooks reports are stored, and synced afterward.
          </p>
          <Textarea
            label="Message to users"
            description="Optional, for example until when."
            maxLength={maxMaintenanceMessage}
            data-autofocus
            {...field('message')}
          />
        </DialogForm>
      </Modal>
    </>
  );
}
