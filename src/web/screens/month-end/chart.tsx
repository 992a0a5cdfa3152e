import { Group } from '@mantine/core';
import type { CloseHeadReply } from '#contract/closes.ts';
import { monthOf, month as toMonth, previousMonth, type Month } from '#core/reconciliation/month.ts';
import { calendarDate } from '#core/values/dates.ts';
import { useEnvironment } from '../../data/environment.ts';
import { formatMoney, formatMonth } from '../../data/format.ts';
import { ChartKey } from '../../components/chart-key.tsx';
import styles from './month-end.module.css';

const shown = 12;
const height = 132;
const barWidth = 14;
const step = 62;
const base = height - 22;

/** Shows two bars per month, one for each system, and marks unexplained differences. */
export function MonthChart({ months, onOpen }: { months: readonly CloseHeadReply[]; onOpen: (month: string) => void }) {
  const { psa } = useEnvironment();
  const byMonth = new Map(months.map((one) => [one.month, one]));
  const range = lastMonths(months[0]?.month);
  const currency = months[0]?.totals[0]?.currency ?? 'USD';
  const of = (month: string) => byMonth.get(month)?.totals.find((one) => one.currency === currency);
  const highest = Math.max(
    1,
    ...range.flatMap((month) => [Number(of(month)?.psa_total ?? 0), Number(of(month)?.accounting_total ?? 0)]),
  );
  const length = (amount: string | undefined) => Math.max(0, (Number(amount ?? 0) / highest) * (base - 14));
  return (
    <figure className={styles.chart}>
      <svg
        viewBox={`0 0 ${step * shown} ${height}`}
        role="img"
        aria-label={`Sales of the last 12 months in ${psa.label} and QuickBooks, in ${currency}`}
      >
        <line x1="0" x2={step * shown} y1={base} y2={base} stroke="var(--tb-border-strong)" />
        {range.map((month, index) => {
          const totals = of(month);
          const x = index * step + (step - barWidth * 2 - 3) / 2;
          const isOff = totals !== undefined && Number(totals.unexplained) !== 0;
          return (
            <g
              key={month}
              className={styles.month}
              data-known={totals !== undefined}
              onClick={() => totals !== undefined && onOpen(month)}
            >
              <title>
                {totals === undefined
                  ? `${formatMonth(month)}: not prepared`
                  : `${formatMonth(month)}: ${psa.label} ${formatMoney(totals.psa_total, currency)}, QuickBooks ${formatMoney(totals.accounting_total, currency)}, unexplained ${formatMoney(totals.unexplained, currency)}`}
              </title>
              <rect x={index * step} y="0" width={step} height={height} className={styles.hit} />
              {totals === undefined ? (
                <rect x={x} y={base - 2} width={barWidth * 2 + 3} height="2" fill="var(--tb-border)" />
              ) : (
                <>
                  {[totals.psa_total, totals.accounting_total].map((amount, bar) => (
                    <rect
                      key={bar === 0 ? 'psa' : 'accounting'}
                      x={x + bar * (barWidth + 3)}
                      y={base - length(amount)}
                      width={barWidth}
                      height={length(amount)}
                      rx="2"
                      fill={bar === 0 ? 'var(--tb-border-strong)' : 'var(--tb-accent)'}
                    />
                  ))}
                  {isOff && (
                    <circle
                      cx={x + barWidth + 1.5}
                      cy={base - Math.max(length(totals.psa_total), length(totals.accounting_total)) - 8}
                      r="4"
                      fill="var(--tb-bad)"
                    />
                  )}
                </>
              )}
              <text x={index * step + step / 2} y={height - 6} className={styles.tick}>
                {shortMonth(month)}
              </text>
            </g>
          );
        })}
      </svg>
      <Legend psa={psa.label} />
    </figure>
  );
}

const Legend = ({ psa }: { psa: string }) => (
  <Group component="figcaption" gap="8px 16px" pt="sm">
    <ChartKey color="var(--tb-border-strong)">{psa}</ChartKey>
    <ChartKey color="var(--tb-accent)">QuickBooks</ChartKey>
    <ChartKey color="var(--tb-bad)">Unexplained difference</ChartKey>
  </Group>
);

/** Returns 12 months up to the newest prepared month, or up to the current month if none is prepared. */
function lastMonths(newest: string | undefined): readonly Month[] {
  const end = newest === undefined ? monthOf(calendarDate(new Date().toISOString().slice(0, 10))) : toMonth(newest);
  const range = [end];
  while (range.length < shown) range.unshift(previousMonth(range[0] ?? end));
  return range;
}

const names = new Intl.DateTimeFormat('en-US', { month: 'short', timeZone: 'UTC' });
const shortMonth = (month: Month): string =>
  `${names.format(new Date(`${month}-01T00:00:00Z`))}${month.endsWith('-01') ? ` ${month.slice(2, 4)}` : ''}`;
