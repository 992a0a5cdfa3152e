import { randomBytes, randomUUID } from 'node:crypto';
import { requireUnchanged, type FieldValues } from '#core/changed-meanwhile.ts';
import type { NewAuditEvent } from '#core/records/audit.ts';
import type { Page } from '#core/records/page.ts';
import type { WebhookDelivery, WebhookEndpoint } from '#core/records/webhook-endpoints.ts';
import { Refusal } from '#core/refusal.ts';
import { addSeconds } from '#core/values/dates.ts';
import { listText } from '#core/values/text.ts';
import { maxWebhookEndpoints, webhookEvents, type WebhookEvent } from '#core/webhook-event.ts';
import { maskedAddress } from '#core/chat.ts';
import { reportingConflicts, type ConflictTexts } from '../changed-meanwhile.ts';
import { actorOf, type Principal } from '../access/principal.ts';
import { testsOf, throttle } from '../access/throttle.ts';
import type { App, TenantContext } from '../context.ts';
import { secretPrefix, testDelivery } from './message.ts';

/** Within the limits of Standard Webhooks. */
const secretBytes = 32;
/** Seconds for which the old secret signs too after a rotation. */
const overlapSeconds = 86_400;
/** Seconds between two test events of an endpoint. */
const testEverySeconds = 10;
/** Maximum deliveries that the users of a client send again in 15 minutes. A resumed endpoint needs none of them. */
const maxResent = 300;
/** Days before a resumed endpoint from which events are still sent. */
const missedDays = 30;

export const listWebhookEndpoints = ({ store }: TenantContext): Promise<readonly WebhookEndpoint[]> =>
  store.listWebhookEndpoints();

/**
 * Adds an endpoint. It gets the events from now on.
 *
 * @returns the secret, which cannot be read again.
 * @throws Refusal `validation_failed` (422) for an address that is not public; `too_many_webhooks` (409).
 */
export async function addWebhookEndpoint(
  { webhookSender }: Pick<App, 'webhookSender'>,
  context: TenantContext,
  principal: Principal,
  added: { readonly address: string; readonly events: readonly WebhookEvent[] },
): Promise<{ readonly endpoint: WebhookEndpoint; readonly secret: string }> {
  const url = webhookSender.parseAddress(added.address.trim());
  if (url === null) {
    const message = 'Enter an https address on the internet, without a port and a password.';
    throw new Refusal('unprocessable', 'validation_failed', message, [{ key: 'address', error: message }]);
  }
  const [events, shown, secret] = [inOrder(added.events), maskedAddress(url), newSecret()];
  const endpoint = await context.store.addWebhookEndpoint(
    {
      address: url.href,
      shownAddress: shown,
      secret,
      events,
      createdBy: principal.username,
      createdAt: context.clock.now(),
    },
    maxWebhookEndpoints,
    eventOf(context, principal, 'webhook_endpoint.added', shown, { before: null, after: { events } }),
  );
  if (endpoint === null)
    throw new Refusal(
      'conflict',
      'too_many_webhooks',
      `A client has at most ${maxWebhookEndpoints} endpoints. Delete one first.`,
    );
  return { endpoint, secret };
}

/**
 * Changes which events an endpoint gets.
 *
 * @param was values that the form read; see `requireUnchanged`.
 * @throws Refusal `not_found`; `changed_meanwhile` (409).
 */
export async function changeWebhookEvents(
  context: TenantContext,
  principal: Principal,
  id: string,
  wanted: readonly WebhookEvent[],
  was?: FieldValues,
): Promise<WebhookEndpoint> {
  const events = inOrder(wanted);
  const changed = await reportingConflicts(context, eventTexts(principal), () =>
    context.store.changeWebhookEndpoint(id, { events }, (before) => {
      requireUnchanged(was, { events: inOrder(before.events), address: before.shownAddress }, { events });
      return eventOf(context, principal, 'webhook_endpoint.changed', before.shownAddress, {
        before: { events: before.events },
        after: { events },
      });
    }),
  );
  return changed ?? refuseUnknown();
}

/** The address is stored with the checked values, so that the audit trail of this endpoint is searched. */
const subject = ({ address }: FieldValues): string => String(address);

const eventTexts = (principal: Principal): ConflictTexts => ({
  actor: actorOf(principal),
  actions: ['webhook_endpoint.changed', 'webhook_endpoint.added'],
  subject,
  textOf: (_key, stored) => ({ label: 'Events', value: listText(stored['events']) }),
});

/**
 * Pauses or resumes an endpoint. A resumed one gets the events that it missed in the last 30 days.
 *
 * @param was `paused` as the user saw it.
 * @throws Refusal `not_found`; `changed_meanwhile` (409), e.g. when another user paused an endpoint that failed.
 */
export async function pauseWebhookEndpoint(
  context: TenantContext,
  principal: Principal,
  id: string,
  isPaused: boolean,
  was?: FieldValues,
): Promise<WebhookEndpoint> {
  const readFrom = addSeconds(context.clock.now(), -missedDays * 86_400);
  const action = isPaused ? 'webhook_endpoint.paused' : 'webhook_endpoint.resumed';
  const texts = {
    actor: actorOf(principal),
    actions: ['webhook_endpoint.paused', 'webhook_endpoint.resumed'],
    subject,
    textOf: (_key: string, { paused }: FieldValues) => ({
      label: 'State',
      value: paused === true ? 'Paused' : 'Not paused',
    }),
  };
  const changed = await reportingConflicts(context, texts, () =>
    context.store.changeWebhookEndpoint(id, { isPaused, readFrom }, ({ shownAddress: address, state }) => {
      requireUnchanged(was, { paused: state === 'paused', address }, { paused: isPaused });
      return eventOf(context, principal, action, address, { before: null, after: null });
    }),
  );
  return changed ?? refuseUnknown();
}

