import { noticeRoles } from '#core/notices.ts';
import type { NewNotice } from '#core/records/notices.ts';
import type { DeliveryResult, TakenDelivery, WebhookEndpoint } from '#core/records/webhook-endpoints.ts';
import type { Answer } from '#core/ports/chats.ts';
import { addSeconds, secondsBetween, type Instant } from '#core/values/dates.ts';
import { cachedHomeCurrency } from '../connections/cached-lists.ts';
import type { App } from '../context.ts';
import { sendInLanes } from '../lanes.ts';
import { deliveryOf, signedHeaders, webhookIdOf, type MessageFacts } from './message.ts';

/** Seconds between two readings of new events. */
const readEverySeconds = 10;
/** Records read at once. */
const readSize = 500;
/** While this many deliveries of an endpoint wait, no further events are read for it. */
const maxWaiting = 1_000;
/** Seconds before each further attempt: about three days in total. */
const pauseSeconds = [60, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 74_000] as const;
/** Maximum seconds without any attempt to an endpoint that fails. */
const maxWaitSeconds = 3_600;
/** Seconds of failures after which an endpoint is paused. */
const failingSeconds = 3 * 86_400;
/** Status of a receiver that wants no more events. Its endpoint is paused at once (Standard Webhooks). */
const goneStatus = 410;

/** Returns clients with webhook work, for {@link dispatchWebhooks}. */
export const tenantsWithWebhookWork = ({ store, clock }: App, limit: number): Promise<readonly string[]> =>
  store.tenantsWithWebhookWork(clock.now(), addSeconds(clock.now(), -readEverySeconds), limit);

/**
 * Saves the new events of a client and sends what is due; several workers share the deliveries. A delivery whose worker
 * dies before it records the result is sent again, with the same id.
 *
 * @param signal ends it between two deliveries.
 * @returns the number of delivered events.
 */
export async function dispatchWebhooks(app: App, tenantId: string, signal?: AbortSignal): Promise<number> {
  await readEvents(app, tenantId);
  const store = app.store.forTenant(tenantId);
  return sendInLanes(
    () => store.takeWebhookDelivery(app.clock.now()),
    (taken) => deliver(app, tenantId, taken),
    signal,
  );
}

async function readEvents({ store: root, clock, config }: App, tenantId: string): Promise<void> {
  const store = root.forTenant(tenantId);
  const due = (await store.listWebhookEndpoints()).filter(
    ({ state, readTo }) => state === 'active' && secondsBetween(readTo, clock.now()) >= readEverySeconds,
  );
  if (due.length === 0) return;
  const facts = { appUrl: config.appUrl, homeCurrency: await cachedHomeCurrency({ store }) };
  for (const endpoint of due) await readEventsFor({ store, clock }, endpoint, facts);
}

async function readEventsFor(
  { store, clock }: { readonly store: ReturnType<App['store']['forTenant']>; readonly clock: App['clock'] },
  endpoint: WebhookEndpoint,
  facts: MessageFacts,
): Promise<void> {
  let room = maxWaiting - (await store.countWaitingDeliveries(endpoint.id));
  for (let after: Parameters<typeof store.listNewEvents>[1] = null; room > 0;) {
    const now = clock.now();
    const found = await store.listNewEvents(endpoint, after, readSize);
    const deliveries = found.flatMap((one) => deliveryOf(one, endpoint.events, facts) ?? []);
    const logged = found.filter((one) => 'place' in one);
    const last = logged.at(-1)?.place;
    const isLast = last === undefined || logged.length < readSize;
    await store.addWebhookDeliveries(endpoint.id, deliveries, isLast ? now : last.at, now);
    if (isLast) return;
    after = last;
    room -= deliveries.length;
  }
}

async function deliver(
  { store, webhookSender, clock, logger, config }: App,
  tenantId: string,
  taken: TakenDelivery,
): Promise<boolean> {
  const { id, endpointId, source, body, secrets, tries } = taken;
  const headers = signedHeaders(webhookIdOf(tenantId, source), body, secrets, clock.now());
  const agent = { 'User-Agent': `Tallybridge/${config.version}` };
  const answer = await webhookSender.postWith(taken.address, body, { ...headers, ...agent });
  const result = resultOf(taken, answer, clock.now());
  await store.forTenant(tenantId).endWebhookAttempt(taken, result);
  if (result.isDelivered) return true;
  const { status } = answer;
  const reason = status === null ? answer.text : '';
  logger.warn({ tenantId, endpointId, delivery: id, tries, status, reason }, 'a webhook delivery failed');
  return false;
}

function resultOf(taken: TakenDelivery, { status, text, waitMs = 0 }: Answer, at: Instant): DeliveryResult {
  const told = { at, status, answer: text };
  if (status !== null && status >= 200 && status < 300)
    return { ...told, isDelivered: true, nextTryAt: null, waitUntil: null, pause: null };
  const { tries, failures, failingSince } = taken;
  const asked = Math.ceil(waitMs / 1_000);
  const pause = pauseSeconds[tries - 1];
  const wait = Math.max(Math.min(60 * 2 ** failures, maxWaitSeconds), asked);
  const isOver = failingSince !== null && secondsBetween(failingSince, at) >= failingSeconds;
  const isGone = status === goneStatus;
  return {
    ...told,
    isDelivered: false,
    nextTryAt: pause === undefined ? null : addSeconds(at, Math.max(pause, asked)),
    waitUntil: addSeconds(at, wait),
    pause: isGone || isOver ? pauseNotice(taken, at, isGone) : null,
  };
}

const pauseNotice = ({ shownAddress: endpoint }: TakenDelivery, at: Instant, isGone: boolean): NewNotice => ({
  notice: { kind: 'webhook_paused', endpoint, ...(isGone && { isGone }) },
  at,
  roles: noticeRoles('webhook_paused'),
});
