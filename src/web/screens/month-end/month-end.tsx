import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from 'react-router';
import type { CloseHeadReply } from '#contract/closes.ts';
import { isMonth, monthOf, previousMonth } from '#core/reconciliation/month.ts';
import { calendarDate } from '#core/values/dates.ts';
import { useEnvironment } from '../../data/environment.ts';
import { formatMoney, formatMonth, zoneName } from '../../data/format.ts';
import { useTimeZone } from '../../data/use-time-zone.ts';
import { FailedPanel, Page, Panel } from '../../components/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import { type Column, DataTable } from '../../components/table.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { TwoLines } from '../../components/two-lines.tsx';
import { MonthChart } from './chart.tsx';
import { MonthScreen } from './month.tsx';
import { closesQuery, CloseStateBadge, Unexplained } from './parts.tsx';

/** Shows the month in the address, or the list of all prepared months. */
export function Component() {
  const { month } = useParams();
  return month !== undefined && isMonth(month) ? <MonthScreen key={month} month={month} /> : <Months />;
}

const lastMonth = (): string => previousMonth(monthOf(calendarDate(new Date().toISOString().slice(0, 10))));

function Months() {
  const timeZone = useTimeZone();
  const list = useQuery(closesQuery());
  const navigate = useNavigate();
  const open = (month: string) => void navigate(`/month-end/${month}`);
  const { psa } = useEnvironment();
  const next = nextToClose(list.data);
  return (
    <Page
      title="Month-end close"
      lead="Compare both systems for each month, then sign off with two people."
      actions={<Button onClick={() => open(next)}>{`Open ${formatMonth(next)}`}</Button>}
    >
      {list.isLoadingError ? (
        <FailedPanel what="The months" of={list} />
      ) : list.data !== undefined && list.data.length === 0 ? (
        <Panel>
          <EmptyState icon="shield" action={<Button onClick={() => open(next)}>{`Open ${formatMonth(next)}`}</Button>}>
            No months prepared yet. Open a month to compare both systems.
          </EmptyState>
        </Panel>
      ) : (
        <>
          <Panel title="Last 12 months">
            <MonthChart months={list.data ?? []} onOpen={open} />
          </Panel>
          <Panel flush>
            <DataTable
              label="Months"
              columns={columnsFor(psa.label, zoneName(timeZone))}
              rows={list.data}
              rowKey={({ month }) => month}
              rowLabel={({ month }) => formatMonth(month)}
              onOpen={({ month }) => open(month)}
              placeholderRows={6}
            />
          </Panel>
        </>
      )}
    </Page>
  );
}

/** Returns the oldest prepared month that is not signed, or last month if there is none. */
function nextToClose(months: readonly CloseHeadReply[] | undefined): string {
  const open =
    months
      ?.filter(({ state }) => state !== 'signed')
      .map(({ month }) => month)
      .sort() ?? [];
  return open[0] ?? lastMonth();
}

const first = ({ totals }: CloseHeadReply) => totals[0];
const moneyOf = (head: CloseHeadReply, name: 'psa_total' | 'accounting_total' | 'difference'): string => {
  const total = first(head);
  return total === undefined ? '' : formatMoney(total[name], total.currency);
};

const columnsFor = (psaLabel: string, zone: string): readonly Column<CloseHeadReply>[] => [
  {
    key: 'month',
    head: 'Month',
    cell: ({ month, totals }) => (
      <TwoLines note={totals.length > 1 ? `${totals.length} currencies` : null}>{formatMonth(month)}</TwoLines>
    ),
    narrow: 'title',
  },
  { key: 'state', head: 'State', cell: ({ state }) => <CloseStateBadge state={state} />, narrow: 'trail' },
  { key: 'psa', head: psaLabel, align: 'end', cell: (row) => moneyOf(row, 'psa_total'), narrowLabel: true },
  {
    key: 'quickbooks',
    head: 'QuickBooks',
    align: 'end',
    cell: (row) => moneyOf(row, 'accounting_total'),
    narrowLabel: true,
  },
  { key: 'difference', head: 'Difference', align: 'end', cell: (row) => moneyOf(row, 'difference'), narrowLabel: true },
  {
    key: 'unexplained',
    head: 'Unexplained',
    align: 'end',
    cell: (row) => {
      const total = first(row);
      if (total === undefined) return '';
      const open = row.totals.find(({ unexplained }) => Number(unexplained) !== 0);
      return (
        <Unexplained amount={open?.unexplained ?? '0'}>{formatMoney(total.unexplained, total.currency)}</Unexplained>
      );
    },
    narrowLabel: true,
  },
  {
    key: 'prepared',
    head: `Prepared (${zone})`,
    cell: ({ prepared_at: at }) => (at === null ? '' : <RelativeTime at={at} />),
    narrow: 'hide',
  },
];