/**
 * Replaces the secret of an endpoint. The old one signs too for 24 hours.
 *
 * @param was `old_secret_ends_at` as the screen showed it; a second rotation would end the secret that receivers use.
 * @returns the new secret, which cannot be read again.
 * @throws Refusal `not_found`; `changed_meanwhile` (409) when another user rotated it.
 */
export async function rotateWebhookSecret(
  context: TenantContext,
  principal: Principal,
  id: string,
  was?: FieldValues,
): Promise<{ readonly endpoint: WebhookEndpoint; readonly secret: string }> {
  const secret = newSecret();
  const oldEndsAt = addSeconds(context.clock.now(), overlapSeconds);
  const action = 'webhook_endpoint.secret_rotated';
  const texts = {
    actor: actorOf(principal),
    actions: [action],
    subject,
    textOf: () => ({ label: 'Secret', value: 'a new secret' }),
  };
  const endpoint = await reportingConflicts(context, texts, () =>
    context.store.rotateWebhookSecret(id, secret, oldEndsAt, ({ shownAddress: shown, oldSecretEndsAt }) => {
      requireUnchanged(was, { old_secret_ends_at: oldSecretEndsAt, address: shown });
      return eventOf(context, principal, action, shown, { before: null, after: null });
    }),
  );
  return { endpoint: endpoint ?? refuseUnknown(), secret };
}

/**
 * Deletes an endpoint with its deliveries.
 *
 * @param was values that the user saw; see `requireUnchanged`.
 * @throws Refusal `not_found`; `changed_meanwhile` (409).
 */
export async function removeWebhookEndpoint(
  context: TenantContext,
  principal: Principal,
  id: string,
  was?: FieldValues,
): Promise<void> {
  const removed = await reportingConflicts(context, eventTexts(principal), () =>
    context.store.removeWebhookEndpoint(id, ({ shownAddress: address, events }) => {
      requireUnchanged(was, { events: inOrder(events), address });
      return eventOf(context, principal, 'webhook_endpoint.deleted', address, { before: { events }, after: null });
    }),
  );
  if (removed === null) refuseUnknown();
}

/**
 * Queues a test event; a worker sends it within seconds.
 *
 * @throws Refusal `not_found`; `endpoint_paused` (409); `rate_limited`, `too_many_tries` (429).
 */
export async function testWebhookEndpoint(
  app: Pick<App, 'config' | 'store' | 'clock'>,
  { store, clock, tenantId }: TenantContext,
  { username, masquerader }: Principal,
  id: string,
): Promise<WebhookDelivery> {
  const now = clock.now();
  await throttle(app, [testsOf(tenantId)]);
  const delivery = testDelivery(randomUUID(), now, masquerader ?? username, app.config.appUrl);
  const added = await store.addTestDelivery(id, delivery, now, addSeconds(now, -testEverySeconds));
  if (added === null) return refuseUnknown();
  if (added === 'paused') return refusePaused();
  if (added === 'too_soon')
    throw new Refusal(
      'throttled',
      'rate_limited',
      `An endpoint gets one test event in ${testEverySeconds} seconds. Try again in a moment.`,
    );
  return added;
}

/** @throws Refusal `not_found`. */
export const listWebhookDeliveries = async (
  { store }: TenantContext,
  id: string,
  filter: Page & { readonly isFailed: boolean },
): Promise<{ readonly deliveries: readonly WebhookDelivery[]; readonly total: number }> =>
  (await store.listWebhookDeliveries(id, filter)) ?? refuseUnknown();

/**
 * Sends a delivery again, with the same `webhook-id`; a worker sends it within seconds.
 *
 * @throws Refusal `not_found`; `endpoint_paused` (409); `too_many_tries` (429).
 */
export async function resendWebhook(
  app: Pick<App, 'store' | 'clock'>,
  { store, clock, tenantId }: TenantContext,
  id: string,
): Promise<WebhookDelivery> {
  await throttle(app, [{ key: `webhooks sent again of ${tenantId}`, limit: maxResent }]);
  const queued = await store.resendWebhook(id, clock.now());
  return queued === null ? refuseUnknown() : queued === 'paused' ? refusePaused() : queued;
}

const newSecret = (): string => `${secretPrefix}${randomBytes(secretBytes).toString('base64')}`;

const inOrder = (events: readonly WebhookEvent[]): readonly WebhookEvent[] =>
  webhookEvents.filter((event) => events.includes(event));

const refuseUnknown = (): never => {
  throw new Refusal('not_found', 'not_found', 'This endpoint or delivery no longer exists.');
};

const refusePaused = (): never => {
  throw new Refusal('conflict', 'endpoint_paused', 'The endpoint is paused. Resume it first.');
};

const eventOf = (
  { clock }: TenantContext,
  principal: Principal,
  action: string,
  subject: string,
  change: Pick<NewAuditEvent, 'before' | 'after'>,
): NewAuditEvent => ({ at: clock.now(), actor: actorOf(principal), action, subject, ...change });
