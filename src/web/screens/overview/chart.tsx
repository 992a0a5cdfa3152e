import { Group, Paper, Text, VisuallyHidden } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import type { MoneyReply } from '#contract/money.ts';
import { useEnvironment } from '../../data/environment.ts';
import { Link } from 'react-router';
import { addAmounts } from '../../data/add-amounts.ts';
import { countOf, formatDate, formatMoney, formatShortMoney, formatDay } from '../../data/format.ts';
import { ChartKey } from '../../components/chart-key.tsx';
import { Panel } from '../../components/page.tsx';
import { axisOf } from './axis.ts';
import styles from './chart.module.css';
import { Dim } from '../../components/note.tsx';

type Day = MoneyReply['days'][number];

const dayMs = 86_400_000;

/** Returns every day of a period, with zeros for days without invoices. */
export function everyDay(days: readonly Day[], from: string, through: string): readonly Day[] {
  const known = new Map(days.map((day) => [day.date, day]));
  const count = Math.round((Date.parse(through) - Date.parse(from)) / dayMs) + 1;
  return Array.from({ length: count }, (_, index) => {
    const date = new Date(Date.parse(from) + index * dayMs).toISOString().slice(0, 10);
    return known.get(date) ?? { date, invoices: 0, invoiced: '0', posted_invoices: 0, posted: '0' };
  });
}

const differenceOf = ({ invoiced, posted }: Day): string =>
  addAmounts(posted, invoiced.startsWith('-') ? invoiced.slice(1) : `-${invoiced}`);

/**
 * A bar for each of the last 30 days: what is posted of the invoices dated on that day, and what is not. Each bar opens
 * the invoices since that day. Screen readers get a table.
 */
export function Chart({ money }: { money: MoneyReply }) {
  const days = everyDay(money.days, money.from, money.through);
  const axis = axisOf(days.flatMap(({ invoiced, posted }) => [Number(invoiced), Number(posted)]));
  const [shown, setShown] = useState<number | null>(null);
  // One stop for the Tab key; the arrow keys move between the days.
  const [current, setCurrent] = useState(days.length - 1);
  const heightOf = (value: number) => `${(Math.abs(value) / (axis.max - axis.min)) * 100}%`;
  const levelOf = (value: number) => `${((value - axis.min) / (axis.max - axis.min)) * 100}%`;
  const segment = (from: number, to: number) => ({ bottom: levelOf(Math.min(from, to)), height: heightOf(to - from) });
  const move = (event: KeyboardEvent<HTMLElement>) => {
    const last = days.length - 1;
    const next = { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0, End: last }[event.key];
    if (next === undefined || next < 0 || next > last) return;
    event.preventDefault();
    setCurrent(next);
    event.currentTarget.querySelectorAll('a')[next]?.focus();
  };
  const card = shown === null ? undefined : days[shown];
  return (
    <Panel
      title="Invoiced and posted, last 30 days"
      actions={
        <Group gap="md" wrap="nowrap" aria-hidden="true">
          <ChartKey color="var(--tb-accent)">Posted</ChartKey>
          <ChartKey color="var(--tb-bad)" isHatched>
            Not posted
          </ChartKey>
        </Group>
      }
    >
      <div className={styles.chart}>
        <div className={styles.plot}>
          {axis.labels.map((value) => (
            <span key={value} className={styles.grid} style={{ bottom: levelOf(value) }} data-zero={value === 0}>
              <span>{formatShortMoney(value, money.currency)}</span>
            </span>
          ))}
          {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the arrow keys move between the links */}
          <div className={styles.days} onKeyDown={move} onPointerLeave={() => setShown(null)}>
            {days.map((day, index) => (
              <Link
                key={day.date}
                className={styles.day}
                to={`/my-invoices?by=day&on=${day.date}`}
                tabIndex={index === current ? 0 : -1}
                aria-label={`${formatDate(day.date)}: ${formatMoney(day.invoiced, money.currency)} invoiced, ${formatMoney(day.posted, money.currency)} posted`}
                data-shown={index === shown}
                onPointerEnter={() => setShown(index)}
                onFocus={() => {
                  setCurrent(index);
                  setShown(index);
                }}
                onBlur={() => setShown(null)}
              >
                <span className={styles.posted} style={segment(0, Number(day.posted))} />
                <span className={styles.gap} style={segment(Number(day.posted), Number(day.invoiced))} />
              </Link>
            ))}
          </div>
          {card !== undefined && shown !== null && (
            <DayCard day={card} at={shown} count={days.length} currency={money.currency} />
          )}
        </div>
        <Group justify="space-between" mt="sm" c="dimmed" fz="xs" aria-hidden="true">
          {[0, Math.floor(days.length / 2), days.length - 1].map((index) => (
            <span key={index}>{formatDay(`${days[index]?.date ?? ''}T12:00:00Z`, 'UTC')}</span>
          ))}
        </Group>
      </div>
      <DayTable days={days} currency={money.currency} />
      {money.other_currencies.length > 0 && <OtherCurrencies money={money} />}
    </Panel>
  );
}

