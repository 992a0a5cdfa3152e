import { Anchor, Box, Text, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { MoneyReply } from '#contract/money.ts';
import type { MonthReply } from '#contract/month.ts';
import { useEnvironment } from '../../data/environment.ts';
import {
  countOf,
  formatDate,
  formatMoney,
  formatMonth,
  formatMonthName,
  formatSums,
  sumsByCurrency,
} from '../../data/format.ts';
import { attentionQuery, monthQuery } from '../../data/queries.ts';
import { Link } from 'react-router';
import { Panel } from '../../components/page.tsx';
import { Skeleton } from '../../components/states.tsx';
import { documentsOf } from '../needs-attention/summaries.ts';
import { everyDay } from './chart.tsx';
import styles from './overview.module.css';
import { Sparkline } from './sparkline.tsx';

/** A placeholder until the connections are known. */
export function FiguresPlaceholder() {
  const { psa, accounting } = useEnvironment();
  return (
    <Panel title="This month so far">
      <dl className={styles.row}>
        {[psa.label, accounting.short_label, 'Difference', 'On hold'].map((name) => (
          <Figure key={name} name={name} amount={null} />
        ))}
      </dl>
    </Panel>
  );
}

/**
 * This month’s totals in both services, their difference, and documents on hold.
 *
 * @param money null before the first sync: then without a comparison, in one row
 */
export function Figures({ money }: { money: MoneyReply | null }) {
  const { psa, accounting } = useEnvironment();
  const month = useQuery(monthQuery());
  const attention = useQuery(attentionQuery());
  const [main, ...others] = month.data?.currencies ?? [];
  const held = documentsOf((attention.data?.groups ?? []).filter(({ state }) => state === 'held'));
  const amountOf = (amount: string | undefined) =>
    month.isPending ? null : amount === undefined ? '—' : formatMoney(amount, main?.currency ?? null);
  const countText = (count: number | undefined) => (count === undefined ? '' : countOf(count, 'invoice'));
  return (
    <Panel title={`${month.data === undefined ? 'This month' : formatMonth(month.data.from)} so far`}>
      <dl
        className={money === null ? styles.row : styles.beside}
        data-stale={month.isError && month.data !== undefined}
      >
        <Figure
          name={psa.label}
          amount={amountOf(main?.psa_total)}
          note={countText(main?.psa_count)}
          course={money === null ? null : { money, of: 'invoiced' }}
        />
        <Figure
          name={accounting.short_label}
          amount={amountOf(main?.accounting_total)}
          note={countText(main?.accounting_count)}
          course={money === null ? null : { money, of: 'posted' }}
        />
        <Figure
          name="Difference"
          amount={amountOf(main?.difference)}
          note={unsyncedNote(month.data)}
          isBad={main !== undefined && Number(main.difference) !== 0}
        />
        <Figure
          name="On hold"
          amount={attention.data === undefined ? null : formatSums(sumsByCurrency(held)) || '—'}
          note={countOf(held.length, 'document')}
        />
      </dl>
      {month.isError && (
        <Text c="soft" size="xs" mt="sm" role="status">
          The comparison failed: {month.error.message}
        </Text>
      )}
      {others.map((one) => (
        <Text key={one.currency} c="soft" size="xs" mt="sm">
          {money === null &&
            `${psa.label} ${formatMoney(one.psa_total, one.currency)}, ${accounting.short_label} ${formatMoney(one.accounting_total, one.currency)}, `}
          Difference in {one.currency}: {formatMoney(one.difference, one.currency)}
        </Text>
      ))}
    </Panel>
  );
}

interface FigureProps {
  name: string;
  amount: string | null;
  note?: ReactNode;
  course?: { readonly money: MoneyReply; readonly of: 'invoiced' | 'posted' } | null;
  isBad?: boolean;
}

/** @param amount null while it loads */
function Figure({ name, amount, note = '', course = null, isBad = false }: FigureProps) {
  const noteText = (
    <Text component="dd" c="dimmed" size="xs" className={styles.note ?? ''}>
      {note}
      {course !== null && note !== '' && <Compared {...course} />}
    </Text>
  );
  return (
    <div className={styles.figure}>
      <Text component="dt" c="dimmed" size="xs" data-wide={course === null}>
        {name}
      </Text>
      {course !== null && noteText}
      <Text component="dd" mih={24} fz={18} fw={600} lh="24px" {...(isBad && { c: 'red' })}>
        {amount ?? <Skeleton width={120} height={20} />}
      </Text>
      {course === null ? (
        noteText
      ) : (
        <Box component="dd" ta="end" lh={0}>
          <Sparkline values={courseOf(course.money, course.of)} />
        </Box>
      )}
    </div>
  );
}

/** The total of this month after each day. */
function courseOf({ days, this_month: { from, through } }: MoneyReply, of: 'invoiced' | 'posted'): number[] {
  let total = 0;
  const totals = everyDay(days, from, through).map((day) => (total += Number(day[of])));
  return [0, ...totals];
}

/** Larger changes are shown as the amount of the month before, because their percentage says nothing. */
const maxPercent = 999;

/** The change of a total against the same days of the month before; nothing if there was none. */
function Compared({ money, of }: { money: MoneyReply; of: 'invoiced' | 'posted' }) {
  const { this_month: now, last_month: before } = money;
  if (Number(before[of]) === 0) return null;
  const percent = Math.round((Number(now[of]) / Number(before[of]) - 1) * 100);
  const month = formatMonthName(before.from);
  return (
    <>
      {' · '}
      {Math.abs(percent) <= maxPercent
        ? `${percent < 0 ? '−' : '+'}${Math.abs(percent)}% vs. ${month}`
        : `${formatMoney(before[of], money.currency)} in ${month}`}
      <VisuallyHidden>
        , {formatDate(before.from)} to {formatDate(before.through)}
      </VisuallyHidden>
    </>
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
          <Anchor inherit underline="always" component={Link} to={`/my-invoices?by=id&id=${oldest}`}>
            {oldest}
          </Anchor>
        </>
      )}
    </>
  );
}
