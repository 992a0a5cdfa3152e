import type { FastifyRequest } from 'fastify';
import { callerOf } from '#core/caller.ts';
import type { IncomingWebhook } from '#core/ports/webhooks.ts';
import { Refusal } from '#core/refusal.ts';
import { notSigned, receiveWebhook } from '#flows/connections/receive-webhook.ts';
import { publicBodyLimit } from '../bodies.ts';
import { TooManyCalls } from '../rates.ts';
import { serve, type Serving } from '../serve.ts';
import { onConnectionClosed } from '../connection-closed.ts';

/** An HMAC-SHA256 in base64. */
const signatureShape = /^[\w+/]{43}=$/;

/** Large messages received at once, from one address and in total. */
const maxLarge = { perCaller: 2, together: 16 } as const;
/** QuickBooks repeats a failed delivery after this many seconds. */
const againAfterSeconds = 10;
/** Time limit for the whole body to arrive. */
const bodyWithinMs = 5_000;

/** @param withinMs time limit for a body to arrive, in milliseconds. */
export function webhookRoutes(serving: Serving, withinMs = bodyWithinMs): void {
  const { app } = serving;
  void serving.server.register(async (scope) => {
    const large = new Map<string, number>();
    // The signature covers the raw bytes, so they are not parsed first.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', async (request: FastifyRequest, payload: AsyncIterable<Buffer>) => {
      const message = app.webhooks.receive(signatureOf(request));
      await receiveBody(payload, message, request.routeOptions.bodyLimit, withinMs);
      return message;
    });
    // A message without a signature, or one too many large messages, is rejected before its body is read.
    scope.addHook('onRequest', async (request, reply) => {
      if (!signatureShape.test(signatureOf(request))) throw notSigned();
      if (announcedBytes(request) <= publicBodyLimit) return;
      const caller = callerOf(request.ip);
      const own = large.get(caller) ?? 0;
      const all = [...large.values()].reduce((sum, count) => sum + count, 0);
      if (own >= maxLarge.perCaller || all >= maxLarge.together) throw new TooManyCalls(againAfterSeconds);
      large.set(caller, own + 1);
      onConnectionClosed(reply, () => {
        const left = (large.get(caller) ?? 1) - 1;
        if (left === 0) large.delete(caller);
        else large.set(caller, left);
      });
    });
    serve({ ...serving, server: scope }, 'booksWebhook', async ({ body, request }) => {
      await receiveWebhook(app, isMessage(body) ? body : app.webhooks.receive(signatureOf(request)));
      return { data: null };
    });
  });
}

/**
 * Passes on a body while it arrives.
 *
 * @throws Refusal `payload_too_large` (413), `too_slow` (408).
 */
async function receiveBody(
  payload: AsyncIterable<Buffer> & { destroy?: () => void },
  message: IncomingWebhook,
  maxBytes: number,
  withinMs: number,
): Promise<void> {
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    payload.destroy?.();
  }, withinMs);
  let received = 0;
  try {
    for await (const bytes of payload) {
      received += bytes.length;
      if (received > maxBytes) throw new Refusal('too_large', 'payload_too_large', 'The request is too large.');
      message.add(bytes);
    }
  } catch (error) {
    if (isLate) throw new Refusal('too_slow', 'too_slow', 'The request did not arrive in time.');
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

const isMessage = (body: unknown): body is IncomingWebhook =>
  typeof body === 'object' && body !== null && 'finish' in body && 'add' in body;

function signatureOf({ headers }: FastifyRequest): string {
  const signature = headers['intuit-signature'];
  return typeof signature === 'string' ? signature : '';
}

/** Returns the announced size of a body in bytes; without an announcement, the size is unlimited. */
const announcedBytes = ({ headers }: FastifyRequest): number =>
  headers['content-length'] === undefined ? Number.POSITIVE_INFINITY : Number(headers['content-length']);
