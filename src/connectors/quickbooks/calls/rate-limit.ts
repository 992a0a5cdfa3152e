import { isReadBlock, ServiceError } from '#core/service-error.ts';
import type { CallLimits, DepartureLimit, RateLimiter } from '../../rate-limiter.ts';
import { limitReached } from '../errors.ts';
import type { ApiCall, Send } from './call.ts';

/** Published: 500 a minute, 10 a second, 10 concurrent per company (quickbooks reference section 3). */
const callsAMinute = 450;
/**
 * Ten calls in 1.5 seconds: QuickBooks counts more in a second only if calls arrive half a second later than others.
 * After such a refusal, the caller waits a minute. An answered call had arrived before its answer, so it counts for only
 * one more second.
 */
const burst = { calls: 10, perSeconds: 1.5, secondsAfterAnswer: 1 };
/** Concurrent calls, one fewer than published: an answer may arrive before the service counts its call as ended. */
const callsAtOnce = 9;
/** Published: 40 batches a minute per company and application. */
const batchesAMinute = 38;
/**
 * Maximum wait of a write between the record that it was sent and its first byte, because its outcome is timed from
 * that record. If the wait is longer, the caller gets an error, and retries with a new record.
 */
export const maxWriteWaitMs = 5_000;

/** Returns the key under which all calls of a company share their permits. */
export const permitKeyOf = (realmId: string): string => `qbo:${realmId}`;

const limitsOf = (realmId: string, call: ApiCall, stopping: AbortSignal | undefined): CallLimits => ({
  windows: [
    // It is unknown whether each object of a batch counts [Q70]; we count it.
    { key: `qbo:minute:${realmId}`, calls: callsAMinute, perSeconds: 60, weight: call.items ?? 1 },
    { key: `qbo:burst:${realmId}`, ...burst },
    ...(call.items === undefined ? [] : [{ key: `qbo:batches:${realmId}`, calls: batchesAMinute, perSeconds: 60 }]),
  ],
  permitKey: permitKeyOf(realmId),
  permits: callsAtOnce,
  stopping,
});

/**
 * At most ten calls leave this process within 1.33 seconds, except those answered more than a second ago. The windows
 * alone are sufficient only if calls leave as soon as they get their permit: after a process stall, calls of three
 * windows would leave together.
 */
export const departuresOf = (realmId: string): DepartureLimit => ({
  key: `qbo:departures:${realmId}`,
  calls: 10,
  perMs: 1_333,
  msAfterAnswer: 1_000,
});

/** Middleware: applies the published limits of the company, and pauses all calls when the service asks to wait. */
export const withRateLimit =
  <Call extends ApiCall>(realmId: string, limiter: RateLimiter, next: Send<Call>, stopping?: AbortSignal): Send<Call> =>
  async (call) => {
    const limits = limitsOf(realmId, call, stopping);
    try {
      return await limiter.run(
        limits,
        () => next(call),
        (waitMs) => limitReached(call.operation, waitMs),
        call.leavesBefore === undefined ? undefined : maxWriteWaitMs,
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
