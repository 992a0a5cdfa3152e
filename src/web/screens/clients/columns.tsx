import { Button, Group, Text } from '@mantine/core';
import type { ClientState } from '#contract/clients.ts';
import { StateBadge, ToneBadge } from '../../components/badge.tsx';
import type { Column } from '../../components/table.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { Dim } from '../../components/note.tsx';
import { Sparkline } from '../../components/sparkline.tsx';
import { countOf, formatCount, formatDate } from '../../data/format.ts';
import { statusLabels, statusTones } from '../../components/subscription-status.ts';
import { endsSoon, missingServices, nextActionOf } from './next-action.ts';

interface Actions {
  /** Opens a screen as the client; null: the Overview. */
  onActAs: (client: ClientState, path: string | null) => void;
}

const activityColumns: readonly Column<ClientState>[] = [
  {
    key: 'failed',
    head: 'Failed, 24 h',
    cell: ({ failed }) => <Count count={failed} isBad />,
    align: 'end',
    width: '66px',
    narrowLabel: true,
  },
  {
    key: 'held',
    head: 'On hold, 24 h',
    cell: ({ held }) => <Count count={held} />,
    align: 'end',
    width: '70px',
    narrowLabel: true,
    from: 900,
  },
  {
    key: 'last_sync',
    head: 'Last sync',
    cell: ({ last_synced_at: at }) => (at === null ? 'Never' : <RelativeTime at={at} />),
    width: 'clamp(96px, 7vw, 150px)',
    narrowLabel: true,
    from: 900,
  },
  {
    key: 'days',
    head: 'Synced, 14 days',
    cell: ({ posted_by_day: days }) => <SyncedDays days={days} />,
    width: '108px',
    from: 1440,
    narrow: 'hide',
  },
];

/**
 * Returns the columns of the list of clients.
 *
 * @param names labels of both services
 */
export const columnsOf = ({
  psa,
  accounting,
  nowMs,
  onActAs,
}: Actions & { psa: string; accounting: string; nowMs: number }): readonly Column<ClientState>[] => [
  {
    key: 'name',
    head: 'Client',
    cell: ({ name }) => <Name name={name} />,
    narrow: 'title',
  },
  {
    key: 'state',
    head: 'State',
    cell: (client) => <State client={client} psa={psa} accounting={accounting} />,
    width: 'clamp(190px, 13vw, 236px)',
  },
  ...activityColumns,
  {
    key: 'consent',
    head: 'Consent ends',
    cell: ({ consent_ends_at: at }) => at !== null && <ConsentEnd at={at} nowMs={nowMs} />,
    width: '98px',
    from: 1440,
    narrowLabel: true,
  },
  {
    key: 'next',
    head: 'Next action',
    cell: (client) => {
      const next = nextActionOf(client, { psa, accounting, nowMs });
      if (next === null) return <Dim>None</Dim>;
      return (
        <Button
          variant="default"
          size="xs"
          aria-label={`${next.label}: ${client.name}`}
          onClick={() => onActAs(client, next.path)}
        >
          {next.label}
        </Button>
      );
    },
    width: 'clamp(168px, 12vw, 220px)',
    narrowLabel: true,
  },
  {
    key: 'open',
    head: '',
    cell: (client) => (
      <Button
        variant="subtle"
        size="xs"
        aria-label={`Open as client: ${client.name}`}
        onClick={() => onActAs(client, null)}
      >
        Open as client
      </Button>
    ),
    width: '124px',
    align: 'end',
    narrow: 'trail',
  },
];

function Name({ name }: { name: string }) {
  return (
    <Text span size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
      {name}
    </Text>
  );
}

function SyncedDays({ days }: { days: readonly number[] }) {
  const sum = days.reduce((total, one) => total + one, 0);
  return <Sparkline values={days} label={`${countOf(sum, 'document')} synced in 14 days`} />;
}

function ConsentEnd({ at, nowMs }: { at: string; nowMs: number }) {
  return (
    <Text span size="sm" c={endsSoon(at, nowMs) ? 'red' : 'dimmed'}>
      {formatDate(at.slice(0, 10))}
    </Text>
  );
}

/** Whether the syncs of a client work. */
export function State({ client, psa, accounting }: { client: ClientState; psa: string; accounting: string }) {
  if (client.status !== 'active')
    return <ToneBadge tone={statusTones[client.status]}>{statusLabels[client.status]}</ToneBadge>;
  const missing = missingServices(client, { psa, accounting });
  if (client.stalled_since !== null)
    return (
      <Group component="span" gap={6} wrap="nowrap">
        <StateBadge state="needs_you" label="Syncs stopped" />
        <Text span size="xs" c="dimmed">
          <RelativeTime at={client.stalled_since} />
        </Text>
      </Group>
    );
  if (missing.length > 0)
    return (
      <StateBadge
        state="needs_you"
        label={missing.length > 1 ? 'Not connected' : `${missing.join('')} not connected`}
      />
    );
  return client.failed > 0 ? (
    <StateBadge state="needs_you" label="Has failures" />
  ) : (
    <StateBadge state="synced" label="Working" />
  );
}

/** A number of documents. */
export function Count({ count, isBad = false }: { count: number; isBad?: boolean }) {
  return (
    <Text span size="sm" fw={count === 0 ? 400 : 600} c={count === 0 ? 'dimmed' : isBad ? 'red' : 'held'}>
      {formatCount(count)}
    </Text>
  );
}
