/** Counts the calls of the current minute. */
export interface Rates {
  /**
   * Counts one call.
   *
   * @param callers the callers it counts for, each with its limit per minute.
   * @throws TooManyCalls when one of them has reached its limit.
   */
  admit(callers: readonly Caller[]): void;
}

export interface Caller {
  /** E.g. `client 5e0c…`. */
  readonly key: string;
  readonly perMinute: number;
}

/** Thrown when a caller makes too many calls; the response is a 429 with the seconds to wait. */
export class TooManyCalls extends Error {
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super('Too many requests. Please wait a moment.');
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

const minuteMs = 60_000;
/** Maximum number of counted callers; beyond it, a new minute begins. Addresses are free to invent. */
const maxCallers = 100_000;

/**
 * Counts calls in the memory of this process. Several processes behind one address multiply the limit.
 *
 * @param nowMs a monotonic clock, in milliseconds.
 */
export function createRates(nowMs: () => number = () => performance.now()): Rates {
  let began = nowMs();
  let counts = new Map<string, number>();
  return {
    admit(callers) {
      const now = nowMs();
      if (now - began >= minuteMs || counts.size >= maxCallers) {
        // The minute of all callers restarts at once, which drops all earlier counts.
        began = now;
        counts = new Map();
      }
      if (callers.some(({ key, perMinute }) => (counts.get(key) ?? 0) >= perMinute))
        throw new TooManyCalls(Math.ceil((began + minuteMs - now) / 1_000));
      for (const { key } of callers) counts.set(key, (counts.get(key) ?? 0) + 1);
    },
  };
}
