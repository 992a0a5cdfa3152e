import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { callerOf } from '#core/caller.ts';
import { publicBodyLimit } from './bodies.ts';
import { TooManyCalls } from './rates.ts';

/** How requests that prove nothing are slowed down, so that a flood of them costs other users nothing. */
export interface FloodRules {
  /** Requests without a session, and refused ones, that one address may make at once. */
  readonly burst: number;
  /** Such requests of one address in a second after that; more of them wait. */
  readonly perSecond: number;
  /** Longest wait of such a request, in milliseconds; one that had to wait longer is refused. */
  readonly maxWaitMs: number;
  /** Shortest time before an expensive refusal is answered, in milliseconds; the longest is twice as long. */
  readonly holdMs: number;
}

/** A first visit is about 40 files and calls; an office behind one address has many first visits on a Monday. */
export const usualFloodRules: FloodRules = { burst: 200, perSecond: 100, maxWaitMs: 5_000, holdMs: 1_000 };

/** Lengths of a hold, from its time to twice as long. */
const spread = 20;
/** Refused answers held at once; more are answered immediately. */
const maxHeld = 1_000;
/** Addresses that are remembered; those that have caught up are forgotten first. */
const maxCallers = 10_000;

/** Spreads the requests of each caller: a burst passes, the others follow at an even pace. */
export function createPace({ burst, perSecond }: FloodRules, nowMs: () => number = () => performance.now()) {
  const spacingMs = 1_000 / perSecond;
  /** Time by which all requests of a caller so far are through at the even pace. */
  const through = new Map<string, number>();
  return (caller: string): number => {
    const now = nowMs();
    if (through.size >= maxCallers) {
      for (const [key, at] of through) if (at <= now) through.delete(key);
      if (through.size >= maxCallers) through.clear();
    }
    const at = Math.max(through.get(caller) ?? 0, now) + spacingMs;
    through.set(caller, at);
    return Math.max(0, at - now - burst * spacingMs);
  };
}

/** Paces requests without a session and refused ones by address, and holds expensive refusals for a moment. */
export function slowFloods(server: FastifyInstance, rules: FloodRules): void {
  const pace = createPace(rules);
  let held = 0;
  const paced = async (request: FastifyRequest): Promise<void> => {
    const waitMs = pace(callerOf(request.ip));
    if (waitMs > rules.maxWaitMs) throw new TooManyCalls(Math.ceil(waitMs / 1_000));
    if (waitMs > 0) await delay(waitMs, undefined, { ref: false });
  };
  server.addHook('onRequest', async (request) => {
    if (request.routeOptions.config.needsSession !== true) await paced(request);
  });
  server.addHook('onSend', async (request, { statusCode }) => {
    if (statusCode < 400) return;
    if (isExpensive(request, statusCode) && held < maxHeld) {
      held += 1;
      // Callers that were refused together must not come back together.
      await delay(rules.holdMs * (1 + (held % spread) / spread), undefined, { ref: false });
      held -= 1;
    } else if (request.routeOptions.config.needsSession === true) {
      const waitMs = pace(callerOf(request.ip));
      if (waitMs > 0) await delay(Math.min(waitMs, rules.maxWaitMs), undefined, { ref: false });
    }
  });
}

/** Whether a program that repeats a refused request at once would keep the server busy: a limit was hit, or a large body. */
const isExpensive = ({ headers }: FastifyRequest, statusCode: number): boolean =>
  statusCode === 429 ||
  statusCode === 503 ||
  headers['transfer-encoding'] !== undefined ||
  Number(headers['content-length'] ?? 0) > publicBodyLimit;
