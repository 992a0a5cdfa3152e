import { setTimeout as delay } from 'node:timers/promises';
import { Refusal } from '#core/refusal.ts';

export interface HashQueueRules {
  /** Hashes computed at once. */
  readonly atOnce: number;
  /** Hashes that may wait. */
  readonly waiting: number;
  /** Places in the line that strangers may not take. */
  readonly reserved: number;
  /** Waiting strangers from which their hashes are computed one at a time, with a pause after each. */
  readonly crowd: number;
  /** Length of that pause, as a multiple of the time that the hash took. */
  readonly pause: number;
}

/** Limits the hashes under way. Callers who are known (a device, a session) go before strangers. */
export interface HashQueue {
  /** Runs a hash when its turn comes. @throws Refusal `too_busy` (503) when too many wait. */
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
        'Too many people are logging in just now. Please try again in a moment.',
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
