import type { Clock } from './clock.ts';
import { BadInput, objectWith, optionalBoolean } from './input.ts';

/** Counts events per key over the last N seconds, exactly (every event is stored until it expires). */
export interface SlidingWindow {
  /** Returns the events of the key within the window. */
  count(key?: string): number;
  /** Adds one event now (or `times` of them). */
  add(key?: string, times?: number): void;
  /** Returns the seconds until the count falls below `limit`; 0 when it is already below. */
  secondsUntilBelow(limit: number, key?: string): number;
  clear(): void;
}

/** Creates a window of `seconds` on the sandbox's clock. */
export function createSlidingWindow(clock: Clock, seconds: number): SlidingWindow {
  interface Bucket {
    times: number[];
    first: number;
  }
  const buckets = new Map<string, Bucket>();

  const bucketOf = (key: string): Bucket => {
    let bucket = buckets.get(key);
    if (bucket === undefined) buckets.set(key, (bucket = { times: [], first: 0 }));
    const oldest = clock.now() - seconds * 1000;
    while (bucket.first < bucket.times.length && (bucket.times[bucket.first] ?? 0) <= oldest) bucket.first += 1;
    if (bucket.first > 1000 && bucket.first > bucket.times.length / 2) {
      bucket.times = bucket.times.slice(bucket.first);
      bucket.first = 0;
    }
    return bucket;
  };

  return {
    count(key = '') {
      const bucket = bucketOf(key);
      return bucket.times.length - bucket.first;
    },
    add(key = '', times = 1) {
      const bucket = bucketOf(key);
      for (let n = 0; n < times; n += 1) bucket.times.push(clock.now());
    },
    secondsUntilBelow(limit, key = '') {
      const bucket = bucketOf(key);
      const excess = bucket.times.length - bucket.first - limit;
      const leaves = bucket.times[bucket.first + excess];
      if (excess < 0 || leaves === undefined) return 0;
      return Math.max(0, (leaves + seconds * 1000 - clock.now()) / 1000);
    },
    clear: () => buckets.clear(),
  };
}

/** Counts parallel operations per key. */
export interface Gauge {
  count(key?: string): number;
  /** Counts one more operation; the returned function ends it, and does so only once. */
  enter(key?: string): () => void;
  clear(): void;
}

/** Creates a gauge that starts at 0. */
export function createGauge(): Gauge {
  let counts = new Map<string, number>();
  return {
    count: (key = '') => counts.get(key) ?? 0,
    enter(key = '') {
      const entered = counts;
      entered.set(key, (entered.get(key) ?? 0) + 1);
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        const left = (entered.get(key) ?? 1) - 1;
        if (left > 0) entered.set(key, left);
        else entered.delete(key);
      };
    },
    clear() {
      counts = new Map();
    },
  };
}

/** The published limits of a service, by name; null means no limit. */
export type LimitValues<Name extends string> = Readonly<Record<Name, number | null>>;

/** The active limits, which the control API can change. */
export interface LimitSettings<Name extends string = string> {
  readonly isEnforced: () => boolean;
  /** Returns the limit of that name; Infinity when it is off, null, or limits are not enforced. */
  readonly of: (name: Name) => number;
  /** Returns the response to `GET /__sandbox/limits`. */
  readonly describe: () => Readonly<Record<string, number | boolean | null>>;
  /** Applies the body of `PUT /__sandbox/limits`. Throws BadInput. */
  readonly change: (body: unknown) => void;
  readonly reset: () => void;
}

/** Creates limit settings that start with `published`, enforced. */
export function createLimitSettings<Name extends string>(published: LimitValues<Name>): LimitSettings<Name> {
  const names = Object.keys(published);
  let enforce = true;
  let values: Record<string, number | null> = { ...published };
  return {
    isEnforced: () => enforce,
    of: (name) => (enforce ? (values[name] ?? Infinity) : Infinity),
    describe: () => ({ enforce, ...values }),
    change(body) {
      const wanted = objectWith(body, ['enforce', ...names], 'limits');
      const changed = { ...values };
      for (const [name, value] of Object.entries(wanted)) {
        if (name === 'enforce') continue;
        if (value !== null && !(typeof value === 'number' && Number.isInteger(value) && value >= 0))
          throw new BadInput(`${name} must be a whole number, 0 or more, or null for no limit.`);
        changed[name] = value;
      }
      enforce = optionalBoolean(wanted.enforce, 'enforce') ?? enforce;
      values = changed;
    },
    reset() {
      enforce = true;
      values = { ...published };
    },
  };
}
