import { inParallel } from '#core/in-parallel.ts';
import type { Delivery } from '#core/ports/chats.ts';
import type { TakenChatMessage } from '#core/records/outbox.ts';
import { chatLabels, type ChatKind } from '#core/chat.ts';
import type { App } from '../context.ts';
import { settle } from '../outbox/settle.ts';
import { bodyFor, messageOf } from './chat-messages.ts';

/**
 * Posts a message that the caller has taken to its chat. A chat cannot recognize a repeated message, so the text of a
 * message that may have arrived before says that it is a repetition.
 *
 * @returns whether it was delivered.
 */
export async function postToChat(app: App, tenantId: string, message: TakenChatMessage): Promise<boolean> {
  const { store, webhookSender, clock, logger, config } = app;
  const { chatId, notice, tries, mayHaveArrived } = message;
  const tenant = store.forTenant(tenantId);
  const [chat, { name: client, timeZone }] = await inParallel([tenant.openChat(chatId), tenant.readTenant()]).catch(
    async (error: unknown) => {
      // Nothing was sent.
      await settle(app, message, { mayHaveArrived: false, isFinal: false, waitMs: 0 });
      throw error;
    },
  );
  // Removed in the meantime, with its messages.
  if (chat === null) return false;
  const text = messageOf(notice, { client, timeZone, appUrl: config.appUrl }, mayHaveArrived);
  const result = await webhookSender.post(chat.address, bodyFor(chat.kind, text));
  if (result.isDelivered) {
    await tenant.noteDelivery(chatId, clock.now(), null);
    await settle(app, message, null);
    return true;
  }
  const { status, reason, waitMs = 0, mayBePosted = false } = result;
  const isLast = await settle(app, message, { mayHaveArrived: mayBePosted, isFinal: !mayPass(result), waitMs });
  const next = isLast ? 'This message was dropped.' : 'Tallybridge tries again.';
  await tenant.noteDelivery(chatId, clock.now(), `${failureText(chat.kind, result)} ${next}`);
  logger.warn(
    { tenantId, chatId, tries, status, reason },
    isLast ? 'a chat message was dropped' : 'a chat message failed',
  );
  return false;
}

type Failure = Extract<Delivery, { isDelivered: false }>;

/** Whether another try may succeed: not after an answer that rejects the address or the message. */
const mayPass = ({ status }: Failure): boolean => status === null || status === 408 || status === 429 || status >= 500;

/** Returns what failed and what to do, without the address. */
export function failureText(kind: ChatKind, { status, reason }: Failure): string {
  const label = chatLabels[kind];
  if (status === null)
    return /not public/.test(reason)
      ? 'The address is not public, so nothing was sent. Remove it and add another one.'
      : `${label} did not answer (${reason}).`;
  if (status === 429) return `${label} limits messages (429).`;
  if (status >= 500 || status === 408) return `${label} has a problem (${status}).`;
  return `${label} rejects this address (${status}). Remove it, create another webhook in ${label}, and add its address.`;
}
