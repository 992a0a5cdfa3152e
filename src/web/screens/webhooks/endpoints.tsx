import { Anchor, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import type { WebhookEndpointReply } from '#contract/webhook-endpoints.ts';
import { maxWebhookEndpoints, webhookEvents } from '#core/webhook-event.ts';
import { ToneBadge } from '../../components/badge.tsx';
import { Icon } from '../../components/icons.tsx';
import { Dim } from '../../components/note.tsx';
import { OwnerName } from '../../components/owner.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { ReadOnlyNotice } from '../../components/read-only-notice.tsx';
import { RowMenu } from '../../components/row-menu.tsx';
import { EmptyState, FailedState } from '../../components/states.tsx';
import { type Column, DataTable } from '../../components/table.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { useReadOnly } from '../../data/use-read-only.ts';
import { endpointsQuery } from './queries.ts';
import { stateOf } from './texts.ts';
import { useEndpointActions, type EndpointActions } from './use-endpoint-actions.tsx';

/** The addresses of the client's own systems that get signed events. */
export function Endpoints() {
  const navigate = useNavigate();
  const found = useQuery(endpointsQuery());
  const isReadOnly = useReadOnly();
  const open = (id: string) => void navigate(`/webhooks/${id}`);
  const { actionsFor, add, dialogs } = useEndpointActions({ onTest: open });
  const endpoints = found.data?.endpoints;
  const isFull = (endpoints?.length ?? 0) >= maxWebhookEndpoints;
  return (
    <Page
      title="Webhooks"
      lead="Your own systems get a signed event when the state of a document changes, and when a month is signed."
      actions={
        <Button
          leftSection={<Icon name="connections" size={16} />}
          disabled={isReadOnly || endpoints === undefined || isFull}
          title={isFull ? `A client has at most ${maxWebhookEndpoints} endpoints.` : undefined}
          onClick={add}
        >
          Add endpoint
        </Button>
      }
    >
      <ReadOnlyNotice />
      <Panel flush>
        {found.isError && endpoints === undefined ? (
          <FailedState what="The endpoints" of={found} />
        ) : endpoints?.length === 0 ? (
          <EmptyState icon="connections">
            No endpoints yet.{' '}
            <Anchor inherit underline="always" href="/help/guide/webhooks">
              Events and signatures
            </Anchor>{' '}
            describes what your system gets.
          </EmptyState>
        ) : (
          <DataTable
            label="Endpoints"
            columns={columnsFor(isReadOnly ? null : actionsFor)}
            rows={endpoints}
            rowKey={({ id }) => id}
            rowLabel={({ address }) => `Deliveries to ${address}`}
            placeholderRows={2}
            onOpen={({ id }) => open(id)}
          />
        )}
      </Panel>
      {dialogs}
    </Page>
  );
}

const columnsFor = (actionsFor: EndpointActions['actionsFor'] | null): readonly Column<WebhookEndpointReply>[] => [
  {
    key: 'address',
    head: 'Address',
    cell: ({ address }) => (
      <Text span inherit fw={500} style={{ overflowWrap: 'anywhere' }}>
        {address}
      </Text>
    ),
    width: '24%',
    narrow: 'title',
  },
  {
    key: 'events',
    head: 'Events',
    cell: ({ events }) => (
      <Text span inherit c="soft">
        {events.length === webhookEvents.length ? 'All events' : events.join(', ')}
      </Text>
    ),
  },
  { key: 'owner', head: 'Owner', cell: ({ owner }) => <OwnerName owner={owner} />, width: '18%', narrowLabel: true },
  {
    key: 'delivered_at',
    head: 'Last delivery',
    cell: ({ delivered_at: at }) => (at === null ? <Dim>never</Dim> : <RelativeTime at={at} />),
    width: '130px',
    narrowLabel: true,
  },
  {
    key: 'state',
    head: 'State',
    cell: (endpoint) => {
      const { label, tone } = stateOf(endpoint);
      return <ToneBadge tone={tone}>{label}</ToneBadge>;
    },
    width: '170px',
  },
  {
    key: 'actions',
    head: '',
    cell: (endpoint) =>
      actionsFor === null ? '' : <RowMenu label={`Actions for ${endpoint.address}`} actions={actionsFor(endpoint)} />,
    align: 'end',
    width: '64px',
    narrow: 'trail',
  },
];
