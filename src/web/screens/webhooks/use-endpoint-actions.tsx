import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import {
  pauseWebhookEndpoint,
  removeWebhookEndpoint,
  rotateWebhookSecret,
  testWebhookEndpoint,
} from '#contract/calls/webhook-endpoints.ts';
import type { WebhookEndpointReply } from '#contract/webhook-endpoints.ts';
import { showSuccess } from '../../components/flash.ts';
import type { RowAction } from '../../components/row-menu.tsx';
import { useAction } from '../../data/queries.ts';
import { endpointsQuery } from './queries.ts';
import { EndpointDialog } from './endpoint-dialog.tsx';
import { useAsking } from '../../components/use-asking.tsx';
import { SecretDialog } from '../../components/secret.tsx';

export interface EndpointActions {
  readonly actionsFor: (endpoint: WebhookEndpointReply) => readonly RowAction[];
  readonly add: () => void;
  readonly sendTest: (id: string) => void;
  readonly resume: (id: string) => void;
  /** The dialogs to render. */
  readonly dialogs: ReactNode;
}

/**
 * The actions on endpoints. Those that receivers notice ask for confirmation first.
 *
 * @param onTest called after a test event was queued, e.g. to open the deliveries.
 * @param onDeleted called after an endpoint was deleted.
 */
export function useEndpointActions({
  onTest,
  onDeleted,
}: { onTest?: (id: string) => void; onDeleted?: () => void } = {}): EndpointActions {
  const [editing, setEditing] = useState<WebhookEndpointReply | 'new' | null>(null);
  const endpoints = useQuery(endpointsQuery()).data?.endpoints;
  // The dialog shows what other users save meanwhile.
  const shown = editing === 'new' ? editing : (endpoints?.find(({ id }) => id === editing?.id) ?? editing);
  const [secret, setSecret] = useState<string | null>(null);
  const { asking, dialog } = useAsking();
  const changes = ['webhook-endpoints'] as const;
  const test = useAction(testWebhookEndpoint, {
    changes,
    onSuccess: (_, { params }) => {
      if (onTest === undefined) showSuccess('The test event is on its way. The list shows the result.');
      else onTest(params.id);
    },
  });
  const pause = useAction(pauseWebhookEndpoint, {
    changes,
    onSuccess: ({ state }) =>
      showSuccess(state === 'active' ? 'The endpoint gets events again.' : 'The endpoint is paused.'),
  });
  const rotate = useAction(rotateWebhookSecret, {
    changes,
    onError: () => undefined,
    onSuccess: (rotated) => setSecret(rotated.secret),
  });
  const remove = useAction(removeWebhookEndpoint, {
    changes,
    onError: () => undefined,
    onSuccess: () => {
      showSuccess('The endpoint was deleted.');
      onDeleted?.();
    },
  });
  const setPaused = (id: string, paused: boolean, wasPaused: boolean) =>
    pause.mutate({ params: { id }, body: { paused, was: { paused: wasPaused } } });

  const actionsFor = (endpoint: WebhookEndpointReply): readonly RowAction[] => {
    const { id, address, state } = endpoint;
    const params = { id };
    return [
      ...(state === 'active'
        ? ([{ label: 'Send test event', icon: 'arrow', onChoose: () => test.mutate({ params }) }] as const)
        : []),
      { label: 'Edit events', icon: 'edit', onChoose: () => setEditing(endpoint) },
      state === 'active'
        ? { label: 'Pause', icon: 'pause', onChoose: () => setPaused(id, true, false) }
        : { label: 'Resume', icon: 'check', onChoose: () => setPaused(id, false, state === 'paused') },
      asking('lock', {
        title: 'Rotate the secret?',
        text: `${address} gets a new secret. The old one signs too for 24 hours, so change it in your system within that time.`,
        confirmLabel: 'Rotate secret',
        run: () => rotate.mutateAsync({ params, body: { was: { old_secret_ends_at: endpoint.old_secret_ends_at } } }),
      }),
      asking('trash', {
        title: 'Delete the endpoint?',
        text: `${address} gets no further events. Its deliveries are deleted too.`,
        confirmLabel: 'Delete',
        run: () => remove.mutateAsync({ params, body: { was: { events: endpoint.events } } }),
      }),
    ];
  };
  return {
    actionsFor,
    add: () => setEditing('new'),
    sendTest: (id) => test.mutate({ params: { id } }),
    resume: (id) => setPaused(id, false, false),
    dialogs: (
      <>
        <EndpointDialog editing={shown} onClose={() => setEditing(null)} />
        <SecretDialog secret={secret} onClose={() => setSecret(null)} />
        {dialog}
      </>
    ),
  };
}
