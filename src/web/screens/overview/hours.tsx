import type { MoneyReply } from '#contract/money.ts';
import type { Kind } from '#core/kinds.ts';
import { useEnvironment } from '../../data/environment.ts';
import { countOf, formatClock, formatCount } from '../../data/format.ts';
import { Link } from 'react-router';
import { useTimeZone } from '../../data/use-time-zone.ts';
import styles from './hours.module.css';

const hourMs = 3_600_000;
const shownHours = 24;

const rows = [
  ['Invoices', ['invoice', 'difference']],
  ['Purchase Orders', ['purchase_order']],
  ['Expense Reports', ['expense_report']],
  ['Payments and voids', ['payment', 'void']],
] as const satisfies readonly (readonly [string, readonly Kind[]])[];

type Hour = MoneyReply['hours'][number];

const countIn = (hours: readonly Hour[], key: 'synced' | 'failed'): number =>
  hours.reduce((count, hour) => count + hour[key], 0);

/** What automatic and manual live syncs did in each of the last 24 hours, by kind. Screen readers get the sums. */
export function Hours({ money }: { money: MoneyReply }) {
  const { accounting } = useEnvironment();
  const timeZone = useTimeZone();
  const starts = Array.from({ length: shownHours }, (_, index) =>
    new Date(Date.parse(money.hours_from) + index * hourMs).toISOString(),
  );
  const since = money.hours_from.slice(0, 10);
  const failed = countIn(money.hours, 'failed');
  return (
    <div className={styles.strip}>
      <p className={styles.head}>
        <span>Last 24 hours</span>
        <Link className={failed > 0 ? styles.bad : undefined} to={`/logs?mode=live&success=false&after=${since}`}>
          {formatCount(failed)} failed
        </Link>
        <Link to={`/logs?mode=live&success=true&after=${since}`}>
          {formatCount(countIn(money.hours, 'synced'))} synced
        </Link>
      </p>
      <ul className={styles.rows} aria-label={`Documents sent to ${accounting.short_label} by hour`}>
        {rows.map(([name, kinds]) => {
          const own = money.hours.filter(({ type }) => kinds.some((kind) => kind === type));
          return (
            <li key={name}>
              <span className={styles.name}>{name}</span>
              <span className={styles.cells} aria-hidden="true">
                {starts.map((at) => {
                  const hour = own.filter((one) => one.at === at);
                  const [synced, bad] = [countIn(hour, 'synced'), countIn(hour, 'failed')];
                  return (
                    <span
                      key={at}
                      data-state={bad > 0 ? 'failed' : synced > 0 ? 'synced' : 'idle'}
                      title={`${formatClock(at, timeZone)}: ${synced} synced, ${bad} failed`}
                    />
                  );
                })}
              </span>
              <span className={styles.hidden}>
                {countOf(countIn(own, 'synced'), 'document')} synced, {formatCount(countIn(own, 'failed'))} failed
              </span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
