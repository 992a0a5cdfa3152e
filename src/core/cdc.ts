import { addSeconds, secondsBetween, type Instant } from './values/dates.ts';

/** State of the ways in which a tenant learns of changes in its books. */
export interface CdcState {
  /** Arrival of the newest signed message of the books; null: they cannot be relied on to tell. */
  readonly lastWebhookAt: Instant | null;
  /** The books' own time up to which their feed of changes was read; null: never. */
  readonly cursor: Instant | null;
  /** Last reading of the feed, by our clock; null: never. */
  readonly polledAt: Instant | null;
}

/** Seconds between readings of the feed while webhooks come: it only closes the gaps (reliability reference 3.3). */
const pollWithWebhooksSeconds = 86_400;
/** Seconds between readings of the feed while none come: a paid date may be an hour old (decision 11). */
const pollWithoutWebhooksSeconds = 3_600;
/** The feed reaches back 30 days (quickbooks reference 2.8); a day less, because clocks differ. */
export const maxLookBackSeconds = 29 * 86_400;
/** Seconds that are read again: what the feed shows late is not lost, and what is read twice changes nothing. */
export const cdcOverlapSeconds = 900;
/** A message about a change comes within this time, or it does not come. */
const messageSeconds = 900;

/** Whether it is time to read the feed. */
export function isCdcDue(
  { lastWebhookAt, polledAt }: Pick<CdcState, 'lastWebhookAt' | 'polledAt'>,
  now: Instant,
): boolean {
  return (
    polledAt === null ||
    secondsBetween(polledAt, now) >= (lastWebhookAt === null ? pollWithoutWebhooksSeconds : pollWithWebhooksSeconds)
  );
}

/** Moment from which the feed is read: never further back than it reaches. */
export function cdcSince({ cursor }: Pick<CdcState, 'cursor'>, now: Instant): Instant {
  const earliest = addSeconds(now, -maxLookBackSeconds);
  const since = cursor === null ? earliest : addSeconds(cursor, -cdcOverlapSeconds);
  return since < earliest ? earliest : since;
}

/** Whether the feed cannot tell any more of everything that changed since: lists are then read whole. */
export const hasCdcGap = (asOf: Instant, now: Instant): boolean =>
  secondsBetween(asOf, now) + cdcOverlapSeconds >= maxLookBackSeconds;

/**
 * Whether the books still tell of changes by themselves: false when the feed has shown one that no message came for.
 *
 * @param newestAt when the newest change that the feed showed was made, by our clock; null: it showed none
 */
export function areWebhooksComplete(lastWebhookAt: Instant | null, newestAt: Instant | null, now: Instant): boolean {
  if (lastWebhookAt === null || newestAt === null) return lastWebhookAt !== null;
  return newestAt <= addSeconds(lastWebhookAt, messageSeconds) || secondsBetween(newestAt, now) <= messageSeconds;
}

/** Seconds until a payment that is gone or applied to nothing is looked for in the feed, which may show it late. */
export const lostPaymentSeconds = 120;
