import { useQuery } from '@tanstack/react-query';
import { Link } from '../../lib/router.tsx';
import type { MonthReply } from '#contract/month.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { setMoney, setMonth, setSums, sumsByCurrency } from '../../lib/format.ts';
import { useNow } from '../../lib/now.ts';
import { activityQuery, attentionQuery, monthQuery } from '../../lib/queries.ts';
import { Icon } from '../../ui/icons.tsx';
import { Panel } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/states.tsx';
import styles from './month.module.css';
import { documentsOf } from '../needs-attention/headline.ts';
import { monthWords } from './words.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The shape of the month, before it is known whether both services are connected. */
export function MonthShape() {
  const { psa, accounting } = useEnvironment();
  return (
    <Panel title={monthWords.soFar(null)}>
      <dl className={styles.figures}>
        {[psa.label, accounting.short_label, monthWords.difference, monthWords.held].map((name) => (
          <Figure key={name} name={name} amount={undefined} of={undefined} isLoading />
        ))}
      </dl>
      <p className={styles.line}>{monthWords.lastDay} …</p>
    </Panel>
  );
}

/** This month in figures: what is in either service, what lies between them, what waits, and what ran in the last day. */
export function Month() {
  const { psa, accounting } = useEnvironment();
  const month = useQuery(monthQuery());
  const attention = useQuery(attentionQuery());
  // To the hour, so that the question stays the same for a while.
  const since = new Date(Math.floor(useNow() / hourMs) * hourMs - dayMs).toISOString();
  const activity = useQuery(activityQuery(since));
  const [main, ...others] = month.data?.currencies ?? [];
  const waiting = attention.data?.groups.filter(({ state }) => state === 'held') ?? [];
  const held = documentsOf(waiting);
  const needs = attention.data?.needs_you ?? 0;
  return (
    <Panel
      title={monthWords.soFar(month.data === undefined ? null : setMonth(month.data.from))}
      actions={
        needs > 0 && (
          <Link className={styles.needs} to="/needs-attention">
            <Icon name="warning" size={16} />
            {monthWords.needs(needs)}
          </Link>
        )
      }
    >
      <dl className={styles.figures} data-stale={month.isError && month.data !== undefined}>
        <Figure
          name={psa.label}
          amount={main?.psa_total}
          of={main}
          count={main?.psa_count}
          isLoading={month.isPending}
        />
        <Figure
          name={accounting.short_label}
          amount={main?.books_total}
          of={main}
          count={main?.books_count}
          isLoading={month.isPending}
        />
        <Figure
          name={monthWords.difference}
          amount={main?.difference}
          of={main}
          isLoading={month.isPending}
          note={unsyncedNote(month.data)}
        />
        <div>
          <dt>{monthWords.held}</dt>
          <dd>
            <span className={styles.amount}>
              {attention.data === undefined ? <Skeleton width={90} height={20} /> : heldWords(held)}
            </span>
            <span className={styles.note}>{monthWords.documents(held.length)}</span>
          </dd>
        </div>
      </dl>
      {month.isError && (
        <p className={styles.line} role="status">
          {monthWords.failed(month.error.message)}
        </p>
      )}
      {others.map((one) => (
        <p key={one.currency} className={styles.line}>
          {monthWords.other(
            one.currency,
            [psa.label, setMoney(one.psa_total, one.currency)],
            [accounting.short_label, setMoney(one.books_total, one.currency)],
            setMoney(one.difference, one.currency),
          )}
        </p>
      ))}
      <p className={styles.line}>
        {monthWords.lastDay}{' '}
        {activity.data === undefined ? (
          activity.isError ? (
            monthWords.unread
          ) : (
            '…'
          )
        ) : (
          <>
            <Link
              className={activity.data.failed > 0 ? styles.failed : undefined}
              to={`/logs?mode=live&success=false&after=${since.slice(0, 10)}`}
            >
              {monthWords.failures(activity.data.failed)}
            </Link>
            {', '}
            <Link to={`/logs?mode=live&success=true&after=${since.slice(0, 10)}`}>
              {monthWords.synced(activity.data.synced)}
            </Link>
          </>
        )}
      </p>
    </Panel>
  );
}

function Figure({
  name,
  amount,
  of,
  count,
  note,
  isLoading,
}: {
  name: string;
  amount: string | undefined;
  of: MonthReply['currencies'][number] | undefined;
  count?: number | undefined;
  note?: React.ReactNode;
  isLoading: boolean;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <span className={styles.amount}>
          {isLoading ? (
            <Skeleton width={120} height={20} />
          ) : amount === undefined ? (
            '—'
          ) : (
            setMoney(amount, of?.currency ?? null)
          )}
        </span>
        <span className={styles.note}>{note ?? (count === undefined ? '' : monthWords.invoices(count))}</span>
      </dd>
    </div>
  );
}

function unsyncedNote(month: MonthReply | undefined) {
  if (month === undefined) return '';
  const { count, oldest_id: oldest } = month.unsynced;
  if (count === 0) return monthWords.allSynced;
  return (
    <>
      {monthWords.unsynced(count)}
      {oldest !== null && (
        <>
          {monthWords.oldest}
          <Link className={styles.inText} to={`/my-invoices?by=id&id=${oldest}`}>
            {oldest}
          </Link>
        </>
      )}
    </>
  );
}

const heldWords = (held: Parameters<typeof sumsByCurrency>[0]): string => {
  const sums = setSums(sumsByCurrency(held));
  return sums === '' ? '—' : sums;
};
