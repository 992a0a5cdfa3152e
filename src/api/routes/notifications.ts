import type { FastifyRequest } from 'fastify';
import { callerOf, networkOf } from '#core/caller.ts';
import type { IncomingNotification } from '#core/ports/notifications.ts';
import { Refusal } from '#core/refusal.ts';
import { receiveNotification } from '#flows/connections/receive-notification.ts';
import { publicBodyLimit } from '../bodies.ts';
import { TooManyCalls } from '../rates.ts';
import { serve, type Serving } from '../serve.ts';
import { onConnectionClosed } from '../connection-closed.ts';

/** An HMAC-SHA256 in base64. */
const signatureShape = /^[\w+/]{43}=$/;

/** Large messages received at once, from one address or IPv6 network and in total. A signed one counts until it arrived. */
const maxLarge = { perCaller: 2, together: 16 } as const;
/** Messages about one company that wait or are saved; QuickBooks repeats further ones. */
const maxPerCompany = 8;
/** QuickBooks repeats a failed delivery after this many seconds. */
const againAfterSeconds = 10;
/** Time limit for the whole body to arrive. */
const bodyWithinMs = 5_000;

const notSigned = () => new Refusal('unauthorized', 'not_signed', 'The signature is missing or wrong.');

/** @param withinMs time limit for a body to arrive, in milliseconds. */
export function notificationRoutes(serving: Serving, withinMs = bodyWithinMs): void {
  const { app } = serving;
  void serving.server.register(async (scope) => {
    const large = new Map<string, number>();
    const ofCompanies = new Map<string, number>();
    const arrived = new WeakMap<FastifyRequest, () => void>();
    // The signature covers the raw bytes, so they are not parsed first.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', async (request: FastifyRequest, payload: AsyncIterable<Buffer>) => {
      const message = app.notifications.receive(signatureOf(request));
      await receiveBody(payload, message, request.routeOptions.bodyLimit, withinMs);
      return message;
    });
    // A message without a signature, or one too many large messages, is rejected before its body is read.
    scope.addHook('onRequest', async (request, reply) => {
      if (!signatureShape.test(signatureOf(request))) throw notSigned();
      if (announcedBytes(request) <= publicBodyLimit) return;
      const address = callerOf(request.ip);
      const caller = networkOf(address) ?? address;
      const all = [...large.values()].reduce((sum, count) => sum + count, 0);
      if (all >= maxLarge.together) throw new TooManyCalls(againAfterSeconds);
      const leave = enter(large, caller, maxLarge.perCaller);
      arrived.set(request, leave);
      onConnectionClosed(reply, leave);
    });
    serve({ ...serving, server: scope }, 'accountingNotification', async ({ body, request, reply }) => {
      const gone = new AbortController();
      onConnectionClosed(reply, () => gone.abort());
      const received = isMessage(body) ? body : app.notifications.receive(signatureOf(request));
      const message = received.finish();
      if (message === null) throw notSigned();
      // A company with many changes waits here, and takes none of the places for messages that arrive.
      arrived.get(request)?.();
      const turn = `notifications of company ${message.firstCompanyId}`;
      const leave = enter(ofCompanies, turn, maxPerCompany);
      try {
        // Reading and saving a large message takes all slots of the company.
        const slots = message.bytes > publicBodyLimit ? Number.POSITIVE_INFINITY : 1;
        const release = await serving.queue.enter(turn, gone.signal, slots);
        await receiveNotification(app, message).finally(() => release());
      } finally {
        leave();
      }
      return { data: null };
    });
  });
}

/**
 * Counts one more for the key.
 *
 * @returns a function that counts one less; it may be called twice.
 * @throws TooManyCalls when the maximum is reached.
 */
function enter(counts: Map<string, number>, key: string, max: number): () => void {
  const count = counts.get(key) ?? 0;
  if (count >= max) throw new TooManyCalls(againAfterSeconds);
  counts.set(key, count + 1);
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    const left = (counts.get(key) ?? 1) - 1;
    if (left === 0) counts.delete(key);
    else counts.set(key, left);
  };
}

/**
 * Passes on a body while it arrives.
 *
 * @throws Refusal `payload_too_large` (413), `too_slow` (408).
 */
async function receiveBody(
  payload: AsyncIterable<Buffer> & { destroy?: () => void },
  message: IncomingNotification,
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

const isMessage = (body: unknown): body is IncomingNotification =>
  typeof body === 'object' && body !== null && 'finish' in body && 'add' in body;

function signatureOf({ headers }: FastifyRequest): string {
  const signature = headers['intuit-signature'];
  return typeof signature === 'string' ? signature : '';
}

/** Returns the announced size of a body in bytes; without an announcement, the size is unlimited. */
const announcedBytes = ({ headers }: FastifyRequest): number =>
  headers['content-length'] === undefined ? Number.POSITIVE_INFINITY : Number(headers['content-length']);
