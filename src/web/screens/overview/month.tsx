import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { MonthReply } from '#contract/month.ts';
import { useEnvironment } from '../../data/environment.ts';
import { formatMoney, formatMonth, formatSums, sumsByCurrency, countOf, formatCount } from '../../data/format.ts';
import { useNow } from '../../data/use-now.ts';
import { activityQuery, attentionQuery, monthQuery } from '../../data/queries.ts';
import { Icon } from '../../components/icons.tsx';
import { Panel } from '../../components/page.tsx';
import { Skeleton } from '../../components/states.tsx';
import styles from './month.module.css';
import { documentsOf } from '../needs-attention/summaries.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** A placeholder until the connections are known. */
export function MonthPlaceholder() {
  const { psa, accounting } = useEnvironment();
  return (
    <Panel title="This month so far">
      <dl className={styles.figures}>
        {[psa.label, accounting.short_label, 'Difference', 'On hold'].map((name) => (
          <Figure key={name} name={name} amount={undefined} of={undefined} isLoading />
        ))}
      </dl>
      <p className={styles.line}>Last 24 hours: …</p>
    </Panel>
  );
}

/** This month’s totals in both services, their difference, documents on hold, and the last day’s syncs. */
export function Month() {
  const { psa, accounting } = useEnvironment();
  const month = useQuery(monthQuery());
  const attention = useQuery(attentionQuery());
  // Rounded to the hour, so that the query key changes rarely.
  const since = new Date(Math.floor(useNow() / hourMs) * hourMs - dayMs).toISOString();
  const activity = useQuery(activityQuery(since));
  const [main, ...others] = month.data?.currencies ?? [];
  const heldGroups = attention.data?.groups.filter(({ state }) => state === 'held') ?? [];
  const held = documentsOf(heldGroups);
  const needs = attention.data?.needs_you ?? 0;
  return (
    <Panel
      title={`${month.data === undefined ? 'This month' : formatMonth(month.data.from)} so far`}
      actions={
        needs > 0 && (
          <Link className={styles.needs} to="/needs-attention">
            <Icon name="warning" size={16} />
            {countOf(needs, 'document')} {needs === 1 ? 'needs' : 'need'} attention
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
          name="Difference"
          amount={main?.difference}
          of={main}
          isLoading={month.isPending}
          note={unsyncedNote(month.data)}
        />
        <div>
          <dt>On hold</dt>
          <dd>
            <span className={styles.amount}>
              {attention.data === undefined ? <Skeleton width={90} height={20} /> : totalText(held)}
            </span>
            <span className={styles.note}>{countOf(held.length, 'document')}</span>
          </dd>
        </div>
      </dl>
      {month.isError && (
        <p className={styles.line} role="status">
          The comparison failed: {month.error.message}
        </p>
      )}
      {others.map((one) => (
        <p key={one.currency} className={styles.line}>
          In {one.currency}: {psa.label} {formatMoney(one.psa_total, one.currency)}, {accounting.short_label}{' '}
          {formatMoney(one.books_total, one.currency)}, difference {formatMoney(one.difference, one.currency)}
        </p>
      ))}
      <p className={styles.line}>
        Last 24 hours:{' '}
        {activity.data === undefined ? (
          activity.isError ? (
            'not available'
          ) : (
            '…'
          )
        ) : (
          <>
            <Link
              className={activity.data.failed > 0 ? styles.failed : undefined}
              to={`/logs?mode=live&success=false&after=${since.slice(0, 10)}`}
            >
              {formatCount(activity.data.failed)} failed
            </Link>
            {', '}
            <Link to={`/logs?mode=live&success=true&after=${since.slice(0, 10)}`}>
              {formatCount(activity.data.synced)} synced
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
            formatMoney(amount, of?.currency ?? null)
          )}
        </span>
        <span className={styles.note}>{note ?? (count === undefined ? '' : countOf(count, 'invoice'))}</span>
      </dd>
    </div>
  );
}

function unsyncedNote(month: MonthReply | undefined) {
  if (month === undefined) return '';
  const { count, oldest_id: oldest } = month.unsynced;
  if (count === 0) return 'All synced';
  return (
    <>
      {countOf(count, 'invoice')} not synced
      {oldest !== null && (
        <>
          {', the oldest '}
          <Link className={styles.inText} to={`/my-invoices?by=id&id=${oldest}`}>
            {oldest}
          </Link>
        </>
      )}
    </>
  );
}

const totalText = (documents: Parameters<typeof sumsByCurrency>[0]): string => {
  const sums = formatSums(sumsByCurrency(documents));
  return sums === '' ? '—' : sums;
};
