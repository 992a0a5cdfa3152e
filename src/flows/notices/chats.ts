import { requireUnchanged, type FieldText, type FieldValues } from '#core/changed-meanwhile.ts';
import { noticeGroupLabels, noticeGroups, type NoticeGroup } from '#core/notice-preferences.ts';
import type { NewAuditEvent } from '#core/records/audit.ts';
import type { Chat } from '#core/ports/chats.ts';
import { Refusal } from '#core/refusal.ts';
import { collapsed, listText } from '#core/values/text.ts';
import { maskedAddress, maxChats, type ChatKind } from '#core/chat.ts';
import { reportingConflicts } from '../changed-meanwhile.ts';
import { actorOf, type Principal } from '../access/principal.ts';
import { testsOf, throttle } from '../access/throttle.ts';
import type { App, TenantContext } from '../context.ts';
import { bodyFor, testMessage } from './chat-messages.ts';
import { failureText } from './post-to-chat.ts';

/** A user waits for the result of a test. */
const testWithinMs = 3_000;

export const listChats = ({ store }: TenantContext): Promise<readonly Chat[]> => store.listChats();

/**
 * Adds a chat that gets notices.
 *
 * @throws Refusal `validation_failed` (422) for an address that is not public; `too_many_webhooks` (409).
 */
export async function addChat(
  { webhookSender }: Pick<App, 'webhookSender'>,
  context: TenantContext,
  principal: Principal,
  added: {
    readonly kind: ChatKind;
    readonly name: string;
    readonly address: string;
    readonly groups: readonly NoticeGroup[];
  },
): Promise<Chat> {
  const url = webhookSender.parseAddress(added.address.trim());
  if (url === null) {
    const message = 'Enter the https address of an incoming webhook on the internet.';
    throw new Refusal('unprocessable', 'validation_failed', message, [{ key: 'address', error: message }]);
  }
  const { kind } = added;
  const [name, groups, addressEnd] = [collapsed(added.name), inOrder(added.groups), maskedAddress(url)];
  const target = await context.store.addChat(
    {
      kind,
      name,
      address: url.href,
      addressEnd,
      groups,
      createdBy: principal.username,
      createdAt: context.clock.now(),
    },
    maxChats,
    eventOf(context, principal, 'webhook.added', { name, before: null, after: { kind, address: addressEnd, groups } }),
  );
  if (target === null)
    throw new Refusal('conflict', 'too_many_webhooks', `A client has at most ${maxChats} chats. Remove one first.`);
  return target;
}

/**
 * Changes the name of a chat or what it gets.
 *
 * @param was values that the form read; see `requireUnchanged`.
 * @throws Refusal `not_found`; `changed_meanwhile` (409).
 */
export async function changeChat(
  context: TenantContext,
  principal: Principal,
  id: string,
  change: { readonly name?: string | undefined; readonly groups?: readonly NoticeGroup[] | undefined },
  was?: FieldValues,
): Promise<Chat> {
  const wanted = {
    ...(change.name !== undefined && { name: collapsed(change.name) }),
    ...(change.groups !== undefined && { groups: inOrder(change.groups) }),
  };
  const changed = await reportingConflicts(context, conflictTexts(principal), () =>
    context.store.changeChat(id, wanted, (before, after) => {
      const stored = { name: before.name, groups: inOrder(before.groups) };
      requireUnchanged(was, stored, wanted);
      const { name } = after;
      const keys = Object.keys(wanted);
      const changedOf = (all: object) => Object.fromEntries(Object.entries(all).filter(([key]) => keys.includes(key)));
      return eventOf(context, principal, 'webhook.changed', {
        name,
        before: changedOf(stored),
        after: changedOf({ name, groups: inOrder(after.groups) }),
      });
    }),
  );
  return changed ?? refuseUnknown();
}

const chatText = (key: string, stored: FieldValues): FieldText =>
  key === 'name'
    ? { label: 'Name', value: String(stored['name']) }
    : { label: 'Notices', value: listText(stored['groups'], noticeGroupLabels) };

const conflictTexts = (principal: Principal) => ({
  actor: actorOf(principal),
  actions: ['webhook.changed', 'webhook.added'],
  subject: ({ name }: FieldValues) => String(name),
  textOf: chatText,
});

/**
 * Removes a chat.
 *
 * @param was values that the user saw; see `requireUnchanged`.
 * @throws Refusal `not_found`; `changed_meanwhile` (409).
 */
export async function removeChat(
  context: TenantContext,
  principal: Principal,
  id: string,
  was?: FieldValues,
): Promise<void> {
  const removed = await reportingConflicts(context, conflictTexts(principal), () =>
    context.store.removeChat(id, ({ name, kind, addressEnd: address, groups }) => {
      requireUnchanged(was, { name, groups: inOrder(groups) });
      return eventOf(context, principal, 'webhook.removed', { name, before: { kind, address, groups }, after: null });
    }),
  );
  if (removed === null) refuseUnknown();
}

/**
 * Sends a test message now, once, and waits for the answer for three seconds.
 *
 * @returns why it failed; null after a success.
 * @throws Refusal `not_found`; `too_many_tries` (429).
 */
export async function testChat(
  app: Pick<App, 'webhookSender' | 'config' | 'store' | 'clock'>,
  { store, clock, tenantId }: TenantContext,
  { username, masquerader }: Principal,
  id: string,
): Promise<string | null> {
  const { webhookSender, config } = app;
  await throttle(app, [testsOf(tenantId)]);
  const target = (await store.openChat(id)) ?? refuseUnknown();
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
  throw new Refusal('not_found', 'not_found', 'Chat not found.');
};

const eventOf = (
  { clock }: TenantContext,
  principal: Principal,
  action: string,
  { name, before, after }: { readonly name: string } & Pick<NewAuditEvent, 'before' | 'after'>,
): NewAuditEvent => ({ at: clock.now(), actor: actorOf(principal), action, subject: name, before, after });
