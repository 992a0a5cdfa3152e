import { Checkbox, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { addWebhookEndpoint, changeWebhookEndpoint } from '#contract/calls/webhook-endpoints.ts';
import type { WebhookEndpointReply } from '#contract/webhook-endpoints.ts';
import { webhookEvents } from '#core/webhook-event.ts';
import { DialogForm } from '../../components/dialog.tsx';
import { savedMs, showMessage } from '../../components/flash.ts';
import { Modal } from '../../components/modal.tsx';
import { Secret } from '../../components/secret.tsx';
import { useCallForm } from '../../components/use-call-form.ts';
import { useAction } from '../../data/queries.ts';
import { eventTexts } from './texts.ts';

/** Adds an endpoint and shows its secret, or changes the events of one. */
export const EndpointDialog = ({
  editing,
  onClose,
}: {
  editing: WebhookEndpointReply | 'new' | null;
  onClose: () => void;
}) => (
  <Modal
    opened={editing !== null}
    onClose={onClose}
    title={editing === 'new' || editing === null ? 'Add endpoint' : 'Edit events'}
    size={480}
  >
    {editing !== null && <Content before={editing === 'new' ? null : editing} onClose={onClose} />}
  </Modal>
);

function Content({ before, onClose }: { before: WebhookEndpointReply | null; onClose: () => void }) {
  const [secret, setSecret] = useState<string | null>(null);
  const add = useAction(addWebhookEndpoint, {
    changes: ['webhook-endpoints'],
    onSuccess: (added) => setSecret(added.secret),
    onError: () => undefined,
  });
  const change = useAction(changeWebhookEndpoint, {
    changes: ['webhook-endpoints'],
    onSuccess: () => {
      showMessage('Saved changes.', savedMs);
      onClose();
    },
    onError: () => undefined,
  });
  const firstInput = { address: '', events: [...(before?.events ?? webhookEvents)] };
  const { field, state, values } = useCallForm(firstInput, before === null ? add : change);
  const events = webhookEvents.filter((event) => values.events.includes(event));
  if (secret !== null) return <Secret what="secret" secret={secret} onDone={onClose} />;
  return (
    <DialogForm
      submitLabel={before === null ? 'Add endpoint' : 'Save'}
      {...state}
      onSubmit={() =>
        before === null
          ? add.mutate({ body: { ...values, events } })
          : change.mutate({ params: { id: before.id }, body: { events } })
      }
      onCancel={onClose}
    >
      {before === null && (
        <TextInput
          data-autofocus
          label="Address"
          description="An https address of your system on the internet."
          placeholder="https://erp.example.com/tallybridge"
          autoComplete="off"
          spellCheck={false}
          inputMode="url"
          maxLength={2_000}
          {...field('address')}
        />
      )}
      <Checkbox.Group label="Events" {...field('events')}>
        <Stack gap="sm" mt="sm">
          {webhookEvents.map((event) => (
            <Checkbox key={event} value={event} label={event} description={eventTexts[event]} />
          ))}
        </Stack>
      </Checkbox.Group>
    </DialogForm>
  );
}
