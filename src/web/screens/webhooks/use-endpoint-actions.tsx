import { type ReactNode, useState } from 'react';
import {
  pauseWebhookEndpoint,
  removeWebhookEndpoint,
  rotateWebhookSecret,
  testWebhookEndpoint,
} from '#contract/calls/webhook-endpoints.ts';
import type { WebhookEndpointReply } from '#contract/webhook-endpoints.ts';
import { ConfirmDialog, type Question } from '../../components/dialog.tsx';
import { showMessage } from '../../components/flash.ts';
import type { RowAction } from '../../components/row-menu.tsx';
import { useAction } from '../../data/queries.ts';
import { EndpointDialog } from './endpoint-dialog.tsx';
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
  const [secret, setSecret] = useState<string | null>(null);
  const [question, setQuestion] = useState<(Question & { readonly run: () => void }) | null>(null);
  const [error, setError] = useState<string | null>(null);
  const changes = ['webhook-endpoints'] as const;
  const asked = { changes, onError: (reason: Error) => setError(reason.message) };
  const test = useAction(testWebhookEndpoint, {
    changes,
    onSuccess: (_, { params }) => {
      if (onTest === undefined) showMessage('The test event is on its way. The list shows the result.');
      else onTest(params.id);
    },
  });
  const pause = useAction(pauseWebhookEndpoint, {
    changes,
    onSuccess: ({ state }) =>
      showMessage(state === 'active' ? 'The endpoint gets events again.' : 'The endpoint is paused.'),
  });
  const rotate = useAction(rotateWebhookSecret, {
    ...asked,
    onSuccess: (rotated) => {
      setQuestion(null);
      setSecret(rotated.secret);
    },
  });
  const remove = useAction(removeWebhookEndpoint, {
    ...asked,
    onSuccess: () => {
      setQuestion(null);
      showMessage('The endpoint was deleted.');
      onDeleted?.();
    },
  });
  const ask = (next: NonNullable<typeof question>) => {
    setError(null);
    setQuestion(next);
  };
  const setPaused = (id: string, paused: boolean) => pause.mutate({ params: { id }, body: { paused } });

  const actionsFor = (endpoint: WebhookEndpointReply): readonly RowAction[] => {
    const { id, address, state } = endpoint;
    const params = { id };
    return [
      ...(state === 'active'
        ? ([{ label: 'Send test event', icon: 'arrow', onChoose: () => test.mutate({ params }) }] as const)
        : []),
      { label: 'Edit events', icon: 'edit', onChoose: () => setEditing(endpoint) },
      state === 'active'
        ? { label: 'Pause', icon: 'pause', onChoose: () => setPaused(id, true) }
        : { label: 'Resume', icon: 'check', onChoose: () => setPaused(id, false) },
      {
        label: 'Rotate secret',
        icon: 'lock',
        onChoose: () =>
          ask({
            title: 'Rotate the secret?',
            text: `${address} gets a new secret. The old one signs too for 24 hours, so change it in your system within that time.`,
            confirmLabel: 'Rotate secret',
            run: () => rotate.mutate({ params }),
          }),
      },
      {
        label: 'Delete',
        icon: 'trash',
        onChoose: () =>
          ask({
            title: 'Delete the endpoint?',
            text: `${address} gets no further events. Its deliveries are deleted too.`,
            confirmLabel: 'Delete',
            run: () => remove.mutate({ params }),
          }),
      },
    ];
  };
  return {
    actionsFor,
    add: () => setEditing('new'),
    sendTest: (id) => test.mutate({ params: { id } }),
    resume: (id) => setPaused(id, false),
    dialogs: (
      <>
        <EndpointDialog editing={editing} onClose={() => setEditing(null)} />
        <SecretDialog secret={secret} onClose={() => setSecret(null)} />
        <ConfirmDialog
          question={question}
          error={error}
          isBusy={rotate.isPending || remove.isPending}
          onConfirm={() => question?.run()}
          onClose={() => setQuestion(null)}
        />
      </>
    ),
  };
}
