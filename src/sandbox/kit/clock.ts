/** One thing to be done later by the sandbox's clock. */
interface Timer {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

const longestRealWaitMs = 2 ** 31 - 1;

/**
 * A clock that can be moved. It runs with the real one, shifted; a frozen clock stands still until it is advanced.
 * Everything in a sandbox that depends on time reads it: token lifetimes, limit windows, late applications.
 */
export interface Clock {
  /** The sandbox's present, in epoch milliseconds. */
  now(): number;
  /** The sandbox's present as ISO 8601 text in UTC, with milliseconds. */
  iso(): string;
  /** Moves the present forward and runs what falls due on the way, each at its own instant. */
  advance(seconds: number): void;
  /** Calls `run` once the clock has moved on by `seconds`, by itself or advanced. Returns a way to call it off. */
  after(seconds: number, run: () => void): () => void;
  /** Begins anew at an instant (epoch milliseconds), else at the real time or the fixed start; nothing is left to be done. */
  restart(startAt?: number): void;
  /** Forgets what was to be done later and holds no real timer any more. */
  stop(): void;
}

export interface ClockOptions {
  /** The instant at which the clock begins; the real present when absent. */
  readonly startAt?: string | number | undefined;
  /** Stands still unless advanced. */
  readonly frozen?: boolean | undefined;
}

/** Makes a movable clock. Throws a RangeError when `startAt` is no instant. */
export function createClock(options: ClockOptions = {}): Clock {
  const fixedStart = options.startAt === undefined ? undefined : new Date(options.startAt).getTime();
  if (Number.isNaN(fixedStart)) throw new RangeError(`startAt is not an instant: ${String(options.startAt)}`);
  const realNow = (): number => (options.frozen === true ? 0 : Date.now());

  let offset = 0;
  let steppingAt: number | undefined;
  let order = 0;
  let timers: Timer[] = [];
  let alarm: ReturnType<typeof setTimeout> | undefined;

  const begin = (startAt = fixedStart ?? Date.now()): void => {
    offset = startAt - realNow();
  };
  begin();

  const now = (): number => steppingAt ?? realNow() + offset;

  const arm = (): void => {
    clearTimeout(alarm);
    const next = timers[0];
    if (next === undefined || options.frozen === true) return;
    alarm = setTimeout(runDue, Math.min(Math.max(next.at - now(), 0), longestRealWaitMs));
    alarm.unref();
  };

  const runDue = (): void => {
    const until = realNow() + offset;
    for (let next = timers[0]; next !== undefined && next.at <= until; next = timers[0]) {
      timers.shift();
      steppingAt = next.at;
      try {
        next.run();
      } finally {
        steppingAt = undefined;
      }
    }
    arm();
  };

  return {
    now,
    iso: () => new Date(now()).toISOString(),
    advance(seconds) {
      offset += seconds * 1000;
      runDue();
    },
    after(seconds, run) {
      order += 1;
      const timer: Timer = { at: now() + seconds * 1000, order, run };
      timers.push(timer);
      timers.sort((a, b) => a.at - b.at || a.order - b.order);
      arm();
      return () => {
        timers = timers.filter((other) => other !== timer);
        arm();
      };
    },
    restart(startAt) {
      timers = [];
      arm();
      begin(startAt);
    },
    stop() {
      timers = [];
      clearTimeout(alarm);
    },
  };
}
