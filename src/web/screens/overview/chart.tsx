import { type KeyboardEvent, useState } from 'react';
import type { MoneyReply } from '#contract/money.ts';
import { useEnvironment } from '../../data/environment.ts';
import { Link } from 'react-router';
import { addAmounts } from '../../data/add-amounts.ts';
import { countOf, formatDate, formatMoney, formatShortMoney, formatDay } from '../../data/format.ts';
import { Panel } from '../../components/page.tsx';
import { axisOf } from './axis.ts';
import styles from './chart.module.css';

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
  const { psa, accounting } = useEnvironment();
  const days = everyDay(money.days, money.from, money.through);
  const axis = axisOf(days.flatMap(({ invoiced, posted }) => [Number(invoiced), Number(posted)]));
  const [shown, setShown] = useState<number | null>(null);
  // One stop for the Tab key; the arrow keys move between the days.
  const [current, setCurrent] = useState(days.length - 1);
  const heightOf = (value: number) => `${(Math.abs(value) / (axis.max - axis.min)) * 100}%`;
  const levelOf = (value: number) => `${((value - axis.min) / (axis.max - axis.min)) * 100}%`;
  const segment = (from: number, to: number) => ({
    bottom: levelOf(Math.min(from, to)),
    height: heightOf(to - from),
  });
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
        <ul className={styles.legend} aria-hidden="true">
          <li data-of="posted">Posted</li>
          <li data-of="gap">Not posted</li>
        </ul>
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
                to={`/my-invoices?by=date&from=${day.date}`}
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
            <div
              className={styles.card}
              data-side={shown < days.length / 2 ? 'right' : 'left'}
              style={{ left: `${((shown + 0.5) / days.length) * 100}%` }}
              aria-hidden="true"
            >
              <strong>{formatDate(card.date)}</strong>
              <span>Invoiced</span>
              <span>{formatMoney(card.invoiced, money.currency)}</span>
              <span>Posted</span>
              <span>{formatMoney(card.posted, money.currency)}</span>
              <span>Difference</span>
              <span data-bad={differenceOf(card) !== '0'}>{formatMoney(differenceOf(card), money.currency)}</span>
              <em>{countOf(card.invoices, 'invoice')}</em>
            </div>
          )}
        </div>
        <div className={styles.dates} aria-hidden="true">
          {[0, Math.floor(days.length / 2), days.length - 1].map((index) => (
            <span key={index}>{formatDay(`${days[index]?.date ?? ''}T12:00:00Z`, 'UTC')}</span>
          ))}
        </div>
      </div>
      <div className={styles.hidden}>
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
                  <td>{formatMoney(day.invoiced, money.currency)}</td>
                  <td>{formatMoney(day.posted, money.currency)}</td>
                  <td>{formatMoney(differenceOf(day), money.currency)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </div>
      {money.other_currencies.length > 0 && (
        <p className={styles.others}>
          Without{' '}
          {money.other_currencies
            .map(({ currency, invoices }) => `${countOf(invoices, 'invoice')} in ${currency}`)
            .join(' and ')}
        </p>
      )}
    </Panel>
  );
}
