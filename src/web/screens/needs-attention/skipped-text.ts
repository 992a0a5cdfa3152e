import type { AttentionReply } from '#contract/attention.ts';
import { kinds } from '#core/kinds.ts';
import { countOf, formatMoney } from '../../data/format.ts';

export type Skipped = AttentionReply['left_out'][number];

/** Returns the number, total and reason: “16 invoices, $18,430.20, are older than the max age in Settings”. */
export function describeSkipped(skipped: Skipped, psa: string): string {
  const { type, count, amounts } = skipped;
  const total = amounts.map(({ amount, currency }) => formatMoney(amount, currency)).join(' and ');
  return `${countOf(count, kinds[type].label.toLowerCase())}, ${total === '' ? '' : `${total}, `}${reasonOf(skipped, psa)}`;
}

function reasonOf({ type, count, because }: Skipped, psa: string): string {
  const are = count === 1 ? 'is' : 'are';
  if (because === 'start') return `${are} from before the sync start date`;
  if (because === 'status') return `${are} not ready to sync`;
  return type === 'payment'
    ? `${count === 1 ? 'has a paid date' : 'have paid dates'} in ${psa} older than the max age in Settings`
    : `${are} older than the max age in Settings`;
}
