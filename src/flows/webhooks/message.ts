import { createHash, createHmac } from 'node:crypto';
import type { NewEvent, NewWebhookDelivery } from '#core/records/webhook-endpoints.ts';
import { epochMs, type Instant } from '#core/values/dates.ts';
import {
  documentData,
  eventOf,
  subjectOfDocument,
  subjectOfMonth,
  testEvent,
  type WebhookEvent,
} from '#core/webhook-event.ts';

/** Beginning of each secret (Standard Webhooks), by which people and secret scanners recognize it. */
export const secretPrefix = 'whsec_';

/** What the texts of a client's events need. */
export interface MessageFacts {
  readonly appUrl: string;
  readonly homeCurrency: string | null;
}

/** Returns the delivery of a record for an endpoint with these events; null if the record is none of them. */
export function deliveryOf(
  found: NewEvent,
  wanted: readonly WebhookEvent[],
  { appUrl, homeCurrency }: MessageFacts,
): NewWebhookDelivery | null {
  const { source } = found;
  if ('signed' in found) {
    const event = 'month.signed';
    if (!wanted.includes(event)) return null;
    const { month, as, by } = found.signed;
    const data = { month, signed_as: as, signed_by: by, url: `${appUrl}/month-end/${month}` };
    return { source, event, subject: subjectOfMonth(found.signed), body: bodyOf(event, found.signedAt, data) };
  }
  const event = eventOf(found.logged);
  if (event === null || !wanted.includes(event)) return null;
  const data = documentData(found.logged, homeCurrency);
  const isWaiting = event === 'document.waiting_for_approval';
  const url = `${appUrl}${isWaiting ? '/approval' : `/logs?key=${encodeURIComponent(source)}`}`;
  return { source, event, subject: subjectOfDocument(data), body: bodyOf(event, found.place.at, { ...data, url }) };
}

/** Returns the delivery that a test sends. @param id makes it different from earlier ones */
export const testDelivery = (id: string, at: Instant, by: string, appUrl: string): NewWebhookDelivery => ({
  source: `test/${id}`,
  event: testEvent,
  subject: 'Test event',
  body: bodyOf(testEvent, at, { message: `${by} sent this test event from Tallybridge.`, url: `${appUrl}/webhooks` }),
});

const bodyOf = (type: string, timestamp: Instant, data: object): string => JSON.stringify({ type, timestamp, data });

/** Returns the id of an event, which is the same in each attempt and for each endpoint. */
export const webhookIdOf = (tenantId: string, source: string): string =>
  `evt_${createHash('sha256').update(`${tenantId} ${source}`).digest('hex').slice(0, 32)}`;

/**
 * Returns the headers of one attempt (Standard Webhooks).
 *
 * @param secrets each adds a signature; the receiver accepts any of them.
 */
export function signedHeaders(
  id: string,
  body: string,
  secrets: readonly string[],
  now: Instant,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(epochMs(now) / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
