import { DialogForm } from '../../components/dialog.tsx';
import { Facts } from '../../components/facts.tsx';
import { Button, Textarea, TextInput, Stack, Group } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { changeClientStatus, deleteClient } from '#contract/calls/clients.ts';
import type { Client, ClientDetail } from '#contract/clients.ts';
import { call } from '../../data/call.ts';
import { clearErrors, showSuccess } from '../../components/flash.ts';
import { zoneName } from '../../data/format.ts';
import { refreshAll } from '../../data/queries.ts';
import { clientQuery } from '../../data/screen-queries.ts';
import { ToneBadge } from '../../components/badge.tsx';
import { Notice } from '../../components/notice.tsx';
import { FailedState, Skeleton } from '../../components/states.tsx';
import { DateTime, RelativeTime } from '../../components/time.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { useCallForm } from '../../components/use-call-form.ts';
import { statusLabels, statusTones } from '../../components/subscription-status.ts';

interface ClientPanelProps {
  client: Client | null;
  clients: readonly Client[];
  onOpen: (client: Client) => void;
  onClose: () => void;
}

/** Shows a client's subscription and the actions on it. @param clients the clients in the list */
export function ClientPanel({ client, clients, onOpen, onClose }: ClientPanelProps) {
  return (
    <SidePanel
      title={client?.name ?? ''}
      open={client?.id ?? null}
      keys={clients.map(({ id }) => id)}
      onOpen={(key) => {
        const next = clients.find(({ id }) => id === key);
        if (next !== undefined) onOpen(next);
      }}
      onClose={onClose}
    >
      {client !== null && <Content key={client.id} client={client} onClose={onClose} />}
    </SidePanel>
  );
}

type ClientAction = 'active' | 'suspended' | 'cancelled' | 'delete';
const actions = {
  active: { button: 'Reactivate', lead: 'Syncs resume once the connections and settings are valid.' },
  suspended: { button: 'Suspend', lead: 'Syncs stop. Users can read and export data, but cannot change it.' },
  cancelled: {
    button: 'Cancel subscription',
    lead: 'Ends the subscription. Users can read and export data until you delete the client.',
  },
  delete: {
    button: 'Delete client',
    lead: 'Disconnects both services and deletes all users, settings, mappings and logs. You cannot undo this.',
  },
} as const;

function Content({ client, onClose }: { client: Client; onClose: () => void }) {
  const detail = useQuery(clientQuery(client.id));
  const [action, setAction] = useState<ClientAction | null>(null);
  if (detail.isLoadingError) return <FailedState what="The client" of={detail} />;
  if (detail.data === undefined) return <Skeleton width="80%" />;
  const { status, time_zone: zone } = detail.data;
  const isOff = status === 'suspended' || status === 'cancelled';
  if (action !== null)
    return <Confirm client={detail.data} action={action} onBack={() => setAction(null)} onDeleted={onClose} />;
  return (
    <Stack gap="md">
      <Facts>
        <dt>Subscription</dt>
        <dd>
          <ToneBadge tone={statusTones[status]}>{statusLabels[status]}</ToneBadge>
        </dd>
        {detail.data.reason !== null && (
          <>
            <dt>Reason</dt>
            <dd>{detail.data.reason}</dd>
          </>
        )}
        <dt>Created</dt>
        <dd>
          <DateTime at={detail.data.created_at} zone={zone} />
        </dd>
        <dt>Active users</dt>
        <dd>{detail.data.users}</dd>
        <dt>Last login</dt>
        <dd>
          {detail.data.last_sign_in_at === null ? (
            'Never'
          ) : (
            <RelativeTime at={detail.data.last_sign_in_at} zone={zone} />
          )}
        </dd>
        <dt>Time zone</dt>
        <dd>
          {zone} (times in {zoneName(zone)})
        </dd>
      </Facts>
      <Group gap="sm">
        {isOff ? (
          <Button onClick={() => setAction('active')}>Reactivate…</Button>
        ) : (
          <Button variant="default" onClick={() => setAction('suspended')}>
            Suspend…
          </Button>
        )}
        {status !== 'cancelled' && (
          <Button variant="default" onClick={() => setAction('cancelled')}>
            Cancel subscription…
          </Button>
        )}
        <Button ml="auto" variant="subtle" color="red" onClick={() => setAction('delete')}>
          Delete…
        </Button>
      </Group>
    </Stack>
  );
}

interface ConfirmProps {
  client: ClientDetail;
  action: ClientAction;
  onBack: () => void;
  onDeleted: () => void;
}

/** Asks for a reason, or for the client's name before a deletion. */
function Confirm({ client, action, onBack, onDeleted }: ConfirmProps) {
  const act = useMutation({
    mutationFn: async ({ name, reason }: { name: string; reason: string }) => {
      clearErrors();
      const params = { id: client.id };
      if (action === 'delete') await call(deleteClient, { params, body: { name } });
      else await call(changeClientStatus, { params, body: { status: action, reason, was: { status: client.status } } });
    },
    onSuccess: async () => {
      await refreshAll('clients');
      showSuccess(action === 'delete' ? `Deleted ${client.name}.` : `Updated ${client.name}.`);
      if (action === 'delete') onDeleted();
      else onBack();
    },
  });
  const { field, state, values } = useCallForm({ name: '', reason: '' }, act);
  const { lead, button } = actions[action];
  return (
    <DialogForm
      submitLabel={button}
      cancelLabel="Back"
      isDanger={action !== 'active'}
      isConfirm={false}
      isDisabled={action === 'delete' ? values.name.trim() !== client.name.trim() : values.reason.trim() === ''}
      {...state}
      onSubmit={() => act.mutate(values)}
      onCancel={onBack}
    >
      <Notice tone={action === 'active' ? 'info' : 'warning'}>{lead}</Notice>
      {action === 'delete' ? (
        <TextInput label={`Type “${client.name}” to confirm`} autoComplete="off" data-autofocus {...field('name')} />
      ) : (
        <Textarea
          label="Reason"
          description="Recorded in the client’s audit trail."
          maxLength={500}
          data-autofocus
          {...field('reason')}
        />
      )}
    </DialogForm>
  );
}
