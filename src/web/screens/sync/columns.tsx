import { Link } from '../../lib/router.tsx';
import type { SubmittableKind } from '#core/kinds.ts';
import { syncStatuses, type SyncStatus } from '#core/sync-status.ts';
import { byDecimal, byNumber, byText } from '../../lib/compare.ts';
import { setCalendarDay, setDateTimeIn, setMoney, setTimeIn } from '../../lib/format.ts';
import { type DocumentState, documentStates, ModeBadge, StateBadge } from '../../ui/badge.tsx';
import { useReachable } from '../../ui/reachable.ts';
import type { Column } from '../../ui/table.tsx';
import type { PsaDocument } from './documents.ts';
import type { LiveState } from './live-states.ts';
import styles from './sync-screen.module.css';
import { heads, syncWords, testWords } from './words.ts';

/** A document as its row shows it. */
export interface Row extends PsaDocument {
  /** The customer, the vendor or the employee; null until the server has said it, and where the PSA does not tell. */
  readonly party: string | null;
  /** Of its total, in three letters; null until the server has said it. */
  readonly currency: string | null;
  readonly live: LiveState | null;
  /** A draft of it waits; false until the server has said it. */
  readonly awaitsApproval: boolean;
}

type ShownStatus = SyncStatus | 'awaits_approval';

const words = { ...syncStatuses, awaits_approval: documentStates.awaits_approval } as const;

const states: Readonly<Record<ShownStatus, DocumentState>> = {
  not_synced: 'waiting',
  syncing: 'syncing',
  synced: 'synced',
  error: 'needs_you',
  awaits_approval: 'awaits_approval',
};

/** The status to show: a live job under way knows more than the PSA. */
export function shownStatus({
  status,
  live,
  awaitsApproval,
}: Pick<Row, 'status' | 'live' | 'awaitsApproval'>): ShownStatus {
  const known = awaitsApproval && status !== 'synced' && status !== 'syncing' ? 'awaits_approval' : status;
  if (live === null || live.isTest) return known;
  if (live.outcome === 'waiting' || live.outcome === 'pending') return 'syncing';
  if (live.outcome === 'succeeded') return 'synced';
  return live.outcome === 'failed' ? 'error' : known;
}

/**
 * The columns of a kind, as specified, in their order.
 *
 * @param timeZone that of the client, in which its log speaks too
 */
export function columnsOf(kind: SubmittableKind, timeZone: string): readonly Column<Row>[] {
  const moment = momentIn(timeZone);
  const status = statusOf(kind);
  if (kind === 'invoice')
    return [
      id,
      status,
      { ...moment('syncedAt', heads.syncedAt, ({ syncedAt }) => syncedAt), narrow: 'hide' },
      text('name', heads.invoiceNumber, ({ name }) => name),
      total,
      moment('madeAt', heads.created, ({ madeAt }) => madeAt),
      { ...moment('paidOn', heads.paid, ({ paidOn }) => paidOn), narrowLabel: true },
    ];
  if (kind === 'purchase_order')
    return [
      id,
      status,
      text('name', heads.orderNumber, ({ name }) => name),
      { ...text('reference', heads.externalNumber, ({ reference }) => reference), narrowLabel: true },
      moment('madeAt', heads.created, ({ madeAt }) => madeAt),
      { ...text('memo', heads.memo, ({ memo }) => memo), width: '22%' },
    ];
  return [
    id,
    status,
    text('name', heads.name, ({ name }) => name),
    { ...text('reference', heads.reference, ({ reference }) => reference), narrowLabel: true },
    total,
    moment('madeAt', heads.submitted, ({ madeAt }) => madeAt),
  ];
}

const id: Column<Row> = {
  key: 'id',
  head: heads.id,
  sort: 'id',
  compare: byNumber((row) => row.id),
  cell: (row) => (
    <span className={styles.document}>
      <span className={styles.id}>{row.id}</span>
      <span className={styles.party}>{row.party}</span>
    </span>
  ),
  ghost: 44,
  ghostUnder: 110,
  width: '190px',
  narrow: 'lead',
};

const order: readonly ShownStatus[] = ['error', 'awaits_approval', 'syncing', 'not_synced', 'synced'];

const statusOf = (kind: SubmittableKind): Column<Row> => ({
  key: 'status',
  head: heads.status,
  sort: 'status',
  compare: byNumber((row) => order.indexOf(shownStatus(row))),
  cell: (row) => <Status kind={kind} row={row} />,
  ghost: 84,
  // Wide enough for the result of a test beside it, so that rows keep their height while a job runs.
  width: '268px',
  narrow: 'title',
});

const total: Column<Row> = {
  key: 'total',
  head: heads.total,
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
  cell: (row) => {
    const value = of(row);
    return value === null ? '' : <span className={styles.text}>{value}</span>;
  },
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
      const [day, time] = dayAndTime(setDateTimeIn(at, timeZone));
      const isDay = /T00:00:00(\.0+)?Z$/.test(at) || !at.includes('T');
      return isDay ? (
        setCalendarDay(at)
      ) : (
        <time dateTime={at} title={setTimeIn(at, timeZone)}>
          <span className={styles.unbroken}>{day}</span> <span className={styles.unbroken}>{time}</span>
        </time>
      );
    },
    ghost: 80,
    width: '128px',
    narrowLabel: true,
  });

/** Day and time, each of which stays in one piece where both do not fit into one line. */
function dayAndTime(set: string): readonly [day: string, time: string] {
  const end = set.lastIndexOf(', ') + 1;
  return end === 0 ? [set, ''] : [set.slice(0, end), set.slice(end + 1)];
}

function Status({ kind, row }: { kind: SubmittableKind; row: Row }) {
  const shown = shownStatus(row);
  const { live } = row;
  return (
    <span className={styles.status}>
      <StateBadge state={states[shown]} label={words[shown]} />
      {shown === 'error' && (live === null || live.isTest || live.logKey === null) && (
        <Link
          to={`/logs?${new URLSearchParams({ type: kind, mode: 'live', success: 'false', q: String(row.id) }).toString()}`}
          aria-label={syncWords.details(syncWords.why, row.id)}
        >
          {syncWords.why}
        </Link>
      )}
      {shown === 'awaits_approval' && <ToApproval id={row.id} />}
      {live !== null && <Result row={row} live={live} />}
    </span>
  );
}

function ToApproval({ id }: { id: number }) {
  const approval = useReachable()('/approval');
  return (
    approval !== null && (
      <Link to={approval.path} aria-label={syncWords.details(syncWords.review, id)}>
        {syncWords.review}
      </Link>
    )
  );
}

/** The word beside the status of a live job; null where the status says it all. */
const liveWordOf = ({ outcome, logKey }: LiveState): string | null =>
  outcome === 'held' ? syncWords.held : outcome === 'failed' && logKey !== null ? syncWords.why : null;

/** The result of the newest job of a row, with the way to its log entry; nothing where the status says it all. */
function Result({ row, live }: { row: Row; live: LiveState }) {
  const { isTest, outcome, logKey, message } = live;
  const words = isTest ? testWords[outcome] : liveWordOf(live);
  if (words === null) return null;
  return (
    <span className={styles.result}>
      {isTest && <ModeBadge mode="test" />}
      {logKey === null ? (
        words
      ) : (
        <Link
          to={`/logs?key=${encodeURIComponent(logKey)}`}
          title={message}
          aria-label={syncWords.details(words, row.id)}
        >
          {words}
        </Link>
      )}
    </span>
  );
}
