import { Group } from '@mantine/core';
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

/** The labels of the sync statuses. */
export const statusLabels = {
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
 * Returns the specified columns of a kind. The first one, with the name, takes the remaining width.
 *
 * @param timeZone the client’s time zone (IANA name)
 * @param hasTests whether to add the column of test results, which replaces a date in a narrow window
 */
export function columnsOf(kind: SubmittableKind, timeZone: string, hasTests: boolean): readonly Column<Row>[] {
  const moment = dateColumn(timeZone);
  const first = [idOf(kind), statusOf(kind), ...(hasTests ? [testColumn] : [])];
  const isLater = { from: hasTests ? 1440 : 900 } as const;
  if (kind === 'invoice')
    return [
      ...first,
      { ...moment('syncedAt', 'Sync Date', ({ syncedAt }) => syncedAt), from: hasTests ? 1440 : 1024 },
      { ...text('name', 'Invoice Number', ({ name }) => name), ...(hasTests && { from: 900 }) },
      total,
      { ...moment('createdAt', 'Created', ({ createdAt }) => createdAt), ...isLater },
      { ...moment('paidOn', 'Paid', ({ paidOn }) => paidOn), ...isLater },
    ];
  if (kind === 'purchase_order')
    return [
      ...first,
      { ...text('name', 'PO Number', ({ name }) => name) },
      { ...text('reference', 'External PO Number', ({ reference }) => reference), ...isLater },
      moment('createdAt', 'Created', ({ createdAt }) => createdAt),
      { ...text('memo', 'Memo', ({ memo }) => memo), width: '20%', ...isLater },
    ];
  return [
    ...first,
    { ...text('name', 'Name', ({ name }) => name), width: '22%', narrowLabel: false, from: 900 },
    { ...text('reference', 'QuickBooks Reference Number', ({ reference }) => reference), ...isLater },
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
      <bdi className={styles.line} title={row.party ?? undefined}>
        {row.party}
      </bdi>
    </span>
  ),
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
  width: 'clamp(148px, 14vw, 208px)',
  narrow: 'title',
});

/** The results of tests; only lists with a test have it. */
const testColumn: Column<Row> = {
  key: 'test',
  head: 'Test result',
  cell: ({ id, live }) =>
    live !== null && live.isTest && <Result id={id} live={live} text={testLabels[live.outcome]} />,
  width: 'clamp(176px, 13vw, 208px)',
  narrow: 'trail',
};

const total: Column<Row> = {
  key: 'total',
  head: 'Total',
  sort: 'total',
  compare: byDecimal((row) => row.total),
  cell: (row) => row.total !== null && formatMoney(row.total, row.currency),
  align: 'end',
  width: 'clamp(134px, 9vw, 176px)',
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
      <bdi className={styles.line} title={value}>
        {value}
      </bdi>
    );
  },
  width: 'clamp(104px, 9vw, 190px)',
  narrowLabel: true,
});

/** A column with a date on one line. The window decides whether the time has space; the exact time is in the tooltip. */
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
      const isDay = /T00:00:00(\.0+)?Z$/.test(at) || !at.includes('T');
      if (isDay) return <span className={styles.date}>{formatDate(at)}</span>;
      const [day, time] = dayAndTime(formatDateTime(at, timeZone));
      return (
        <time className={styles.date} dateTime={at} title={formatExactTime(at, timeZone)}>
          {day}
          <span className={styles.clock}>{time}</span>
        </time>
      );
    },
    width: 'clamp(106px, calc(22vw - 212px), 212px)',
    narrowLabel: true,
  });

/** Splits a formatted time into its day and its time. */
function dayAndTime(text: string): readonly [day: string, time: string] {
  const end = text.lastIndexOf(', ');
  return end < 0 ? [text, ''] : [text.slice(0, end), text.slice(end)];
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
      {live !== null && hasLiveDetails(live) && <Result id={row.id} live={live} text="why" />}
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

/** Returns true if the entry of a live job says more than the status. */
const hasLiveDetails = ({ isTest, outcome, logKey, awaitsApproval }: LiveState): boolean =>
  !isTest && (outcome === 'failed' || (outcome === 'held' && !awaitsApproval)) && logKey !== null;

/** The result of the newest job of a row, with a link to its log entry. */
function Result({ id, live: { isTest, logKey, message }, text: label }: { id: number; live: LiveState; text: string }) {
  return (
    <Group component="span" gap={6} wrap="nowrap" display="inline-flex" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
      {isTest && <ModeBadge mode="test" />}
      {logKey === null ? (
        label
      ) : (
        <Link to={`/logs?key=${encodeURIComponent(logKey)}`} title={message} aria-label={`${label}: details of ${id}`}>
          {label}
        </Link>
      )}
    </Group>
  );
}
