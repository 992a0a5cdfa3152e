import { Box, Group } from '@mantine/core';
import { Link } from 'react-router';
import type { SubmittableKind } from '#core/kinds.ts';
import { syncStatuses } from '#core/sync-status.ts';
import { byDecimal, byNumber, byText } from '../../data/compare.ts';
import { formatDate, formatDateTime, formatMoney, formatExactTime } from '../../data/format.ts';
import { type DocumentState, documentStates, ModeBadge, StateBadge } from '../../components/badge.tsx';
import { DocumentLink } from '../../components/document-link.tsx';
import { useFindScreen } from '../../components/find-screen.ts';
import type { ListTab } from '../../components/list-table.tsx';
import type { Column } from '../../components/table.tsx';
import type { PsaDocument } from './documents.ts';
import type { LiveState } from './live-states.ts';
import { type ShownStatus, shownStatus } from './shown-status.ts';
import styles from './sync-screen.module.css';

/** A document as its row shows it. */
export interface Row extends PsaDocument {
  /** Customer, vendor or employee; null while it loads and if the PSA has none. */
  readonly party: string | null;
  /** Three-letter code; null while it loads. */
  readonly currency: string | null;
  readonly live: LiveState | null;
  /** A draft of the document waits for approval; false while it loads. */
  readonly awaitsApproval: boolean;
  /** The newest live sync put the document on hold; false while it loads. */
  readonly isOnHold: boolean;
}

const statusLabels = {
  ...syncStatuses,
  awaits_approval: documentStates.awaits_approval,
  held: documentStates.held,
} as const;

const states: Readonly<Record<ShownStatus, DocumentState>> = {
  not_synced: 'waiting',
  syncing: 'syncing',
  synced: 'synced',
  error: 'needs_you',
  awaits_approval: 'awaits_approval',
  held: 'held',
};

/**
 * Returns the specified columns of a kind.
 *
 * @param timeZone the client’s time zone (IANA name)
 */
export function columnsOf(kind: SubmittableKind, timeZone: string): readonly Column<Row>[] {
  const moment = dateColumn(timeZone);
  const status = statusOf(kind);
  if (kind === 'invoice')
    return [
      idOf(kind),
      status,
      { ...moment('syncedAt', 'Sync Date', ({ syncedAt }) => syncedAt), narrow: 'hide' },
      { ...text('name', 'Invoice Number', ({ name }) => name), narrowLabel: true },
      total,
      moment('createdAt', 'Created', ({ createdAt }) => createdAt),
      { ...moment('paidOn', 'Paid', ({ paidOn }) => paidOn), narrowLabel: true },
    ];
  if (kind === 'purchase_order')
    return [
      idOf(kind),
      status,
      { ...text('name', 'PO Number', ({ name }) => name), narrowLabel: true },
      { ...text('reference', 'External PO Number', ({ reference }) => reference), narrowLabel: true },
      moment('createdAt', 'Created', ({ createdAt }) => createdAt),
      { ...text('memo', 'Memo', ({ memo }) => memo), width: '22%', narrowLabel: true },
    ];
  return [
    idOf(kind),
    status,
    text('name', 'Name', ({ name }) => name),
    { ...text('reference', 'QuickBooks Reference Number', ({ reference }) => reference), narrowLabel: true },
    total,
    moment('createdAt', 'Submitted', ({ createdAt }) => createdAt),
  ];
}

const idOf = (kind: SubmittableKind): Column<Row> => ({
  key: 'id',
  head: 'ID',
  sort: 'id',
  compare: byNumber((row) => row.id),
  cell: (row) => (
    <span className={styles.document}>
      <span className={styles.id}>
        <DocumentLink type={kind} entityid={row.id}>
          {row.id}
        </DocumentLink>
      </span>
      <bdi className={styles.party}>{row.party}</bdi>
    </span>
  ),
  hasTwoLines: true,
  width: '190px',
  narrow: 'lead',
});

const order: readonly ShownStatus[] = ['error', 'held', 'awaits_approval', 'syncing', 'not_synced', 'synced'];

/** The tabs of a list: one for each status. */
export const statusTabs: readonly ListTab<Row>[] = order.map((status) => ({
  key: status,
  label: statusLabels[status],
  has: (row) => shownStatus(row) === status,
}));

