import { addDays, dateIn, endOfMonth, type CalendarDate, type Instant } from './values/dates.ts';

/**
 * Intuit does not document when its month begins. Its own time zone is the safe choice, because UTC months end earlier.
 */
export const readMonthZone = 'America/Los_Angeles';

export const tierNames = ['builder', 'silver', 'gold', 'platinum'] as const;
export type TierName = (typeof tierNames)[number];

/** A tier of the Intuit App Partner Program, which counts the calls of all applications of a workspace [Q80]. */
interface Tier {
  readonly label: string;
  /** Metered calls a month that the tier includes. */
  readonly calls: number;
  /** US dollars a month. */
  readonly price: number;
  /** US dollars per 1,000 further calls; `blocked` if Intuit refuses them, null if the price is not published. */
  readonly beyond: number | 'blocked' | null;
}

export const tiers = {
  builder: { label: 'Builder', calls: 500_000, price: 0, beyond: 'blocked' },
  silver: { label: 'Silver', calls: 1_000_000, price: 300, beyond: 3.5 },
  gold: { label: 'Gold', calls: 10_000_000, price: 1_700, beyond: null },
  platinum: { label: 'Platinum', calls: 75_000_000, price: 4_500, beyond: 0.25 },
} as const satisfies Record<TierName, Tier>;

/** What Intuit includes for this deployment. */
export interface ReadAllowance {
  readonly tier: TierName;
  /** Calls a month; null: the operator set no limit. */
  readonly calls: number | null;
}

/** Percentages of the monthly share at which the system administrators get an email. */
export const readAlertPercents = [70, 85, 100] as const;

/** Whether Intuit refuses further calls once the share is used up. */
export const isBlockedBeyond = ({ tier }: ReadAllowance): boolean => tiers[tier].beyond === 'blocked';

/** Returns the month that reads at this instant count toward, e.g. `2026-11`. */
export const readMonth = (now: Instant): string => dateIn(now, readMonthZone).slice(0, 7);

/** Returns the first day of the next month. */
export const nextReadMonth = (now: Instant): CalendarDate => addDays(endOfMonth(dateIn(now, readMonthZone)), 1);

/** Returns the used part of the limit in whole percent, rounded down so that 100 means used up. */
export const readPercent = (reads: number, limit: number): number => Math.floor((reads * 100) / limit);

/** Returns the US dollars that Intuit bills for the calls beyond the share; null if they are blocked or not priced. */
export function costBeyond(calls: number, { tier, calls: share }: ReadAllowance): number | null {
  const { beyond } = tiers[tier];
  if (share === null || beyond === 'blocked' || beyond === null) return null;
  return (Math.ceil(Math.max(0, calls - share) / 1_000) * Math.round(beyond * 100)) / 100;
}

/** Returns what happens at the end of the share, as a sentence for the operator. */
export function beyondSentence({ tier }: ReadAllowance, until: string): string {
  const { label, beyond } = tiers[tier];
  if (beyond === 'blocked') {
    const { silver } = tiers;
    return `Then Intuit blocks reads until ${until}. Documents that need no read are posted; the others, payments and the month-end close wait. The ${silver.label} tier includes ${counted(silver.calls)} calls for ${dollars(silver.price)} a month, and costs ${dollars(silver.beyond)} per 1,000 further calls.`;
  }
  return beyond === null
    ? `Nothing is blocked. Intuit bills further calls; the price of the ${label} tier is in the Intuit Developer Portal.`
    : `Nothing is blocked. Intuit bills ${dollars(beyond)} per 1,000 further calls of the ${label} tier.`;
}

const counted = (count: number): string => count.toLocaleString('en-US');

/** E.g. `$3.50`, `$300`. */
export const dollars = (amount: number): string =>
  `$${amount.toLocaleString('en-US', { minimumFractionDigits: Number.isInteger(amount) ? 0 : 2, maximumFractionDigits: 2 })}`;
