import { chatReply } from '#contract/chats.ts';
import type { Chat } from '#core/ports/chats.ts';
import { addChat, changeChat, listChats, removeChat, testChat } from '#flows/notices/chats.ts';
import { serve, type Serving } from '../serve.ts';
import { toWire } from '../to-wire.ts';

export function chatRoutes(serving: Serving): void {
  const { app } = serving;

  serve(serving, 'listChats', async ({ context }) => ({
    data: { webhooks: (await listChats(context)).map(toReply) },
  }));

  serve(serving, 'addChat', async ({ context, principal, body }) => ({
    data: toReply(await addChat(app, context, principal, body)),
  }));

  serve(serving, 'changeChat', async ({ context, principal, params, body }) => ({
    data: toReply(await changeChat(context, principal, params.id, body, body.was)),
  }));

  serve(serving, 'removeChat', async ({ context, principal, params, body }) => {
    await removeChat(context, principal, params.id, body?.was);
    return { data: null };
  });

  serve(serving, 'testChat', async ({ context, principal, params }) => ({
    data: { error: await testChat(app, context, principal, params.id) },
  }));
}

const toReply = (target: Chat) => toWire(chatReply, target);
