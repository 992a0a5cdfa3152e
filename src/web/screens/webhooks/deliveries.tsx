import { Box, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from 'react-router';
import { resendWebhook } from '#contract/calls/webhook-endpoints.ts';
import type { WebhookDeliveryReply, WebhookEndpointReply } from '#contract/webhook-endpoints.ts';
import { ToneBadge } from '../../components/badge.tsx';
import { showSuccess } from '../../components/flash.ts';
import { Dim } from '../../components/note.tsx';
import { Notice } from '../../components/notice.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { PagedList } from '../../components/paged-list.tsx';
import { ReadOnlyNotice } from '../../components/read-only-notice.tsx';
import { RowMenu } from '../../components/row-menu.tsx';
import { EmptyState, FailedState, Skeleton } from '../../components/states.tsx';
import type { Column } from '../../components/table.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { oneOf, useAddress } from '../../components/use-address.ts';
import { formatCount, zoneName } from '../../data/format.ts';
import { useAction } from '../../data/queries.ts';
import { useReadOnly } from '../../data/use-read-only.ts';
import { useTimeZone } from '../../data/use-time-zone.ts';
import { deliveriesQuery, endpointsQuery } from './queries.ts';
import { resultOf, stateOf } from './texts.ts';
import { useEndpointActions } from './use-endpoint-actions.tsx';

const pageSize = 20;
const tabs = [
  { key: 'all', label: 'All' },
  { key: 'failed', label: 'Failed' },
] as const;

/** The deliveries to one endpoint, newest first. */
export function Deliveries({ id }: { id: string }) {
  const found = useQuery(endpointsQuery());
  const endpoint = found.data?.endpoints.find((one) => one.id === id);
  if (endpoint !== undefined) return <Loaded endpoint={endpoint} />;
  return (
    <Page title="Webhooks">
      <Panel>
        {found.isError ? (
          <FailedState what="The endpoint" of={found} />
        ) : found.data === undefined ? (
          <Skeleton width="100%" height={320} />
        ) : (
          <EmptyState
            icon="search"
            action={
              <Button component={Link} to="/webhooks" variant="default">
                All endpoints
              </Button>
            }
          >
            This endpoint does not exist.
          </EmptyState>
        )}
      </Panel>
    </Page>
  );
}

function Loaded({ endpoint }: { endpoint: WebhookEndpointReply }) {
  const { id, address, events, state } = endpoint;
  const navigate = useNavigate();
  const isReadOnly = useReadOnly();
  const timeZone = useTimeZone();
  const { query, page, change } = useAddress();
  const isFailed = oneOf(query, 'tab', ['failed']) !== undefined;
  const list = useQuery(deliveriesQuery(id, { failed: isFailed, page, page_size: pageSize }));
  const { actionsFor, sendTest, resume, dialogs } = useEndpointActions({ onDeleted: () => void navigate('/webhooks') });
  const resend = useAction(resendWebhook, {
    changes: ['webhook-endpoints'],
    onSuccess: () => showSuccess('The event is on its way again.'),
  });
  const status = stateOf(endpoint);
  const isActive = state === 'active';
  return (
    <Page
      title={address}
      aside={<ToneBadge tone={status.tone}>{status.label}</ToneBadge>}
      lead={`Events: ${events.join(', ')}`}
      actions={
        <>
          <Button component={Link} to="/webhooks" variant="default">
            All endpoints
          </Button>
          <Button disabled={isReadOnly || !isActive} onClick={() => sendTest(id)}>
            Send test event
          </Button>
          {!isReadOnly && (
            <RowMenu
              label={`Actions for ${address}`}
              actions={actionsFor(endpoint).filter(({ label }) => label !== 'Send test event')}
            />
          )}
        </>
      }
    >
      <ReadOnlyNotice />
      {state === 'failing' && <FailingNotice isReadOnly={isReadOnly} onResume={() => resume(id)} />}
      <Tabs
        label="Deliveries"
        tabs={tabs}
        open={isFailed ? 'failed' : 'all'}
        onOpen={(tab) => change({ tab: tab === 'all' ? '' : tab })}
      >
        <Panel flush>
          <PagedList
            what="The deliveries"
            found={list}
            page={page}
            pageSize={pageSize}
            total={list.data?.total ?? 0}
            onPage={(to) => change({ page: String(to) })}
            empty={
              <EmptyState icon={isFailed ? 'check' : 'connections'}>
                {isFailed ? 'No failed deliveries.' : 'No deliveries yet. Send a test event to try your system.'}
              </EmptyState>
            }
            label="Deliveries"
            columns={columnsFor(
              zoneName(timeZone),
              isActive,
              isReadOnly || !isActive ? null : (one) => resend.mutate({ params: { id: one } }),
              resend.isPending ? resend.variables.params.id : null,
            )}
            rows={list.data?.deliveries}
            rowKey={(one) => one.id}
            placeholderRows={6}
          />
        </Panel>
      </Tabs>
      {dialogs}
    </Page>
  );
}

function FailingNotice({ isReadOnly, onResume }: { isReadOnly: boolean; onResume: () => void }) {
  return (
    <Notice
      tone="bad"
      action={
        <Button size="xs" variant="default" disabled={isReadOnly} onClick={onResume}>
          Resume
        </Button>
      }
    >
      This endpoint accepted no event for 3 days, or answered that it is gone (410). Fix the receiver, then resume. It
      gets the missed events of the last 30 days.
    </Notice>
  );
}

function Result({ delivery }: { delivery: WebhookDeliveryReply }) {
  const { label, tone } = resultOf(delivery);
  const { answer, is_delivered: isDelivered } = delivery;
  return (
    <>
      <ToneBadge tone={tone}>{label}</ToneBadge>
      {!isDelivered && answer !== null && answer !== '' && (
        <Box component="span" display="block" c="dimmed" fz="sm" style={{ overflowWrap: 'anywhere' }}>
          {answer}
        </Box>
      )}
    </>
  );
}

const columnsFor = (
  zone: string,
  isActive: boolean,
  resend: ((id: string) => void) | null,
  resendingId: string | null,
): readonly Column<WebhookDeliveryReply>[] => [
  {
    key: 'subject',
    head: 'Document',
    cell: ({ subject, webhook_id: webhookId }) => (
      <Text span inherit fw={500} title={webhookId} style={{ overflowWrap: 'anywhere' }}>
        {subject}
      </Text>
    ),
    width: '19%',
    narrow: 'title',
  },
  { key: 'event', head: 'Event', cell: ({ event }) => event, width: '150px', narrowLabel: true },
  {
    key: 'result',
    head: 'Result',
    cell: (delivery) => <Result delivery={delivery} />,
  },
  {
    key: 'attempts',
    head: 'Attempts',
    cell: ({ attempts }) => (attempts === 0 ? <Dim>0</Dim> : formatCount(attempts)),
    align: 'end',
    width: '80px',
    narrowLabel: true,
  },
  {
    key: 'next',
    head: 'Next attempt',
    cell: ({ next_try_at: at, attempts }) =>
      at === null ? <Dim>none</Dim> : !isActive ? <Dim>paused</Dim> : attempts === 0 ? 'now' : <RelativeTime at={at} />,
    width: '120px',
    narrowLabel: true,
  },
  {
    key: 'created_at',
    head: `Time (${zone})`,
    cell: ({ created_at: at }) => <RelativeTime at={at} />,
    width: '112px',
    narrowLabel: true,
  },
  {
    key: 'resend',
    head: '',
    cell: ({ id, subject }) =>
      resend === null ? (
        ''
      ) : (
        <Button
          size="xs"
          variant="default"
          aria-label={`Send ${subject} again`}
          loading={resendingId === id}
          onClick={() => resend(id)}
        >
          Send again
        </Button>
      ),
    align: 'end',
    width: '116px',
    narrow: 'trail',
  },
];
