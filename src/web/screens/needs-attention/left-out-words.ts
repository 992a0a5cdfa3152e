import type { AttentionReply } from '#contract/attention.ts';
import { kinds } from '#core/kinds.ts';
import { countOf, setCount, setMoney } from '../../lib/format.ts';

/** Sentences about documents that are left out: apart from the others, because the Overview has them too. */

/** Documents that no automatic sync takes up. */
export const leftOutWords = {
  title: 'Left out',
  hint: 'No automatic sync takes them up. The last nightly look at the months found them.',
  submit: (psa: string): string => `Submit or approve them in ${psa}; the next sync takes them up then.`,
  /** Stands before the name of the screen. */
  orAccept: 'Sync them now, or leave them out for good by accepting them on the page of their month under',
  close: 'Close',
  /** @param first so many are synced at once */
  sync: (first: number, count: number): string =>
    first === count ? `Sync ${count === 1 ? 'it' : `all ${setCount(count)}`}` : `Sync the first ${setCount(first)}`,
  syncThem: 'Sync them',
  notice: (left: LeftOutReply, psa: string): string =>
    `${leftOutWorth(left)}, ${leftOutReason(left, psa)} and not synced by ${left.count === 1 ? 'itself' : 'themselves'}.`,
} as const;

type LeftOutReply = AttentionReply['left_out'][number];

/** “16 invoices, $18,430.20”. */
export const leftOutWorth = ({ type, count, amounts }: LeftOutReply): string =>
  [
    countOf(count, kinds[type].label.toLowerCase()),
    ...(amounts.length === 0 ? [] : [amounts.map(({ amount, currency }) => setMoney(amount, currency)).join(' and ')]),
  ].join(', ');

const verb = ({ count }: LeftOutReply, one: string, more: string): string => (count === 1 ? one : more);

/** Why no automatic sync takes them up, as the rest of a sentence that begins with what they are. */
export function leftOutReason(left: LeftOutReply, psa: string): string {
  switch (left.because) {
    case 'age':
      return left.type === 'payment'
        ? `${verb(left, 'has a paid date', 'have paid dates')} in ${psa} that ${verb(left, 'is', 'are')} older than the window of Settings`
        : `${verb(left, 'is', 'are')} older than the window of Settings`;
    case 'start':
      return `${verb(left, 'is', 'are')} from before the sync start date`;
    default:
      return `${verb(left, 'is', 'are')} not in a state that is synced`;
  }
}
