/** An action scheduled by the sandbox's clock. */
interface Timer {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

const maxRealWaitMs = 2 ** 31 - 1;

/**
 * A clock that can be moved. It runs with the real one, shifted; a frozen clock only moves when it is advanced.
 * Everything in a sandbox that depends on time reads it: token lifetimes, limit windows, late writes.
 */
export interface Clock {
  /** Returns the sandbox's current time, in epoch milliseconds. */
  now(): number;
  /** Returns the sandbox's current time as ISO 8601 text in UTC, with milliseconds. */
  iso(): string;
  /** Moves the clock forward and runs scheduled actions in order, each at its own time. */
  advance(seconds: number): void;
  /** Schedules `run` after `seconds`, whether the clock runs or is advanced. Returns a function that cancels it. */
  after(seconds: number, run: () => void): () => void;
  /**
   * Restarts at an instant (epoch milliseconds), by default at the real time or the fixed start; cancels all scheduled
   * actions.
   */
  restart(startAt?: number): void;
  /** Cancels all scheduled actions and real timers. */
  stop(): void;
}

export interface ClockOptions {
  /** The start of the clock; by default the real time. */
  readonly startAt?: string | number | undefined;
  /** The clock only moves when it is advanced. */
  readonly frozen?: boolean | undefined;
}

/** Creates a movable clock. Throws a RangeError when `startAt` is no instant. */
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
    alarm = setTimeout(runDue, Math.min(Math.max(next.at - now(), 0), maxRealWaitMs));
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
