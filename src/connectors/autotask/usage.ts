import type { RateLimits } from '../rate-limiter.ts';
import { secondsBetween, type Instant } from '#core/values/dates.ts';

/**
 * The share of a PSA database's hourly quota that all integrations together have used, as the service last reported it.
 * The customer's other integrations need their share: calls slow down from half of it, and
 * writes stop at nine tenths until it has recovered (fault row N13).
 */
export interface Usage {
  /** Counts a call that is about to be made; reads the quota from the service if it may have changed enough. */
  refreshWhenDue(isWrite: boolean, read: () => Promise<Threshold | null>): Promise<void>;
  /** Milliseconds to delay each call. */
  readonly delayMs: number;
  /** Whether writes must wait for the quota to recover. */
  readonly stopsWrites: boolean;
}

export interface Threshold {
  readonly used: number;
  readonly allowed: number;
}

/** How long writes wait before the quota is checked again. */
export const quotaWaitMs = 60_000;

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

const states = new WeakMap<RateLimits, Map<string, State>>();

/** Returns the usage of one database, shared by all connectors of a process. */
export function usageOf(rateLimits: RateLimits, databaseId: string, now: () => Instant): Usage {
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
  const byDatabase = states.get(rateLimits) ?? new Map<string, State>();
  states.set(rateLimits, byDatabase);
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