const statusOf = (kind: SubmittableKind): Column<Row> => ({
  key: 'status',
  head: 'Sync Status',
  sort: 'status',
  compare: byNumber((row) => order.indexOf(shownStatus(row))),
  cell: (row) => <Status kind={kind} row={row} />,
  // Wide enough for a test result, so that the row height does not change while a job runs.
  width: '268px',
  narrow: 'title',
});

const total: Column<Row> = {
  key: 'total',
  head: 'Total',
  sort: 'total',
  compare: byDecimal((row) => row.total),
  cell: (row) => row.total !== null && formatMoney(row.total, row.currency),
  align: 'end',
  width: '130px',
  narrow: 'trail',
};

const text = (key: string, head: string, of: (row: Row) => string | null): Column<Row> => ({
  key,
  head,
  sort: key,
  compare: byText(of),
  cell: (row) => {
    const value = of(row);
    return value === null ? (
      ''
    ) : (
      <Box component="span" display="inline-block" miw={96} style={{ overflowWrap: 'anywhere' }}>
        <bdi>{value}</bdi>
      </Box>
    );
  },
});

/** A column with a date; the exact time is in the tooltip. */
const dateColumn =
  (timeZone: string) =>
  (key: string, head: string, of: (row: Row) => string | null): Column<Row> => ({
    key,
    head,
    sort: key,
    compare: byText(of),
    cell: (row) => {
      const at = of(row);
      if (at === null) return '';
      const [day, time] = dayAndTime(formatDateTime(at, timeZone));
      const isDay = /T00:00:00(\.0+)?Z$/.test(at) || !at.includes('T');
      return isDay ? (
        formatDate(at)
      ) : (
        <time dateTime={at} title={formatExactTime(at, timeZone)}>
          <Box component="span" style={{ whiteSpace: 'nowrap' }}>
            {day}
          </Box>{' '}
          <Box component="span" style={{ whiteSpace: 'nowrap' }}>
            {time}
          </Box>
        </time>
      );
    },
    width: '128px',
    narrowLabel: true,
  });

/** Splits a formatted time, so that it wraps only between day and time. */
function dayAndTime(text: string): readonly [day: string, time: string] {
  const end = text.lastIndexOf(', ') + 1;
  return end === 0 ? [text, ''] : [text.slice(0, end), text.slice(end + 1)];
}

function Status({ kind, row }: { kind: SubmittableKind; row: Row }) {
  const shown = shownStatus(row);
  const { live } = row;
  return (
    <Group component="span" gap="sm" display="inline-flex">
      <StateBadge state={states[shown]} label={statusLabels[shown]} />
      {(shown === 'error' || shown === 'held') && (live === null || live.isTest || live.logKey === null) && (
        <Link
          to={`/logs?${new URLSearchParams({ type: kind, mode: 'live', success: 'false', q: String(row.id) }).toString()}`}
          aria-label={`why: details of ${row.id}`}
        >
          why
        </Link>
      )}
      {shown === 'awaits_approval' && <ApprovalLink id={row.id} />}
      {live !== null && <Result row={row} live={live} />}
    </Group>
  );
}

function ApprovalLink({ id }: { id: number }) {
  const approval = useFindScreen()('/approval');
  return (
    approval !== null && (
      <Link to={approval.path} aria-label={`review: details of ${id}`}>
        review
      </Link>
    )
  );
}

const testLabels = {
  waiting: 'testing…',
  pending: 'testing…',
  succeeded: 'passed',
  failed: 'would fail',
  skipped: 'would be skipped',
  held: 'would be on hold',
} as const satisfies Record<LiveState['outcome'], string>;

/** Returns the text beside the status of a live job; null if the status is enough. */
const liveText = ({ outcome, logKey, awaitsApproval }: LiveState): string | null =>
  (outcome === 'failed' || (outcome === 'held' && !awaitsApproval)) && logKey !== null ? 'why' : null;

/** The result of the newest job of a row, with a link to its log entry. */
function Result({ row, live }: { row: Row; live: LiveState }) {
  const { isTest, outcome, logKey, message } = live;
  const text = isTest ? testLabels[outcome] : liveText(live);
  if (text === null) return null;
  return (
    <Group component="span" gap={6} wrap="nowrap" display="inline-flex" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
      {isTest && <ModeBadge mode="test" />}
      {logKey === null ? (
        text
      ) : (
        <Link
          to={`/logs?key=${encodeURIComponent(logKey)}`}
          title={message}
          aria-label={`${text}: details of ${row.id}`}
        >
          {text}
        </Link>
      )}
    </Group>
  );
}
