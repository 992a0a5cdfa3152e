import { Checkbox, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { addWebhookEndpoint, changeWebhookEndpoint } from '#contract/calls/webhook-endpoints.ts';
import type { WebhookEndpointReply } from '#contract/webhook-endpoints.ts';
import { listText } from '#core/values/text.ts';
import { webhookEvents, type WebhookEvent } from '#core/webhook-event.ts';
import { DialogForm } from '../../components/dialog.tsx';
import { savedMs, showSuccess } from '../../components/flash.ts';
import { Modal } from '../../components/modal.tsx';
import { Secret } from '../../components/secret.tsx';
import { ConflictChoice } from '../../components/conflict-choice.tsx';
import { useDialogEdits } from '../../components/use-edits.ts';
import { toSend } from '../../data/edits.ts';
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
      showSuccess('Saved changes.', savedMs);
      onClose();
    },
    onError: () => undefined,
  });
  const saved = { address: '', events: before?.events ?? webhookEvents };
  const form = useDialogEdits(saved, before === null ? add : change);
  const { draft, errorOf, state } = form;
  const [address, events] = [String(draft['address']), eventsIn(draft['events'])];
  if (secret !== null) return <Secret what="secret" secret={secret} onDone={onClose} />;
  return (
    <DialogForm
      submitLabel={before === null ? 'Add endpoint' : 'Save'}
      {...state}
      onSubmit={() =>
        before === null
          ? add.mutate({ body: { address, events } })
          : change.mutate({
              params: { id: before.id },
              body: { events, was: toSend(saved, form.edits, ['events']).was },
            })
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
          value={address}
          error={errorOf('address')}
          onChange={(event) => form.change('address', event.currentTarget.value)}
        />
      )}
      <Checkbox.Group
        label="Events"
        value={events}
        error={errorOf('events')}
        errorProps={{ mt: 'sm' }}
        onChange={(chosen) => form.change('events', eventsIn(chosen))}
      >
        <Stack gap="sm" mt="sm">
          {webhookEvents.map((event) => (
            <Checkbox key={event} value={event} label={event} description={eventTexts[event]} />
          ))}
        </Stack>
      </Checkbox.Group>
      <ConflictChoice name="events" form={form} saved={listText(saved.events)} own={listText(events)} />
    </DialogForm>
  );
}

/** Returns the chosen events in their order. */
const eventsIn = (chosen: unknown): WebhookEvent[] =>
  webhookEvents.filter((event) => Array.isArray(chosen) && chosen.includes(event));
