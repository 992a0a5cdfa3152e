import { setTimeout as delay } from 'node:timers/promises';
import { Refusal } from '#core/refusal.ts';

export interface HashQueueRules {
  /** Maximum number of hashes computed at once. */
  readonly atOnce: number;
  /** Maximum hashes that wait from one user or address. */
  readonly perCaller: number;
  /** Maximum hashes that wait from all unknown browsers together. */
  readonly strangers: number;
  /** A lane rests after each hash for this multiple of the hash's time. */
  readonly rest: number;
  /** A hash that has waited this long is given up, in milliseconds. */
  readonly maxWaitMs: number;
}

/** Who a password is checked for. */
export type HashCaller =
  /** A browser that logged in as this user before. */
  | { readonly user: string }
  /** Any other browser, by its network. */
  | { readonly network: string };

/**
 * Limits the number of hashes in progress. Each user has a lane, and all unknown browsers share one. Lanes take turns,
 * so no lane waits for another one's whole queue. A lane computes one hash at a time and then rests, so a single lane
 * uses a quarter of one core, no matter how many logins are sent. In the lane of unknown browsers, networks take turns.
 */
export interface HashQueue {
  /**
   * Runs a hash when its turn comes.
   *
   * @param caller null for a hash after a session or a one-time link was checked; its lane is separate.
   * @throws Refusal `too_busy` (503) when too many of the caller are waiting, or after the maximum wait.
   */
  run<T>(hash: () => Promise<T>, caller: HashCaller | null): Promise<T>;
  /** @throws Refusal `too_busy` (503) when a hash would be refused now. */
  refuseWhenFull(caller: HashCaller): void;
}

type Begin = () => void;

interface Lane {
  /** Waiting hashes by caller; callers and their hashes take turns in order. */
  readonly waiting: Map<string, Begin[]>;
  /** A hash is computed, or the lane rests after one. */
  isBusy: boolean;
}

const strangers = Symbol('unknown browsers');

export function createHashQueue(
  { atOnce, perCaller, strangers: maxStrangers, rest, maxWaitMs }: HashQueueRules,
  sleep: (ms: number) => Promise<unknown> = (ms) => delay(ms, undefined, { ref: false }),
): HashQueue {
  let underWay = 0;
  /** Lanes with waiting hashes, or busy; the one whose turn is next comes first. */
  const lanes = new Map<string | symbol, Lane>();

  function advance(): void {
    for (const [key, lane] of lanes) {
      if (underWay >= atOnce) return;
      if (lane.isBusy) continue;
      const begin = takeNext(lane);
      lanes.delete(key);
      // All its hashes were given up.
      if (begin === undefined) continue;
      // To the end: the other lanes have their turn first.
      lanes.set(key, lane);
      lane.isBusy = true;
      underWay += 1;
      begin();
    }
  }

  function end(key: string | symbol, lane: Lane): void {
    lane.isBusy = false;
    if (lane.waiting.size === 0) lanes.delete(key);
    advance();
  }

  function refuseWhenFull(caller: HashCaller): void {
    const { key, name } = placeOf(caller);
    const waiting = lanes.get(key)?.waiting ?? new Map<string, Begin[]>();
    const all = [...waiting.values()].reduce((sum, { length }) => sum + length, 0);
    if ((waiting.get(name)?.length ?? 0) >= perCaller || (key === strangers && all >= maxStrangers)) throw tooBusy();
  }

  return {
    refuseWhenFull,
    async run(hash, caller) {
      if (caller !== null) refuseWhenFull(caller);
      const { key, name } = placeOf(caller);
      const lane = lanes.get(key) ?? { waiting: new Map<string, Begin[]>(), isBusy: false };
      lanes.set(key, lane);
      const turn = waitIn(lane, name, caller === null ? null : maxWaitMs);
      advance();
      await turn;
      const startedAt = performance.now();
      try {
        return await hash();
      } finally {
        underWay -= 1;
        void sleep((performance.now() - startedAt) * rest).then(() => end(key, lane));
        advance();
      }
    },
  };
}

/** Returns the lane of a caller, and its name in the lane. */
function placeOf(caller: HashCaller | null): { readonly key: string | symbol; readonly name: string } {
  if (caller === null) return { key: Symbol('one hash'), name: '' };
  return 'network' in caller ? { key: strangers, name: caller.network } : { key: caller.user, name: caller.user };
}

/** Removes the next waiting hash of a lane. Its caller goes to the end of the lane. */
function takeNext({ waiting }: Lane): Begin | undefined {
  const [next] = waiting;
  if (next === undefined) return undefined;
  const [caller, [begin, ...others]] = next;
  waiting.delete(caller);
  if (others.length > 0) waiting.set(caller, others);
  return begin;
}

/** Resolves when the turn of a hash comes. @throws Refusal `too_busy` (503) after the maximum wait. */
function waitIn({ waiting }: Lane, caller: string, maxWaitMs: number | null): Promise<void> {
  return new Promise((begin, refuse) => {
    const giveUp = (): void => {
      const left = (waiting.get(caller) ?? []).filter((one) => one !== go);
      if (left.length > 0) waiting.set(caller, left);
      else waiting.delete(caller);
      refuse(tooBusy());
    };
    const limit = maxWaitMs === null ? undefined : setTimeout(giveUp, maxWaitMs);
    const go: Begin = () => {
      clearTimeout(limit);
      begin();
    };
    waiting.set(caller, [...(waiting.get(caller) ?? []), go]);
  });
}

const tooBusy = (): Refusal =>
  new Refusal('overloaded', 'too_busy', 'Too many people are logging in right now. Please try again in a moment.');
