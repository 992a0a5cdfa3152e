import { Link } from '../../lib/router.tsx';
import type { SubmittableKind } from '#core/kinds.ts';
import { syncStatuses, type SyncStatus } from '#core/sync-status.ts';
import { byDecimal, byNumber, byText } from '../../lib/compare.ts';
import { setCalendarDay, setDateTimeIn, setMoney, setTimeIn } from '../../lib/format.ts';
import { type DocumentState, ModeBadge, StateBadge } from '../../ui/badge.tsx';
import type { Column } from '../../ui/table.tsx';
import type { PsaDocument } from './documents.ts';
import type { LiveState } from './live-states.ts';
import styles from './sync-screen.module.css';

/** A document as its row shows it. */
export interface Row extends PsaDocument {
  /** Of its total, in three letters; null until the server has said it. */
  readonly currency: string | null;
  readonly live: LiveState | null;
}

const states: Readonly<Record<SyncStatus, DocumentState>> = {
  not_synced: 'waiting',
  syncing: 'syncing',
  synced: 'synced',
  error: 'needs_you',
};

/** The status to show: a live job under way knows more than the PSA. */
export function shownStatus({ status, live }: Pick<Row, 'status' | 'live'>): SyncStatus {
  if (live === null || live.isTest) return status;
  if (live.outcome === 'waiting' || live.outcome === 'pending') return 'syncing';
  if (live.outcome === 'succeeded') return 'synced';
  return live.outcome === 'failed' ? 'error' : status;
}

/**
 * The columns of a kind, as specified, in their order.
 *
 * @param timeZone that of the client, in which its log speaks too
 */
export function columnsOf(kind: SubmittableKind, timeZone: string): readonly Column<Row>[] {
  const moment = momentIn(timeZone);
  if (kind === 'invoice')
    return [
      id,
      status,
      { ...moment('syncedAt', 'Sync Date', ({ syncedAt }) => syncedAt), narrow: 'hide' },
      text('name', 'Invoice Number', ({ name }) => name),
      total,
      moment('madeAt', 'Created', ({ madeAt }) => madeAt),
      { ...moment('paidOn', 'Paid', ({ paidOn }) => paidOn), narrowLabel: true },
    ];
  if (kind === 'purchase_order')
    return [
      id,
      status,
      text('name', 'PO Number', ({ name }) => name),
      { ...text('reference', 'External PO Number', ({ reference }) => reference), narrowLabel: true },
      moment('madeAt', 'Created', ({ madeAt }) => madeAt),
      { ...text('memo', 'Memo', ({ memo }) => memo), width: '28%' },
    ];
  return [
    id,
    status,
    text('name', 'Name', ({ name }) => name),
    { ...text('reference', 'QuickBooks Reference Number', ({ reference }) => reference), narrowLabel: true },
    total,
    moment('madeAt', 'Submitted', ({ madeAt }) => madeAt),
  ];
}

const id: Column<Row> = {
  key: 'id',
  head: 'ID',
  sort: 'id',
  compare: byNumber((row) => row.id),
  cell: (row) => <span className={styles.id}>{row.id}</span>,
  ghost: 44,
  width: '84px',
  narrow: 'lead',
};

const order: readonly SyncStatus[] = ['error', 'syncing', 'not_synced', 'synced'];

const status: Column<Row> = {
  key: 'status',
  head: 'Sync Status',
  sort: 'status',
  compare: byNumber((row) => order.indexOf(shownStatus(row))),
  cell: (row) => <Status row={row} />,
  ghost: 84,
  width: '190px',
  narrow: 'title',
};

const total: Column<Row> = {
  key: 'total',
  head: 'Total',
  sort: 'total',
  compare: byDecimal((row) => row.total),
  cell: (row) => row.total !== null && setMoney(row.total, row.currency),
  align: 'end',
  ghost: 64,
  width: '130px',
  narrow: 'trail',
};

const text = (key: string, head: string, of: (row: Row) => string | null): Column<Row> => ({
  key,
  head,
  sort: key,
  compare: byText(of),
  cell: (row) => <span className={styles.text}>{of(row) ?? ''}</span>,
  ghost: 90,
});

/** A day, with the exact time in its tooltip where there is one. */
const momentIn =
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
      return isDay ? (
        setCalendarDay(at)
      ) : (
        <time dateTime={at} title={setTimeIn(at, timeZone)}>
          {setDateTimeIn(at, timeZone)}
        </time>
      );
    },
    ghost: 80,
    narrowLabel: true,
  });

const testWords = {
  waiting: 'testing…',
  pending: 'testing…',
  succeeded: 'passed',
  failed: 'would fail',
  skipped: 'would be skipped',
  held: 'would be held',
} as const satisfies Record<LiveState['outcome'], string>;

function Status({ row }: { row: Row }) {
  const shown = shownStatus(row);
  const { live } = row;
  const words =
    live?.outcome === 'held' && !live.isTest ? 'held' : live?.isTest === true ? testWords[live.outcome] : null;
  const result = words !== null && live !== null && (
    <span className={styles.result}>
      {live.isTest && <ModeBadge mode="test" />}
      {live.logKey === null ? (
        words
      ) : (
        <Link
          to={`/logs?key=${encodeURIComponent(live.logKey)}`}
          title={live.message}
          aria-label={`${words}: details of ${row.id}`}
        >
          {words}
        </Link>
      )}
    </span>
  );
  return (
    <span className={styles.status}>
      <StateBadge state={states[shown]} label={syncStatuses[shown]} />
      {result}
    </span>
  );
}
