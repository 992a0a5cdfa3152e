import { isReadBlock, ServiceError } from '#core/service-error.ts';
import type { CallLimits, DepartureLimit, RateLimiter } from '../../rate-limiter.ts';
import { limitReached } from '../errors.ts';
import type { ApiCall, Send } from './call.ts';

/** Published: 500 a minute, 10 a second, 10 at once per company (quickbooks reference section 3). */
const callsAMinute = 450;
/**
 * Ten in a second and a half: a second of theirs sees more only when calls arrive half a second later than others. A
 * caller that is refused there waits for a minute. Whatever was answered had arrived before: it counts for their second
 * alone from then on.
 */
const burst = { calls: 10, perSeconds: 1.5, secondsAfterAnswer: 1 };
/**
 * Places for calls at once, one fewer than published: an answer may be here before the service has counted its call as
 * ended.
 */
const callsAtOnce = 9;
/** Published: 40 batches a minute per company and application. */
const batchesAMinute = 38;
/**
 * A write waits no longer than this between the note that it was sent and its first byte: what becomes of it is counted
 * from the note. A caller that has to wait longer is told, and asks again with a new note.
 */
export const longestWriteWaitMs = 5_000;

/** Under this name all calls of a company share their permits. */
export const permitKeyOf = (realmId: string): string => `qbo:${realmId}`;

const limitsOf = (realmId: string, call: ApiCall): CallLimits => ({
  windows: [
    // Whether each object of a batch counts is not known [Q70]; we count it.
    { key: `qbo:minute:${realmId}`, calls: callsAMinute, perSeconds: 60, weight: call.items ?? 1 },
    { key: `qbo:burst:${realmId}`, ...burst },
    ...(call.items === undefined ? [] : [{ key: `qbo:batches:${realmId}`, calls: batchesAMinute, perSeconds: 60 }]),
  ],
  permitKey: permitKeyOf(realmId),
  permits: callsAtOnce,
});

/**
 * Ten leave this process within a second and a third at most, those apart that were answered a second ago. The windows alone let no more through as long as calls leave
 * when they are let; on a process that stands still for moments calls of three windows would leave together.
 */
export const departuresOf = (realmId: string): DepartureLimit => ({
  key: `qbo:departures:${realmId}`,
  calls: 10,
  perMs: 1_333,
  msAfterAnswer: 1_000,
});

/** Middleware: keeps the published limits of the company, and stops everybody when the service asks to wait. */
export const withRateLimit =
  <Call extends ApiCall>(realmId: string, limiter: RateLimiter, next: Send<Call>): Send<Call> =>
  async (call) => {
    const limits = limitsOf(realmId, call);
    try {
      return await limiter.run(
        limits,
        () => next(call),
        (waitMs) => limitReached(call.operation, waitMs),
        call.leavesBefore === undefined ? undefined : longestWriteWaitMs,
      );
    } catch (error) {
      // Our own limit affects only the call that reached it, and a block of reads does not affect writes.
      if (
        error instanceof ServiceError &&
        !isReadBlock(error) &&
        error.about.status !== undefined &&
        error.about.waitMs !== undefined
      )
        await limiter.pause(limits, error.about.waitMs);
      throw error;
    }
  };
