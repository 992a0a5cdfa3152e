import { addSeconds, secondsBetween, type Instant } from './values/dates.ts';

/** How a tenant learns of changes in QuickBooks: webhooks and the change feed. */
export interface CdcState {
  /** Arrival of the newest signed webhook; null: webhooks are unreliable for this tenant. */
  readonly lastWebhookAt: Instant | null;
  /** Position in the change feed, on QuickBooks' clock; null: never read. */
  readonly cursor: Instant | null;
  /** Last read of the change feed, on our clock; null: never. */
  readonly polledAt: Instant | null;
}

/** Seconds between reads of the feed while webhooks arrive: it only finds lost webhooks (reliability reference 3.3). */
const pollWithWebhooksSeconds = 86_400;
/** Seconds between reads of the feed without webhooks: a paid date may be an hour late (decision 11). */
const pollWithoutWebhooksSeconds = 3_600;
/** The feed goes back 30 days (quickbooks reference 2.8); one day less, because clocks differ. */
export const maxLookBackSeconds = 29 * 86_400;
/** Seconds of the feed that each read repeats, because changes may appear late. Reading a change twice is harmless. */
export const cdcOverlapSeconds = 900;
/** A webhook arrives within this time of its change or is lost. */
const messageSeconds = 900;

/** Whether the feed is due to be read. */
export function isCdcDue(
  { lastWebhookAt, polledAt }: Pick<CdcState, 'lastWebhookAt' | 'polledAt'>,
  now: Instant,
): boolean {
  return (
    polledAt === null ||
    secondsBetween(polledAt, now) >= (lastWebhookAt === null ? pollWithoutWebhooksSeconds : pollWithWebhooksSeconds)
  );
}

/** Start of the next read of the feed, limited to what the feed covers. */
export function cdcSince({ cursor }: Pick<CdcState, 'cursor'>, now: Instant): Instant {
  const earliest = addSeconds(now, -maxLookBackSeconds);
  const since = cursor === null ? earliest : addSeconds(cursor, -cdcOverlapSeconds);
  return since < earliest ? earliest : since;
}

/** Whether changes since `asOf` may be older than the feed covers. Lists must then be read completely. */
export const hasCdcGap = (asOf: Instant, now: Instant): boolean =>
  secondsBetween(asOf, now) + cdcOverlapSeconds >= maxLookBackSeconds;

/**
 * Whether webhooks report every change: false when the feed showed a change without a webhook.
 *
 * @param newestAt time of the newest change in the feed, on our clock; null: there was none
 */
export function areWebhooksComplete(lastWebhookAt: Instant | null, newestAt: Instant | null, now: Instant): boolean {
  if (lastWebhookAt === null || newestAt === null) return lastWebhookAt !== null;
  return newestAt <= addSeconds(lastWebhookAt, messageSeconds) || secondsBetween(newestAt, now) <= messageSeconds;
}

/** Seconds before a payment that was deleted or unapplied is searched in the feed, which may show it late. */
export const lostPaymentSeconds = 120;
