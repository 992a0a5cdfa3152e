/** A seeded generator: the same seed gives the same sequence on every machine. */
export interface Random {
  /** A number from 0 up to, but not including, 1. */
  next(): number;
  /** A whole number between both bounds, inclusive. */
  whole(min: number, max: number): number;
  /** One of the list. Throws a RangeError on an empty list. */
  pick<T>(list: readonly T[]): T;
  /** True with the given probability. */
  chance(probability: number): boolean;
}

/** Creates a generator (mulberry32: 32 bits of state, fast, good enough for generated data, never for secrets). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    whole: (min, max) => min + Math.floor(next() * (max - min + 1)),
    pick(list) {
      if (list.length === 0) throw new RangeError('nothing to pick from');
      // The index is always within the list, so only T itself can be undefined here.
      return list[Math.floor(next() * list.length)] as (typeof list)[number];
    },
    chance: (probability) => next() < probability,
  };
}
