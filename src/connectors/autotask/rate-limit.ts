import { ServiceError } from '#core/service-error.ts';
import { type Instant, secondsBetween } from '#core/values/dates.ts';
import type { CallLimits, RateLimiter, RateLimits } from '../rate-limiter.ts';
import type { Send, Zone, ZonedCall, ZoneFinder } from './calls.ts';
import { limitReached } from './errors.ts';
import { oncePer } from '#core/values/once-per.ts';

/**
 * Published: 3 concurrent calls per tracking code and endpoint, and 10,000 calls an hour that all integrations of a
 * database share (autotask reference section 3). A worker needs all three threads. A call that the service refuses
 * because a user's call runs as well is repeated after a second.
 */
const worker = { concurrent: 3, callsAnHour: 7_500 };
const api = { concurrent: 1, callsAnHour: 500 };

const limitsOf = ({ isApi }: RateLimits, zone: Zone, entity: string, stopping: AbortSignal | undefined): CallLimits => {
  const { concurrent, callsAnHour } = isApi ? api : worker;
  return {
    windows: [{ key: `psa:hour:${zone.databaseId}`, calls: callsAnHour, perSeconds: 3_600 }],
    permitKey: `psa:${zone.databaseId}:${entity}`,
    permits: concurrent,
    stopping,
  };
};

/** Middleware: applies the published limits of the database, and pauses all calls when the service asks to wait. */
export const withRateLimit =
  (rateLimits: RateLimits, limiter: RateLimiter, next: Send<ZonedCall>, stopping?: AbortSignal): Send<ZonedCall> =>
  async (call) => {
    const limits = limitsOf(rateLimits, call.zone, call.path.split('/')[0] ?? '', stopping);
    try {
      return await limiter.run(
        limits,
        () => next(call),
        (waitMs, isPaused) => limitReached(call.operation, waitMs, isPaused),
      );
    } catch (error) {
      if (error instanceof ServiceError && error.about.waitMs !== undefined) limiter.pause(limits, error.about.waitMs);
      throw error;
    }
  };

/**
 * The share of a PSA database's hourly quota that all integrations together have used, as the service last reported it.
 * The customer's other integrations need their share: calls slow down from half of it, and
 * writes stop at nine tenths until it has recovered (fault row N13).
 */
interface Usage {
  /** Counts a call that is about to be made; reads the quota from the service if it may have changed enough. */
  refreshWhenDue(isWrite: boolean, read: () => Promise<Threshold | null>): Promise<void>;
  /** Milliseconds to delay each call. */
  readonly delayMs: number;
  /** Whether writes must wait for the quota to recover. */
  readonly stopsWrites: boolean;
}

interface Threshold {
  readonly used: number;
  readonly allowed: number;
}

/** How long writes wait before the quota is checked again. */
const quotaWaitMs = 60_000;

const highShare = 0.5;
/** Seconds for which a reported quota is considered valid, depending on how close the limit is. */
const believedSeconds = { low: 600, high: 60 } as const;
/**
 * Number of our calls within {@link believedSeconds} after which the quota is read again: a quarter of the calls left
 * until we slow down, and at least a fortieth of the hourly limit.
 */
const callsBetweenReads = 250;
const shareBetweenReads = 0.25;

interface State {
  /** The newest known share of the quota. */
  known: { readonly share: number; readonly at: Instant } | null;
  calls: number;
  /** Calls after which the quota is read again. */
  callsUntilRead: number;
  countedFrom: Instant | null;
  isRefreshing: boolean;
}

const statesOf = oncePer<RateLimits, Map<string, State>>(() => new Map());

/** Returns the usage of one database, shared by all connectors of a process. */
function usageOf(rateLimits: RateLimits, databaseId: string, now: () => Instant): Usage {
  const state = stateOf(rateLimits, databaseId);
  const age = (at: Instant | null | undefined): number =>
    at === null || at === undefined ? Infinity : secondsBetween(at, now());
  const share = (): number => state.known?.share ?? 0;
  const isOld = (): boolean =>
    age(state.known?.at) >= (share() >= highShare ? believedSeconds.high : believedSeconds.low);

  async function refresh(read: () => Promise<Threshold | null>): Promise<void> {
    const threshold = await read();
    state.calls = 0;
    state.countedFrom = now();
    state.callsUntilRead = callsBetweenReads;
    if (threshold === null || threshold.allowed <= 0) return;
    state.known = { share: threshold.used / threshold.allowed, at: now() };
    const left = highShare * threshold.allowed - threshold.used;
    state.callsUntilRead = Math.max(callsBetweenReads, left * shareBetweenReads);
  }

  return {
    async refreshWhenDue(isWrite, read) {
      if (age(state.countedFrom) >= believedSeconds.low) {
        state.calls = 0;
        state.countedFrom = now();
      }
      state.calls += 1;
      // A few occasional reads do not justify a separate call.
      const isDue = state.calls >= state.callsUntilRead || ((isWrite || share() >= highShare) && isOld());
      if (!isDue || state.isRefreshing) return;
      state.isRefreshing = true;
      try {
        await refresh(read);
      } finally {
        state.isRefreshing = false;
      }
    },
    get delayMs() {
      if (share() < highShare) return 0;
      return share() < 0.75 ? 500 : 1_000;
    },
    get stopsWrites() {
      return share() >= 0.9;
    },
  };
}

function stateOf(rateLimits: RateLimits, databaseId: string): State {
  const byDatabase = statesOf(rateLimits);
  const state = byDatabase.get(databaseId) ?? {
    known: null,
    calls: 0,
    callsUntilRead: callsBetweenReads,
    countedFrom: null,
    isRefreshing: false,
  };
  byDatabase.set(databaseId, state);
  return state;
}

/**
 * Middleware: leaves part of the hourly quota to the customer's other integrations ({@link usageOf}). Calls slow down
 * from half of it; writes wait from nine tenths.
 *
 * @throws ServiceError `PSA_LIMIT` for a write while the quota is nearly used up.
 */
export function withQuotaThrottle(
  of: {
    readonly zones: ZoneFinder;
    readonly rateLimits: RateLimits;
    readonly now: () => Instant;
    readonly sleep: (ms: number) => Promise<unknown>;
  },
  next: Send,
): Send {
  async function readThreshold(): Promise<Threshold | null> {
    try {
      const answer = await next({ operation: 'read the quota', method: 'GET', path: 'ThresholdInformation' });
      const used = Number(answer.currentTimeframeRequestCount);
      const allowed = Number(answer.externalRequestThreshold);
      return Number.isFinite(used) && Number.isFinite(allowed) ? { used, allowed } : null;
    } catch (error) {
      if (error instanceof ServiceError) return null;
      throw error;
    }
  }

  return async (call) => {
    const { databaseId } = await of.zones.find();
    const usage = usageOf(of.rateLimits, databaseId, of.now);
    const isWrite = call.method === 'PATCH';
    await usage.refreshWhenDue(isWrite, readThreshold);
    if (isWrite && usage.stopsWrites) throw limitReached(call.operation, quotaWaitMs);
    if (usage.delayMs > 0) await of.sleep(usage.delayMs);
    return next(call);
  };
}
