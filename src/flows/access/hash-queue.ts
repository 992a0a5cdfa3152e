import { setTimeout as delay } from 'node:timers/promises';
import { Refusal } from '#core/refusal.ts';

export interface HashQueueRules {
  /** Maximum number of hashes computed at once. */
  readonly atOnce: number;
  /** Maximum number of hashes that wait. */
  readonly waiting: number;
  /** Places in the queue that unknown callers cannot take. */
  readonly reserved: number;
  /** Number of waiting unknown callers from which their hashes are computed one at a time, with a pause after each. */
  readonly crowd: number;
  /** Length of that pause, as a multiple of the time the hash took. */
  readonly pause: number;
}

/** Limits the number of hashes in progress. Known callers (with a device or a session) go before unknown ones. */
export interface HashQueue {
  /** Runs a hash when its turn comes. @throws Refusal `too_busy` (503) when too many are waiting. */
  run<T>(hash: () => Promise<T>, isStranger: boolean): Promise<T>;
  /** @throws Refusal `too_busy` (503) when a hash would be refused now. */
  refuseWhenFull(isStranger: boolean): void;
}

export function createHashQueue(
  { atOnce, waiting, reserved, crowd, pause }: HashQueueRules,
  sleep: (ms: number) => Promise<unknown> = (ms) => delay(ms, undefined, { ref: false }),
): HashQueue {
  let underWay = 0;
  let strangersUnderWay = 0;
  let isPausing = false;
  const known: (() => void)[] = [];
  const strangers: (() => void)[] = [];
  const isCrowd = (): boolean => strangers.length >= crowd;

  function advance(): void {
    while (underWay < atOnce) {
      const mayBeStranger = !isPausing && (!isCrowd() || strangersUnderWay === 0);
      const first = known.shift();
      const next = first ?? (mayBeStranger ? strangers.shift() : undefined);
      if (next === undefined) return;
      underWay += 1;
      if (first === undefined) strangersUnderWay += 1;
      next();
    }
  }

  function refuseWhenFull(isStranger: boolean): void {
    if (underWay < atOnce && !(isStranger && isPausing)) return;
    if (known.length + strangers.length >= (isStranger ? waiting - reserved : waiting))
      throw new Refusal(
        'overloaded',
        'too_busy',
        'Too many people are logging in right now. Please try again in a moment.',
      );
  }

  return {
    refuseWhenFull,
    async run(hash, isStranger) {
      refuseWhenFull(isStranger);
      await new Promise<void>((go) => {
        (isStranger ? strangers : known).push(go);
        advance();
      });
      const startedAt = performance.now();
      try {
        return await hash();
      } finally {
        underWay -= 1;
        if (isStranger) {
          strangersUnderWay -= 1;
          if (isCrowd() && !isPausing) {
            isPausing = true;
            void sleep((performance.now() - startedAt) * pause).then(() => {
              isPausing = false;
              advance();
            });
          }
        }
        advance();
      }
    },
  };
}
