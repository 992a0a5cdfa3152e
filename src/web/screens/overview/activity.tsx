import { zoneName } from '../../lib/format.ts';
import { useTimeZone } from '../../lib/use-time-zone.ts';
import { Link } from '../../lib/router.tsx';
import { kinds, type SubmittableKind, submittableKinds } from '#core/kinds.ts';
import type { SubscriptionState } from '#contract/subscription.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { readLastInfo } from '../../lib/last-info.ts';
import { Button } from '../../ui/button.tsx';
import { Panel } from '../../ui/page.tsx';
import { type Column, DataTable } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import styles from './overview.module.css';
import { activityWords } from './words.ts';

const { heads } = activityWords;

/** The letters by which the state names each kind. */
const stems = { invoice: 'inv', purchase_order: 'po', expense_report: 'exp' } as const satisfies Record<
  SubmittableKind,
  string
>;

interface Row {
  readonly kind: SubmittableKind;
  readonly checkedAt: string | null;
  readonly syncedAt: string | null;
  readonly info: string | null;
}

// A text that cannot be read counts as empty; whoever looks into it finds it here.
// oxlint-disable-next-line no-console
const report = (problem: string) => console.warn(problem);

/**
 * The last look and the last sync of each kind, and the button that does it now.
 *
 * @param state undefined while it loads, null without a subscription.
 * @param whyNot why the buttons of a kind are disabled; null when they are not.
 */
export function Activity({
  state,
  whyNot,
  isBusy,
  isStale,
  onSyncNow,
}: {
  state: SubscriptionState | null | undefined;
  whyNot: (kind: SubmittableKind) => string | null;
  /** A request runs: the dialog must not open with data that is being replaced. */
  isBusy: boolean;
  /** The last refresh has failed: the rows are those from before. */
  isStale: boolean;
  onSyncNow: (kind: SubmittableKind) => void;
}) {
  const { psa, accounting } = useEnvironment();
  const timeZone = useTimeZone();
  const reasons = [...new Set(submittableKinds.flatMap((kind) => whyNot(kind) ?? []))];
  const rows =
    state === undefined
      ? undefined
      : submittableKinds.map((kind): Row => {
          const stem = stems[kind];
          return {
            kind,
            checkedAt: state?.[`last_${stem}_poll`] ?? null,
            syncedAt: state?.[`last_${stem}_sync`] ?? null,
            info: state?.[`last_${stem}_info`] ?? null,
          };
        });
  const columns: readonly Column<Row>[] = [
    {
      key: 'kind',
      head: heads.type,
      cell: ({ kind }) => <strong className={styles.kind}>{kinds[kind].plural}</strong>,
      width: '20%',
      ghost: 90,
      narrow: 'lead',
    },
    {
      key: 'checked',
      head: heads.checked,
      cell: ({ checkedAt }) => <Moment at={checkedAt} />,
      width: '18%',
      ghost: 70,
      narrowLabel: true,
    },
    {
      key: 'synced',
      head: heads.synced,
      cell: ({ syncedAt }) => <Moment at={syncedAt} />,
      width: '18%',
      ghost: 70,
      narrowLabel: true,
    },
    {
      key: 'info',
      head: heads.info,
      cell: ({ kind, info }) => <LastDocument kind={kind} info={info} psa={psa.label} books={accounting.short_label} />,
      ghost: 150,
    },
    {
      key: 'action',
      head: '',
      cell: ({ kind }) => (
        <Button
          variant="default"
          size="xs"
          data-size="xs"
          disabled={isBusy || whyNot(kind) !== null}
          title={whyNot(kind) ?? undefined}
          aria-label={activityWords.syncNowOf(kind)}
          onClick={() => onSyncNow(kind)}
        >
          {activityWords.syncNow}
        </Button>
      ),
      align: 'end',
      width: '120px',
      ghost: 76,
      narrow: 'trail',
    },
  ];
  return (
    <Panel
      title={activityWords.title}
      actions={<span className={styles.dim}>{activityWords.zone(zoneName(timeZone))}</span>}
      flush
    >
      <DataTable
        label={activityWords.title}
        columns={columns}
        rows={rows}
        rowKey={({ kind }) => kind}
        isStale={isStale}
      />
      {state !== undefined &&
        reasons.map((reason) => (
          <p key={reason} className={styles.whyNot}>
            {reason}
          </p>
        ))}
    </Panel>
  );
}

function Moment({ at }: { at: string | null }) {
  return at === null ? <span className={styles.dim}>{activityWords.never}</span> : <When at={at} />;
}

function LastDocument({
  kind,
  info,
  psa,
  books,
}: {
  kind: SubmittableKind;
  info: string | null;
  psa: string;
  books: string;
}) {
  const last = readLastInfo(kind, info, report);
  if (last === null) return null;
  const words = (
    <>
      {last.target !== null && `${books} ${kind === 'expense_report' ? activityWords.bill : ''}${last.target}`}
      {last.target !== null && last.psaId !== null && ' ← '}
      {last.psaId !== null && `${psa} ${last.psaId}`}
    </>
  );
  return (
    <>
      {last.psaId === null ? words : <Link to={`/logs?type=${kind}&q=${encodeURIComponent(last.psaId)}`}>{words}</Link>}
      {last.count > 1 && <span className={styles.dim}>{activityWords.more(last.count - 1)}</span>}
    </>
  );
}
