import { isReadBlock, ServiceError } from '#core/service-error.ts';
import type { CallLimits, RateLimiter, RateLimits, RateWindow } from '../rate-limiter.ts';
import { type JsonRecord, limitReached } from './errors.ts';

/** One call of the accounting API, as passed between the layers. */
export interface ApiCall {
  readonly operation: string;
  readonly method: 'GET' | 'POST';
  /** Path below `/v3/company/{realm}/`. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly contentType?: string;
  readonly timeoutMs: number;
  readonly document?: string;
  /** The call must not be sent twice. */
  readonly isOnce?: true;
  /** Number of objects that a batch writes, or of queries that it contains. */
  readonly items?: number;
  /** Latest time at which it may be sent, by `performance.now()`. */
  readonly leavesBefore?: number;
}

/** A call that reports when its first byte is sent, because it counts in its limits from then. */
export interface LeavingCall extends ApiCall {
  readonly onLeave: () => void;
}

/** One layer of a call: returns the service's JSON object or throws a ServiceError. */
export type Send<Call = ApiCall> = (call: Call) => Promise<JsonRecord>;

/**
 * Published: 500 calls a minute, 10 a second and 10 concurrent per company, 40 batches a minute (quickbooks reference
 * section 3). An answer may arrive before the service counts its call as ended, so the concurrent calls add up to 9. A
 * worker may make the eight calls that read all lists at once.
 */
const limits = {
  worker: { callsAMinute: 450, calls: 8, concurrent: 7, batchesAMinute: 38 },
  api: { callsAMinute: 40, calls: 2, concurrent: 2, batchesAMinute: 2 },
} as const;
const limitsOf = ({ isApi }: RateLimits) => (isApi ? limits.api : limits.worker);
/**
 * Maximum wait of a write between the record that it was sent and its first byte, because its outcome is timed from
 * that record. If the wait is longer, the caller gets an error, and retries with a new record.
 */
export const maxWriteWaitMs = 5_000;

/** A minute, and the time by which a call may arrive later than others after its first byte. */
const minuteSeconds = 60.333;

const callLimits = (
  rateLimits: RateLimits,
  realmId: string,
  call: ApiCall,
  stopping: AbortSignal | undefined,
): CallLimits => ({
  windows: [
    // It is unknown whether each object of a batch counts [Q70]; we count it.
    {
      key: `qbo:minute:${realmId}`,
      calls: limitsOf(rateLimits).callsAMinute,
      perSeconds: minuteSeconds,
      weight: call.items ?? 1,
    },
    ...(call.items === undefined
      ? []
      : [{ key: `qbo:batches:${realmId}`, calls: limitsOf(rateLimits).batchesAMinute, perSeconds: minuteSeconds }]),
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

/** Middleware: applies the published limits of the company, and pauses all calls when the service asks to wait. */
export const withRateLimit =
  <Call extends ApiCall>(
    of: {
      readonly realmId: string;
      readonly rateLimits: RateLimits;
      readonly limiter: RateLimiter;
      readonly stopping: AbortSignal | undefined;
    },
    next: Send<Call & LeavingCall>,
  ): Send<Call> =>
  async (call) => {
    const { limiter } = of;
    const applied = callLimits(of.rateLimits, of.realmId, call, of.stopping);
    try {
      return await limiter.run(
        applied,
        (onLeave) => next({ ...call, onLeave }),
        (waitMs, isPaused) => limitReached(call.operation, waitMs, isPaused),
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
