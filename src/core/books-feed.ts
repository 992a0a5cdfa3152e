import { addSeconds, secondsBetween, type Instant } from './values/dates.ts';

/** How a tenant learns of changes in its books. */
export interface BooksFeedState {
  /** When the newest signed message of the books came; null: they cannot be relied on to tell. */
  readonly toldAt: Instant | null;
  /** The books' own time up to which their feed of changes was read; null: never. */
  readonly readAt: Instant | null;
  /** When it was read last, by our clock; null: never. */
  readonly askedAt: Instant | null;
}

/** While the books tell of changes by themselves, the feed closes the gaps: once a day (reliability reference 3.3). */
const toldAgeSeconds = 86_400;
/** While they do not, an hour is as old as a paid date may be (decision 11). */
const untoldAgeSeconds = 3_600;
/** The feed reaches back 30 days (quickbooks reference 2.8); a day less, because clocks differ. */
const longestLookBackSeconds = 29 * 86_400;
/** So much is read again: what the feed shows late is not lost, and what is read twice changes nothing. */
export const feedOverlapSeconds = 900;
/** A message about a change comes within this time, or it does not come. */
const messageSeconds = 900;

/** Whether it is time to read the feed. */
export function isFeedDue({ toldAt, askedAt }: Pick<BooksFeedState, 'toldAt' | 'askedAt'>, now: Instant): boolean {
  return askedAt === null || secondsBetween(askedAt, now) >= (toldAt === null ? untoldAgeSeconds : toldAgeSeconds);
}

/** From when on the feed is read: never further back than it reaches. */
export function feedSince({ readAt }: Pick<BooksFeedState, 'readAt'>, now: Instant): Instant {
  const earliest = addSeconds(now, -longestLookBackSeconds);
  const since = readAt === null ? earliest : addSeconds(readAt, -feedOverlapSeconds);
  return since < earliest ? earliest : since;
}

/** Whether the feed cannot tell any more of everything that changed since: lists are then read whole. */
export const hasFeedGap = (asOf: Instant, now: Instant): boolean =>
  secondsBetween(asOf, now) + feedOverlapSeconds >= longestLookBackSeconds;

/**
 * Whether the books still tell of changes by themselves: false when the feed has shown one that no message came for.
 *
 * @param newestAt when the newest change that the feed showed was made, by our clock; null: it showed none
 */
export function isStillTold(toldAt: Instant | null, newestAt: Instant | null, now: Instant): boolean {
  if (toldAt === null || newestAt === null) return toldAt !== null;
  return newestAt <= addSeconds(toldAt, messageSeconds) || secondsBetween(newestAt, now) <= messageSeconds;
}

/** When a payment that is gone or applied to nothing is looked for in the feed, which may show it late. */
export const lostPaymentSeconds = 120;
