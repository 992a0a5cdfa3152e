import { Group, Text } from '@mantine/core';
import type { ClientState } from '#contract/clients.ts';
import { StateBadge, ToneBadge } from '../../components/badge.tsx';
import type { Column } from '../../components/table.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { RowMenu } from '../../components/row-menu.tsx';
import { Sparkline } from '../../components/sparkline.tsx';
import { countOf, formatCount, formatDate } from '../../data/format.ts';
import { statusLabels, statusTones } from '../../components/subscription-status.ts';

/** Days before the end of a consent when it is shown as a problem. */
const soonDays = 14;
const dayMs = 86_400_000;

interface Actions {
  onOpen: (client: ClientState) => void;
  onActAs: (client: ClientState) => void;
}

/**
 * Returns the columns of the list of clients.
 *
 * @param names labels of both services
 */
export const columnsOf = ({
  psa,
  accounting,
  nowMs,
  onOpen,
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
    width: '210px',
  },
  {
    key: 'last_sync',
    head: 'Last sync',
    cell: ({ last_synced_at: at }) => (at === null ? 'Never' : <RelativeTime at={at} />),
    width: '120px',
    narrowLabel: true,
  },
  {
    key: 'failed',
    head: 'Failed, 24 h',
    cell: ({ failed }) => <Count count={failed} isBad />,
    align: 'end',
    width: '100px',
    narrowLabel: true,
  },
  {
    key: 'held',
    head: 'On hold, 24 h',
    cell: ({ held }) => <Count count={held} />,
    align: 'end',
    width: '110px',
    narrowLabel: true,
  },
  {
    key: 'days',
    head: 'Synced, 14 days',
    cell: ({ posted_by_day: days }) => <SyncedDays days={days} />,
    width: '140px',
    from: 900,
    narrow: 'hide',
  },
  {
    key: 'consent',
    head: 'Consent ends',
    cell: ({ consent_ends_at: at }) => at !== null && <ConsentEnd at={at} nowMs={nowMs} />,
    width: '120px',
    from: 1440,
    narrowLabel: true,
  },
  {
    key: 'menu',
    head: '',
    cell: (client) => <Menu client={client} onOpen={onOpen} onActAs={onActAs} />,
    width: '56px',
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
    <Text span size="sm" c={Date.parse(at) - nowMs < soonDays * dayMs ? 'red' : 'dimmed'}>
      {formatDate(at.slice(0, 10))}
    </Text>
  );
}

function Menu({ client, onOpen, onActAs }: Actions & { client: ClientState }) {
  return (
    <RowMenu
      label={`Actions for ${client.name}`}
      actions={[
        { label: 'Open as client', icon: 'external', onChoose: () => onActAs(client) },
        { label: 'Subscription…', icon: 'settings', onChoose: () => onOpen(client) },
      ]}
    />
  );
}

function State({ client, psa, accounting }: { client: ClientState; psa: string; accounting: string }) {
  if (client.status !== 'active')
    return <ToneBadge tone={statusTones[client.status]}>{statusLabels[client.status]}</ToneBadge>;
  const missing = [...(client.psa === 'active' ? [] : [psa]), ...(client.accounting === 'active' ? [] : [accounting])];
  if (client.stalled_since !== null)
    return (
      <Group component="span" gap={6} wrap="nowrap">
        <StateBadge state="needs_you" label="Syncs stopped" />
        <Text span size="xs" c="dimmed">
          <RelativeTime at={client.stalled_since} />
        </Text>
      </Group>
    );
  return missing.length > 0 ? (
    <StateBadge state="needs_you" label={`${missing.join(' and ')} not connected`} />
  ) : (
    <StateBadge state="synced" label="Working" />
  );
}

function Count({ count, isBad = false }: { count: number; isBad?: boolean }) {
  return (
    <Text span size="sm" fw={count === 0 ? 400 : 600} c={count === 0 ? 'dimmed' : isBad ? 'red' : 'held'}>
      {formatCount(count)}
    </Text>
  );
}
