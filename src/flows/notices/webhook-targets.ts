import { noticeGroups, type NoticeGroup } from '#core/notice-preferences.ts';
import type { NewAuditEvent } from '#core/records/audit.ts';
import type { WebhookTarget } from '#core/ports/webhook-targets.ts';
import { Refusal } from '#core/refusal.ts';
import { collapsed } from '#core/values/text.ts';
import { maskedAddress, maxWebhookTargets, type WebhookTargetKind } from '#core/webhook-target.ts';
import { actorOf, type Principal } from '../access/principal.ts';
import type { App, TenantContext } from '../context.ts';
import { bodyFor, testMessage } from './chat-messages.ts';
import { failureText } from './send-webhooks.ts';

/** A user waits for the result of a test. */
const testWithinMs = 3_000;

export const listWebhookTargets = ({ store }: TenantContext): Promise<readonly WebhookTarget[]> =>
  store.listWebhookTargets();

/**
 * Adds a chat that gets notices.
 *
 * @throws Refusal `validation_failed` (422) for an address that is not public; `too_many_webhooks` (409).
 */
export async function addWebhookTarget(
  { webhookSender }: Pick<App, 'webhookSender'>,
  context: TenantContext,
  principal: Principal,
  added: {
    readonly kind: WebhookTargetKind;
    readonly name: string;
    readonly address: string;
    readonly groups: readonly NoticeGroup[];
  },
): Promise<WebhookTarget> {
  const url = webhookSender.parseAddress(added.address.trim());
  if (url === null) {
    const message = 'Enter the https address of an incoming webhook on the internet.';
    throw new Refusal('unprocessable', 'validation_failed', message, [{ key: 'address', error: message }]);
  }
  const { kind } = added;
  const [name, groups, addressEnd] = [collapsed(added.name), inOrder(added.groups), maskedAddress(url)];
  const target = await context.store.addWebhookTarget(
    {
      kind,
      name,
      address: url.href,
      addressEnd,
      groups,
      createdBy: principal.username,
      createdAt: context.clock.now(),
    },
    maxWebhookTargets,
    eventOf(context, principal, 'webhook.added', { name, before: null, after: { kind, address: addressEnd, groups } }),
  );
  if (target === null)
    throw new Refusal(
      'conflict',
      'too_many_webhooks',
      `A client has at most ${maxWebhookTargets} webhooks. Remove one first.`,
    );
  return target;
}

/** @throws Refusal `not_found`. */
export async function changeWebhookTarget(
  context: TenantContext,
  principal: Principal,
  id: string,
  change: { readonly name: string; readonly groups: readonly NoticeGroup[] },
): Promise<WebhookTarget> {
  const [name, groups] = [collapsed(change.name), inOrder(change.groups)];
  const changed = await context.store.changeWebhookTarget(id, { name, groups }, (before) =>
    eventOf(context, principal, 'webhook.changed', {
      name,
      before: { name: before.name, groups: before.groups },
      after: { name, groups },
    }),
  );
  return changed ?? refuseUnknown();
}

/** @throws Refusal `not_found`. */
export async function removeWebhookTarget(context: TenantContext, principal: Principal, id: string): Promise<void> {
  const removed = await context.store.removeWebhookTarget(id, ({ name, kind, addressEnd: address, groups }) =>
    eventOf(context, principal, 'webhook.removed', { name, before: { kind, address, groups }, after: null }),
  );
  if (removed === null) refuseUnknown();
}

/**
 * Sends a test message now, once, and waits for the answer for three seconds.
 *
 * @returns why it failed; null after a success.
 * @throws Refusal `not_found`.
 */
export async function testWebhookTarget(
  { webhookSender, config }: Pick<App, 'webhookSender' | 'config'>,
  { store, clock }: TenantContext,
  { username, masquerader }: Principal,
  id: string,
): Promise<string | null> {
  const target = (await store.openWebhookTarget(id)) ?? refuseUnknown();
  const { name: client } = await store.readTenant();
  const message = testMessage(client, masquerader ?? username, config.appUrl);
  const result = await webhookSender.post(target.address, bodyFor(target.kind, message), testWithinMs);
  const error = result.isDelivered ? null : failureText(target.kind, result);
  await store.noteDelivery(id, clock.now(), error);
  return error;
}

const inOrder = (groups: readonly NoticeGroup[]): readonly NoticeGroup[] =>
  noticeGroups.filter((group) => groups.includes(group));

const refuseUnknown = (): never => {
  throw new Refusal('not_found', 'not_found', 'Webhook not found.');
};

const eventOf = (
  { clock }: TenantContext,
  principal: Principal,
  action: string,
  { name, before, after }: { readonly name: string } & Pick<NewAuditEvent, 'before' | 'after'>,
): NewAuditEvent => ({ at: clock.now(), actor: actorOf(principal), action, subject: name, before, after });
