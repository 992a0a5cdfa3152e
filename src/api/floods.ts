import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { callerOf, networkOf, networkShare } from '#core/caller.ts';
import { publicBodyLimit } from './bodies.ts';
import { TooManyCalls } from './rates.ts';

/** How requests without a valid session are slowed down, so that a flood of them does not affect other users. */
export interface FloodRules {
  /** Maximum burst of requests from one address that have no session or are rejected. */
  readonly burst: number;
  /** Such requests per second of one address after the burst; further requests wait. */
  readonly perSecond: number;
  /** Maximum wait of such a request, in milliseconds; a request that would wait longer is rejected. */
  readonly maxWaitMs: number;
  /** Minimum delay before an expensive rejection is sent, in milliseconds; the maximum is twice as long. */
  readonly holdMs: number;
}

/** A first visit makes about 40 requests; an office behind one address has many first visits on a Monday. */
export const usualFloodRules: FloodRules = { burst: 200, perSecond: 100, maxWaitMs: 5_000, holdMs: 1_000 };

/** Number of different delays, from `holdMs` to twice as long. */
const spread = 20;
/** Maximum number of delayed rejections; further ones are sent immediately. */
const maxHeld = 1_000;
/** Maximum number of remembered addresses; addresses without a backlog are dropped first. */
const maxCallers = 10_000;

/** Paces the requests of each caller: a burst passes, further requests follow at an even pace. */
export function createPace({ burst, perSecond }: FloodRules, nowMs: () => number = () => performance.now()) {
  const spacingMs = 1_000 / perSecond;
  /** When the requests of a caller so far will have passed at the even pace. */
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

/** Paces requests without a session and rejected requests by address, and delays expensive rejections. */
export function slowFloods(server: FastifyInstance, rules: FloodRules): void {
  const ofAddress = createPace(rules);
  const { burst, perSecond } = rules;
  const ofNetwork = createPace({ ...rules, burst: burst * networkShare, perSecond: perSecond * networkShare });
  const pace = (caller: string): number => {
    const network = networkOf(caller);
    return Math.max(ofAddress(caller), network === null ? 0 : ofNetwork(network));
  };
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
      // Callers that are rejected together must not return together.
      await delay(rules.holdMs * (1 + (held % spread) / spread), undefined, { ref: false });
      held -= 1;
    } else if (request.routeOptions.config.needsSession === true) {
      const waitMs = pace(callerOf(request.ip));
      if (waitMs > 0) await delay(Math.min(waitMs, rules.maxWaitMs), undefined, { ref: false });
    }
  });
}

/**
 * Returns true for a rejection that would keep the server busy if a program repeated it at once: a limit was hit, or
 * the body is large.
 */
const isExpensive = ({ headers }: FastifyRequest, statusCode: number): boolean =>
  statusCode === 429 ||
  statusCode === 503 ||
  headers['transfer-encoding'] !== undefined ||
  Number(headers['content-length'] ?? 0) > publicBodyLimit;
