import type { Budget } from '#core/ports/budget.ts';
import { secondsBetween, type Instant } from '#core/values/dates.ts';

/**
 * How much of the hourly quota of a PSA database all integrations together have used, as the service last told us.
 * The customer's other integrations need their share: we slow down from half of it and stop writing at nine tenths.
 */
export interface Usage {
  /** Calls ThresholdInformation when our own calls or the time since make it worth one. */
  refreshWhenDue(read: () => Promise<Threshold | null>): Promise<void>;
  /** Milliseconds to hold back each call. */
  readonly delayMs: number;
  /** Whether writes have to wait for the quota to recover. */
  readonly stopsWrites: boolean;
}

export interface Threshold {
  readonly used: number;
  readonly allowed: number;
}

/** How long writes wait before the quota is looked at again. */
export const quotaWaitMs = 60_000;

const callsBetweenReads = 200;
const secondsBetweenReadsWhenHigh = 60;

interface State {
  share: number;
  calls: number;
  readAt: Instant | null;
  isReading: boolean;
}

const states = new WeakMap<Budget, Map<string, State>>();

/** The usage of one database, shared by all connectors of a process that share a budget. */
export function usageOf(budget: Budget, databaseId: string, now: () => Instant): Usage {
  const byDatabase = states.get(budget) ?? new Map<string, State>();
  states.set(budget, byDatabase);
  const state = byDatabase.get(databaseId) ?? { share: 0, calls: 0, readAt: null, isReading: false };
  byDatabase.set(databaseId, state);
  return {
    async refreshWhenDue(read) {
      state.calls += 1;
      if (state.isReading) return;
      const age = state.readAt === null ? Infinity : secondsBetween(state.readAt, now());
      const isDue = state.calls >= callsBetweenReads || (state.share >= 0.5 && age >= secondsBetweenReadsWhenHigh);
      if (!isDue) return;
      state.isReading = true;
      try {
        const threshold = await read();
        if (threshold !== null && threshold.allowed > 0) state.share = threshold.used / threshold.allowed;
        state.calls = 0;
        state.readAt = now();
      } finally {
        state.isReading = false;
      }
    },
    get delayMs() {
      if (state.share < 0.5) return 0;
      return state.share < 0.75 ? 500 : 1_000;
    },
    get stopsWrites() {
      return state.share >= 0.9;
    },
  };
}
