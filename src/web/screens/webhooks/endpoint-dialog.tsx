import { Checkbox, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { addWebhookEndpoint, changeWebhookEndpoint } from '#contract/calls/webhook-endpoints.ts';
import type { WebhookEndpointReply } from '#contract/webhook-endpoints.ts';
import { webhookEvents, type WebhookEvent } from '#core/webhook-event.ts';
import { DialogForm } from '../../components/dialog.tsx';
import { savedMs, showMessage } from '../../components/flash.ts';
import { fieldsOf } from '../../components/form.tsx';
import { Modal } from '../../components/modal.tsx';
import { useAction } from '../../data/queries.ts';
import { Secret } from './secret-dialog.tsx';
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
  const [address, setAddress] = useState('');
  const [events, setEvents] = useState<readonly WebhookEvent[]>(before?.events ?? webhookEvents);
  const [secret, setSecret] = useState<string | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const add = useAction(addWebhookEndpoint, {
    changes: ['webhook-endpoints'],
    onSuccess: (added) => setSecret(added.secret),
    onError: setError,
  });
  const change = useAction(changeWebhookEndpoint, {
    changes: ['webhook-endpoints'],
    onSuccess: () => {
      showMessage('Saved changes.', savedMs);
      onClose();
    },
    onError: setError,
  });
  if (secret !== null) return <Secret secret={secret} onDone={onClose} />;
  const fields = fieldsOf(error);
  return (
    <DialogForm
      submitLabel={before === null ? 'Add endpoint' : 'Save'}
      isBusy={add.isPending || change.isPending}
      onSubmit={() => {
        setError(null);
        if (before === null) add.mutate({ body: { address, events: [...events] } });
        else change.mutate({ params: { id: before.id }, body: { events: [...events] } });
      }}
      onCancel={onClose}
      error={error}
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
          value={address}
          onChange={(event) => setAddress(event.currentTarget.value)}
          error={fields['address']}
        />
      )}
      <Checkbox.Group
        label="Events"
        value={[...events]}
        onChange={(values) => setEvents(webhookEvents.filter((event) => values.includes(event)))}
        error={fields['events']}
      >
        <Stack gap="sm" mt="sm">
          {webhookEvents.map((event) => (
            <Checkbox key={event} value={event} label={event} description={eventTexts[event]} />
          ))}
        </Stack>
      </Checkbox.Group>
    </DialogForm>
  );
}