interface DayCardProps {
  day: Day;
  /** Index of the day, of the days in the chart. */
  at: number;
  count: number;
  currency: string | null;
}

/** The amounts of a day, beside its bar. */
function DayCard({ day, at, count, currency }: DayCardProps) {
  return (
    <Paper
      withBorder
      shadow="md"
      radius="sm"
      px={12}
      py="sm"
      fz="xs"
      className={styles.card ?? ''}
      data-side={at < count / 2 ? 'right' : 'left'}
      style={{ left: `${((at + 0.5) / count) * 100}%` }}
      aria-hidden="true"
    >
      <strong>{formatDate(day.date)}</strong>
      <Amount name="Invoiced">{formatMoney(day.invoiced, currency)}</Amount>
      <Amount name="Posted">{formatMoney(day.posted, currency)}</Amount>
      <Amount name="Difference" isBad={differenceOf(day) !== '0'}>
        {formatMoney(differenceOf(day), currency)}
      </Amount>
      <Text inherit c="dimmed">
        {countOf(day.invoices, 'invoice')}
      </Text>
    </Paper>
  );
}

function OtherCurrencies({ money }: { money: MoneyReply }) {
  return (
    <Text c="dimmed" size="xs" mt="sm">
      Without{' '}
      {money.other_currencies
        .map(({ currency, invoices }) => `${countOf(invoices, 'invoice')} in ${currency}`)
        .join(' and ')}
    </Text>
  );
}

/** One amount of the card of a day. */
const Amount = ({ name, isBad = false, children }: { name: string; isBad?: boolean; children: string | null }) => (
  <Group justify="space-between" wrap="nowrap" gap="md">
    <Dim>{name}</Dim>
    <Text span inherit {...(isBad && { c: 'red' })}>
      {children}
    </Text>
  </Group>
);

/** The days for screen readers. */
function DayTable({ days, currency }: { days: readonly Day[]; currency: string | null }) {
  const { psa, accounting } = useEnvironment();
  return (
    <VisuallyHidden>
      <table>
        <caption>Invoiced and posted by day of the last 30 days</caption>
        <thead>
          <tr>
            <th scope="col">Date</th>
            <th scope="col">Invoices</th>
            <th scope="col">{psa.label}</th>
            <th scope="col">{accounting.short_label}</th>
            <th scope="col">Difference</th>
          </tr>
        </thead>
        <tbody>
          {days
            .filter(({ invoices }) => invoices > 0)
            .map((day) => (
              <tr key={day.date}>
                <th scope="row">{formatDate(day.date)}</th>
                <td>{day.invoices}</td>
                <td>{formatMoney(day.invoiced, currency)}</td>
                <td>{formatMoney(day.posted, currency)}</td>
                <td>{formatMoney(differenceOf(day), currency)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </VisuallyHidden>
  );
}
