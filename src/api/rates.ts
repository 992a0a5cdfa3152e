/** How often somebody asked in a minute that has not passed yet. */
export interface Rates {
  /**
   * Counts one call.
   *
   * @param callers whose call it is, each with how many they may make in a minute.
   * @throws TooManyCalls when one of them has made theirs.
   */
  admit(callers: readonly Caller[]): void;
}

export interface Caller {
  /** E.g. `client 5e0c…`. */
  readonly key: string;
  readonly perMinute: number;
}

/** Thrown when somebody asks too often; answered 429 with the seconds to wait. */
export class TooManyCalls extends Error {
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super('Too many requests. Please wait a moment.');
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

const minuteMs = 60_000;

/**
 * Counts calls in the memory of this process: several processes behind one address allow as many times more.
 *
 * @param nowMs a clock that only goes forward, in milliseconds.
 */
export function createRates(nowMs: () => number = () => performance.now()): Rates {
  let began = nowMs();
  let counts = new Map<string, number>();
  return {
    admit(callers) {
      const now = nowMs();
      if (now - began >= minuteMs) {
        // Everybody's minute begins anew at once: nothing is kept of who asked before.
        began = now;
        counts = new Map();
      }
      if (callers.some(({ key, perMinute }) => (counts.get(key) ?? 0) >= perMinute))
        throw new TooManyCalls(Math.ceil((began + minuteMs - now) / 1_000));
      for (const { key } of callers) counts.set(key, (counts.get(key) ?? 0) + 1);
    },
  };
}
