import type { WebhookDeliveryReply, WebhookEndpointReply } from '#contract/webhook-endpoints.ts';
import type { WebhookEvent } from '#core/webhook-event.ts';

/** What an event means. */
export const eventTexts: Readonly<Record<WebhookEvent, string>> = {
  'document.posted': 'A document was posted to QuickBooks.',
  'document.failed': 'A document failed and needs a user.',
  'document.on_hold': 'A document is on hold.',
  'document.waiting_for_approval': 'A document waits for approval.',
  'document.voided': 'A document was voided in QuickBooks.',
  'document.paid': 'An invoice was paid.',
  'document.payment_reversed': 'A paid invoice is open again.',
  'month.signed': 'A user signed a month.',
};

/** The state of an endpoint for people, with its tone. */
export function stateOf({ state, failing_since: failingSince }: WebhookEndpointReply) {
  if (state === 'paused') return { label: 'Paused', tone: 'plain' } as const;
  if (state === 'failing') return { label: 'Paused after failures', tone: 'bad' } as const;
  return failingSince === null
    ? ({ label: 'Active', tone: 'ok' } as const)
    : ({ label: 'Failing', tone: 'bad' } as const);
}

/** The result of a delivery for people, with its tone. */
export function resultOf({
  status,
  tried_at: triedAt,
  is_delivered: isDelivered,
  next_try_at: next,
}: WebhookDeliveryReply) {
  const code = status === null ? '' : ` (${status})`;
  if (isDelivered) return { label: `Delivered${code}`, tone: 'ok' } as const;
  if (next === null) return { label: status === null ? 'No answer' : `Failed${code}`, tone: 'bad' } as const;
  if (triedAt === null) return { label: 'Waiting', tone: 'plain' } as const;
  return { label: status === null ? 'No answer' : `Failed${code}`, tone: 'bad' } as const;
}
