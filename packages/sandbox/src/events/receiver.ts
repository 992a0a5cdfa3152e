import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SandboxAnswer, SandboxRequest } from '../kit/definition.ts';

/** What the receiver does with an event. */
export const eventAnswers = ['accept', 'fail', 'redirect', 'gone', 'slow'] as const;
export type EventAnswer = (typeof eventAnswers)[number];

/** Real milliseconds of a slow receiver; clients give up earlier. */
export const slowMs = 15_000;

/** An event that the receiver got. */
export interface ReceivedEvent {
  readonly at: string;
  readonly path: string;
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
  /** Whether a known secret signed it; null while no secret is known. */
  readonly is_verified: boolean | null;
  readonly status: number;
  readonly body: string;
}

const maxStored = 2_000;
const place = /^\/webhooks\/events(?:\/|$)/;

const plain = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): SandboxAnswer => ({
  status,
  headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers },
  body,
});

/** Receives events signed as in Standard Webhooks (`/webhooks/events/…`): verifies and stores them. */
export class EventReceiver {
  readonly events: ReceivedEvent[] = [];
  #secrets: readonly string[] = [];
  readonly #now: () => number;
  readonly #answer: () => EventAnswer;

  constructor(now: () => number, answer: () => EventAnswer) {
    this.#now = now;
    this.#answer = answer;
  }

  /** Sets the secrets of the senders. With one or more, other signatures are refused with 401. */
  trust(secrets: readonly string[]): void {
    this.#secrets = secrets;
  }

  clear(): void {
    this.events.length = 0;
    this.#secrets = [];
  }

  /** Returns how long to wait before handling; undefined for other paths. */
  delayMs(path: string): number | undefined {
    return place.test(path) ? (this.#answer() === 'slow' ? slowMs : 0) : undefined;
  }

  /** Returns undefined for other paths. */
  handle(request: SandboxRequest): SandboxAnswer | undefined {
    if (!place.test(request.path)) return undefined;
    if (request.method !== 'POST') return plain(405, 'Method not allowed');
    const header = (name: string): string => String(request.headers[`webhook-${name}`] ?? '');
    const [id, timestamp, signature] = [header('id'), header('timestamp'), header('signature')];
    const body = request.text();
    const isVerified = this.#secrets.length === 0 ? null : this.#isSigned(`${id}.${timestamp}.${body}`, signature);
    const answer = this.#answerTo(isVerified);
    const { path } = request;
    const at = new Date(this.#now()).toISOString();
    this.events.push({ at, path, id, timestamp, signature, is_verified: isVerified, status: answer.status, body });
    if (this.events.length > maxStored) this.events.shift();
    return { ...answer, applied: answer.status < 300 };
  }

  #answerTo(isVerified: boolean | null): SandboxAnswer {
    if (isVerified === false) return plain(401, 'The signature is wrong.');
    const mode = this.#answer();
    if (mode === 'fail') return plain(500, 'The receiver has a problem.');
    if (mode === 'gone') return plain(410, 'The receiver wants no more events.');
    if (mode === 'redirect') return plain(302, '', { Location: '/webhooks/events/elsewhere' });
    return plain(200, 'ok');
  }

  #isSigned(signed: string, signature: string): boolean {
    return this.#secrets.some((secret) => {
      const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
      const expected = createHmac('sha256', key).update(signed).digest();
      return signature.split(' ').some((one) => {
        const given = Buffer.from(one.replace(/^v1,/, ''), 'base64');
        return one.startsWith('v1,') && given.length === expected.length && timingSafeEqual(given, expected);
      });
    });
  }
}
