import type { Lease } from '#core/ports/leases.ts';
import { isReadBlock, ServiceError } from '#core/service-error.ts';
import { epochMs, type Instant } from '#core/values/dates.ts';
import type { CallLimits, RateLimiter, RateLimits, RateWindow } from '../../rate-limiter.ts';
import { limitReached } from '../errors.ts';
import type { ApiCall, Send } from './call.ts';

/**
 * Published: 500 calls a minute, 10 a second and 10 concurrent per company, 40 batches a minute (quickbooks reference
 * section 3). An answer may arrive before the service counts its call as ended, so the concurrent calls add up to 9. A
 * worker may make the eight calls that read all lists at once.
 */
const limits = {
  worker: { callsAMinute: 400, calls: 8, concurrent: 7, batchesAMinute: 36 },
  api: { callsAMinute: 40, calls: 2, concurrent: 2, batchesAMinute: 2 },
} as const;
/** Calls of the minute that no process uses otherwise: for a worker that takes over a company. */
const takeoverCalls = 60;
const limitsOf = ({ isApi }: RateLimits) => (isApi ? limits.api : limits.worker);
/**
 * Maximum wait of a write between the record that it was sent and its first byte, because its outcome is timed from
 * that record. If the wait is longer, the caller gets an error, and retries with a new record.
 */
export const maxWriteWaitMs = 5_000;

const minuteOf = (rateLimits: RateLimits, realmId: string): RateWindow => ({
  key: `qbo:minute:${realmId}`,
  calls: limitsOf(rateLimits).callsAMinute,
  perSeconds: 60,
});

const callLimits = (
  rateLimits: RateLimits,
  realmId: string,
  call: ApiCall,
  stopping: AbortSignal | undefined,
): CallLimits => ({
  windows: [
    // It is unknown whether each object of a batch counts [Q70]; we count it.
    { ...minuteOf(rateLimits, realmId), weight: call.items ?? 1 },
    ...(call.items === undefined
      ? []
      : [{ key: `qbo:batches:${realmId}`, calls: limitsOf(rateLimits).batchesAMinute, perSeconds: 60 }]),
  ],
  permitKey: `qbo:${realmId}`,
  permits: limitsOf(rateLimits).concurrent,
  stopping,
});

/**
 * The limit of a second, counted right before the first byte: after a process stall, calls of several seconds would
 * leave together. QuickBooks counts more in a second only if calls arrive a third of a second later than others. An
 * answered call had arrived before its answer, so it counts for only one more second.
 */
export const departuresOf = (rateLimits: RateLimits, realmId: string): RateWindow => ({
  key: `qbo:departures:${realmId}`,
  calls: limitsOf(rateLimits).calls,
  perSeconds: 1.333,
  secondsAfterAnswer: 1,
});

/**
 * Called when a worker begins a company's work under its lease. Another worker may have used the limits of the minute and
 * of the second up to the moment it lost the lease. So only the calls reserved for this are left until a minute later, and
 * none until a second later. Calls of this worker from before are part of the limit of the minute.
 */
export function takeOver(rateLimits: RateLimits, realmId: string, lease: Lease, now: Instant): void {
  if (rateLimits.continues(realmId, lease.fence) || lease.secondsSincePrevious === null) return;
  const minute = minuteOf(rateLimits, realmId);
  const endedMs = epochMs(now) - lease.secondsSincePrevious * 1_000;
  const weight = minute.calls - takeoverCalls - rateLimits.countedIn(minute, epochMs(now));
  if (weight > 0) rateLimits.count({ ...minute, weight }, epochMs(now), endedMs + 60_000);
  const second = departuresOf(rateLimits, realmId);
  rateLimits.count({ ...second, weight: second.calls }, epochMs(now), endedMs + second.perSeconds * 1_000);
}

/** Middleware: applies the published limits of the company, and pauses all calls when the service asks to wait. */
export const withRateLimit =
  <Call extends ApiCall>(
    of: {
      readonly realmId: string;
      readonly rateLimits: RateLimits;
      readonly limiter: RateLimiter;
      readonly stopping: AbortSignal | undefined;
    },
    next: Send<Call>,
  ): Send<Call> =>
  async (call) => {
    const { limiter } = of;
    const applied = callLimits(of.rateLimits, of.realmId, call, of.stopping);
    try {
      return await limiter.run(
        applied,
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
        limiter.pause(applied, error.about.waitMs);
      throw error;
    }
  };
