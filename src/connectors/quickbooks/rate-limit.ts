import type { Lease, RecentCalls } from '#core/records/leases.ts';
import { isReadBlock, ServiceError } from '#core/service-error.ts';
import { epochMs, type Instant } from '#core/values/dates.ts';
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

/** One layer of a call: returns the service's JSON object or throws a ServiceError. */
export type Send<Call = ApiCall> = (call: Call) => Promise<JsonRecord>;

/**
 * Published: 500 calls a minute, 10 a second and 10 concurrent per company, 40 batches a minute (quickbooks reference
 * section 3). An answer may arrive before the service counts its call as ended, so the concurrent calls add up to 9. A
 * worker may make the eight calls that read all lists at once.
 */
const limits = {
  worker: { callsAMinute: 400, calls: 8, concurrent: 7, batchesAMinute: 36 },
  api: { callsAMinute: 40, calls: 2, concurrent: 2, batchesAMinute: 2 },
} as const;
/** Calls of the minute that a worker may make although it does not know those of the worker before it. */
const takeover = { callsAMinute: 60, batchesAMinute: 2 };
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

const batchesOf = (rateLimits: RateLimits, realmId: string): RateWindow => ({
  key: `qbo:batches:${realmId}`,
  calls: limitsOf(rateLimits).batchesAMinute,
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
    ...(call.items === undefined ? [] : [batchesOf(rateLimits, realmId)]),
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

/** Assumed after a crash: the worker before used its limits up to its last moment. */
const unknownCalls: readonly RecentCalls[] = [
  { limit: 'calls', count: limits.worker.callsAMinute - takeover.callsAMinute, seconds: 60 },
  { limit: 'batches', count: limits.worker.batchesAMinute - takeover.batchesAMinute, seconds: 60 },
];

/**
 * Called when a worker begins a company's work under its lease. Counts the calls of earlier workers in the limits of the
 * minute, except those that this worker has counted itself. In the limit of the second, it assumes as many as possible.
 */
export function takeOver(rateLimits: RateLimits, realmId: string, lease: Lease, now: Instant): void {
  if (rateLimits.continues(realmId, lease.fence) || lease.secondsSincePrevious === null) return;
  const nowMs = epochMs(now);
  const endedMs = nowMs - lease.secondsSincePrevious * 1_000;
  const calls = (lease.callsBefore ?? unknownCalls)
    .map((one) => ({ ...one, untilMs: endedMs + one.seconds * 1_000 }))
    .filter(({ untilMs }) => untilMs > nowMs);
  for (const [limit, window] of minuteWindows(rateLimits, realmId)) {
    // The calls of this worker are the oldest of these.
    let own = sumOf(rateLimits.countedIn(window, nowMs));
    for (const { count, untilMs } of calls.filter((one) => one.limit === limit)) {
      const weight = Math.max(0, count - own);
      own = Math.max(0, own - count);
      if (weight > 0) rateLimits.count({ ...window, weight }, nowMs, untilMs);
    }
  }
  const second = departuresOf(rateLimits, realmId);
  rateLimits.count({ ...second, weight: second.calls }, nowMs, endedMs + second.perSeconds * 1_000);
}

/** Returns what {@link takeOver} of the next worker counts, oldest first; null if this worker did not take over. */
export function callsUnder(
  rateLimits: RateLimits,
  realmId: string,
  lease: Lease,
  now: Instant,
): readonly RecentCalls[] | null {
  if (!rateLimits.isUnder(realmId, lease.fence)) return null;
  const nowMs = epochMs(now);
  return minuteWindows(rateLimits, realmId).flatMap(([limit, window]) =>
    rateLimits
      .countedIn(window, nowMs)
      .map(({ untilMs, weight }) => ({ limit, count: weight, seconds: (untilMs - nowMs) / 1_000 }))
      .toSorted((a, b) => a.seconds - b.seconds),
  );
}

const minuteWindows = (rateLimits: RateLimits, realmId: string) =>
  [
    ['calls', minuteOf(rateLimits, realmId)],
    ['batches', batchesOf(rateLimits, realmId)],
  ] as const;

const sumOf = (calls: readonly { readonly weight: number }[]): number =>
  calls.reduce((sum, { weight }) => sum + weight, 0);

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
