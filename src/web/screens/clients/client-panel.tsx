import { DialogForm } from '../../components/dialog.tsx';
import { Facts } from '../../components/facts.tsx';
import { Button, Textarea, TextInput, Stack, Group } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { changeClientStatus, deleteClient } from '#contract/calls/clients.ts';
import type { Client, ClientDetail, ClientState } from '#contract/clients.ts';
import { call } from '../../data/call.ts';
import { clearErrors, showSuccess } from '../../components/flash.ts';
import { useEnvironment } from '../../data/environment.ts';
import { formatDate, zoneName } from '../../data/format.ts';
import { refreshAll } from '../../data/queries.ts';
import { clientQuery } from '../../data/screen-queries.ts';
import { ToneBadge } from '../../components/badge.tsx';
import { Notice } from '../../components/notice.tsx';
import { FailedState, Skeleton } from '../../components/states.tsx';
import { DateTime, RelativeTime } from '../../components/time.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { useCallForm } from '../../components/use-call-form.ts';
import { statusLabels, statusTones } from '../../components/subscription-status.ts';
import { Count, State } from './columns.tsx';
import { nextActionOf } from './next-action.ts';

interface ClientPanelProps {
  open: string | null;
  clients: readonly ClientState[];
  nowMs: number;
  onOpen: (id: string | null) => void;
  /** Opens a screen as the client; null: the Overview. */
  onActAs: (client: ClientState, path: string | null) => void;
}

/**
 * Shows the state of a client, its subscription and the actions on it.
 *
 * @param open id of the client; null closes the panel
 * @param clients the clients in the list
 */
export function ClientPanel({ open, clients, nowMs, onOpen, onActAs }: ClientPanelProps) {
  const found = clients.find(({ id }) => id === open);
  // While the panel closes, or after another search, it still shows its client.
  const [shown, setShown] = useState(found);
  if (found !== undefined && found !== shown) setShown(found);
  return (
    <SidePanel
      title={shown?.name ?? ''}
      open={open}
      keys={clients.map(({ id }) => id)}
      onOpen={onOpen}
      onClose={() => onOpen(null)}
    >
      {open !== null && shown?.id === open && (
        <Stack gap="lg" key={open}>
          <StateOfClient client={shown} nowMs={nowMs} onActAs={onActAs} />
          <Content client={shown} onClose={() => onOpen(null)} />
        </Stack>
      )}
    </SidePanel>
  );
}

/** How the syncs of a client are going, and what to do next. */
function StateOfClient({
  client,
  nowMs,
  onActAs,
}: { client: ClientState } & Pick<ClientPanelProps, 'nowMs' | 'onActAs'>) {
  const environment = useEnvironment();
  const labels = { psa: environment.psa.label, accounting: environment.accounting.label };
  const next = nextActionOf(client, { ...labels, nowMs });
  return (
    <>
      <Facts>
        <dt>State</dt>
        <dd>
          <State client={client} {...labels} />
        </dd>
        <dt>Failed, 24 h</dt>
        <dd>
          <Count count={client.failed} isBad />
        </dd>
        <dt>On hold, 24 h</dt>
        <dd>
          <Count count={client.held} />
        </dd>
        <dt>Last sync</dt>
        <dd>{client.last_synced_at === null ? 'Never' : <RelativeTime at={client.last_synced_at} />}</dd>
        {client.consent_ends_at !== null && (
          <>
            <dt>Consent ends</dt>
            <dd>{formatDate(client.consent_ends_at.slice(0, 10))}</dd>
          </>
        )}
      </Facts>
      <Group gap="sm">
        {next !== null && <Button onClick={() => onActAs(client, next.path)}>{next.label}</Button>}
        <Button variant={next === null ? 'filled' : 'default'} onClick={() => onActAs(client, null)}>
          Open as client
        </Button>
      </Group>
    </>
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
  const area = useActionFocus(action);
  if (detail.isLoadingError) return <FailedState what="The client" of={detail} />;
  if (detail.data === undefined) return <Skeleton width="80%" />;
  const { status, time_zone: zone } = detail.data;
  const isOff = status === 'suspended' || status === 'cancelled';
  if (action !== null)
    return (
      <div ref={area}>
        <Confirm client={detail.data} action={action} onBack={() => setAction(null)} onDeleted={onClose} />
      </div>
    );
  return (
    <Stack gap="md" ref={area}>
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
          <Button data-action="active" onClick={() => setAction('active')}>
            Reactivate…
          </Button>
        ) : (
          <Button data-action="suspended" variant="default" onClick={() => setAction('suspended')}>
            Suspend…
          </Button>
        )}
        {status !== 'cancelled' && (
          <Button data-action="cancelled" variant="default" onClick={() => setAction('cancelled')}>
            Cancel subscription…
          </Button>
        )}
        <Button data-action="delete" ml="auto" variant="subtle" color="red" onClick={() => setAction('delete')}>
          Delete…
        </Button>
      </Group>
    </Stack>
  );
}

/**
 * Focuses the field of an action when it opens, and its button when it closes: the control with the focus is gone.
 *
 * @returns the element with the field or the buttons
 */
function useActionFocus(action: ClientAction | null) {
  const area = useRef<HTMLDivElement>(null);
  const shown = useRef(action);
  useEffect(() => {
    const before = shown.current;
    shown.current = action;
    if (before === action) return;
    const find = (selector: string) => area.current?.querySelector<HTMLElement>(selector);
    const target =
      action === null ? (find(`[data-action="${before ?? ''}"]`) ?? find('[data-action]')) : find('[data-autofocus]');
    target?.focus();
  }, [action]);
  return area;
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
