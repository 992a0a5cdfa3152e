import type { Delivery, TakenWebhook } from '#core/ports/webhook-targets.ts';
import { addSeconds } from '#core/values/dates.ts';
import { webhookTargetLabels, type WebhookTargetKind } from '#core/webhook-target.ts';
import type { App } from '../context.ts';
import { sendInLanes } from '../lanes.ts';
import { bodyFor, messageOf } from './chat-messages.ts';

/** Pause after the first failure; it doubles with each further failure. */
const firstPauseSeconds = 60;
const maxPauseSeconds = 3_600;
/** About two hours in total. */
const maxTries = 8;
/** Returns clients with messages that are due, for {@link sendWebhooks}. */
export const tenantsWithChatMessages = ({ store, clock }: App, limit: number): Promise<readonly string[]> =>
  store.tenantsWithChatMessages(clock.now(), limit);

/**
 * Posts the due messages of a client to Slack and Teams; several workers share them. A chat cannot recognize a repeated
 * message. So a message that may have arrived, because its worker died or the chat did not respond, is repeated at most
 * once, and its text says that it is a repetition.
 *
 * @param signal ends it between two messages.
 * @returns the number of delivered messages.
 */
export function sendWebhooks(app: App, tenantId: string, signal?: AbortSignal): Promise<number> {
  const store = app.store.forTenant(tenantId);
  return sendInLanes(
    () => store.takeWebhook(app.clock.now()),
    (taken) => deliver(app, tenantId, taken),
    signal,
  );
}

async function deliver(
  { store, webhookSender, clock, logger, config }: App,
  tenantId: string,
  taken: TakenWebhook,
): Promise<boolean> {
  const { id, targetId, payload, tries, mayBePosted } = taken;
  const tenant = store.forTenant(tenantId);
  const target = await tenant.openWebhookTarget(targetId);
  // Removed in the meantime, with its messages.
  if (target === null) return false;
  const { name: client, timeZone } = await tenant.readTenant();
  const message = messageOf(payload.notice, { client, timeZone, appUrl: config.appUrl }, mayBePosted);
  // Ended before the call: if this worker dies too, the message is not posted a third time.
  if (mayBePosted) await tenant.endWebhook(id, clock.now());
  const result = await webhookSender.post(target.address, bodyFor(target.kind, message));
  const now = clock.now();
  if (result.isDelivered) {
    await tenant.noteDelivery(targetId, now, null);
    await tenant.endWebhook(id, now);
    return true;
  }
  const isLast = mayBePosted || tries >= maxTries || !mayPass(result);
  const next = isLast ? 'This message was dropped.' : 'Tallybridge tries again.';
  await tenant.noteDelivery(targetId, now, `${failureText(target.kind, result)} ${next}`);
  if (isLast) await tenant.endWebhook(id, now);
  else await tenant.retryWebhook(id, addSeconds(now, pauseSeconds(tries, result.waitMs)), result.mayBePosted === true);
  const { status, reason } = result;
  logger.warn(
    { tenantId, targetId, tries, status, reason },
    isLast ? 'a chat message was dropped' : 'a chat message failed',
  );
  return false;
}

const pauseSeconds = (tries: number, waitMs = 0): number =>
  Math.max(Math.min(firstPauseSeconds * 2 ** (tries - 1), maxPauseSeconds), Math.ceil(waitMs / 1_000));

type Failure = Extract<Delivery, { isDelivered: false }>;

/** Whether another try may succeed: not after an answer that rejects the address or the message. */
const mayPass = ({ status }: Failure): boolean => status === null || status === 408 || status === 429 || status >= 500;

/** Returns what failed and what to do, without the address. */
export function failureText(kind: WebhookTargetKind, { status, reason }: Failure): string {
  const label = webhookTargetLabels[kind];
  if (status === null)
    return /not public/.test(reason)
      ? 'The address is not public, so nothing was sent. Remove it and add another one.'
      : `${label} did not answer (${reason}).`;
  if (status === 429) return `${label} limits messages (429).`;
  if (status >= 500 || status === 408) return `${label} has a problem (${status}).`;
  return `${label} rejects this address (${status}). Remove it, create another webhook in ${label}, and add its address.`;
}
