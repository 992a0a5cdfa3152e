import type { MonthReply } from '#contract/month.ts';
import { formatMoney, formatMonthName } from '../../data/format.ts';

/** The headline about a month; `open` is the part that needs a user. */
export interface MonthState {
  readonly text: string;
  readonly open: string | null;
}

/** Returns whether a month is in step. A month without synced invoices is not called in step. */
export function stateOfMonth({ from, currencies }: Pick<MonthReply, 'from' | 'currencies'>): MonthState {
  const month = formatMonthName(from);
  const has = (side: 'psa_count' | 'accounting_count') => currencies.some((one) => one[side] > 0);
  if (!has('psa_count') && !has('accounting_count')) return { text: `No invoices in ${month} yet`, open: null };
  const differences = currencies
    .filter(({ difference }) => Number(difference) !== 0)
    .map(({ difference, currency }) => formatMoney(difference.replace(/^-/, ''), currency))
    .join(' and ');
  const open = differences === '' ? null : differences;
  if (!has('accounting_count')) return { text: `No invoice of ${month} is synced yet:`, open };
  return { text: `${month} is in step${open === null ? '' : ' except for'}`, open };
}
