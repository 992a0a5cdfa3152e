import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Budget, BudgetWindow } from '#core/ports/budget.ts';
import { ServiceError } from '#core/service-error.ts';

/** The limits that one call must keep. */
export interface Lane {
  /** Shared by all processes. The first one's key is what a pause stops. */
  readonly windows: readonly [BudgetWindow, ...BudgetWindow[]];
  /** Calls of this name share so many places, in all processes together. */
  readonly slot: string;
  readonly places: number;
}

export interface Pace {
  /**
   * Waits for a place and for the budget, then calls.
   *
   * @param longestWaitMs how long the budget may keep it waiting; default a little more than a minute.
   * @throws what `refuse` makes of the wait, when the budget would keep us waiting too long.
   */
  run<T>(
    lane: Lane,
    call: () => Promise<T>,
    refuse: (waitMs: number) => ServiceError,
    longestWaitMs?: number,
  ): Promise<T>;
  /** Nothing leaves on this lane, in any process, before so many milliseconds have passed. */
  pause(lane: Lane, milliseconds: number): Promise<void>;
}

/** The places of a process that died are free again so soon that its successor is not kept waiting. */
const placeMs = 12_000;
/** A call that takes longer says that it is still under way. */
const keptEveryMs = 4_000;
/** A minute-long limit may be sat out; anything longer is told to the caller. */
const longestWaitMs = 65_000;

/** Places in use by name, per budget: all connectors of a process that share a budget share its places. */
const placesByBudget = new WeakMap<Budget, Map<string, Places>>();

/**
 * Makes calls keep the services' limits, which all processes share: so many at once, so many per window. Within a process
 * calls wait in line, so that nobody asks the database for a place that a neighbour holds.
 */
export function createPace(budget: Budget, sleep: (ms: number) => Promise<unknown> = delay): Pace {
  const slots = placesByBudget.get(budget) ?? new Map<string, Places>();
  placesByBudget.set(budget, slots);
  return {
    async run(lane, call, refuse, mostMs = longestWaitMs) {
      let places = slots.get(lane.slot);
      if (places === undefined) slots.set(lane.slot, (places = new Places(lane.places)));
      await places.take();
      try {
        const place = { key: lane.slot, places: lane.places, holder: randomUUID(), forMs: placeMs };
        let waited = 0;
        for (;;) {
          const waitMs = await budget.take(lane.windows, place);
          if (waitMs <= 0) break;
          if (waited + waitMs > mostMs) throw refuse(waitMs);
          await sleep(waitMs);
          waited += waitMs;
        }
        const keeping = setInterval(() => {
          budget.keep(place).catch(() => undefined);
        }, keptEveryMs);
        try {
          return await call();
        } finally {
          clearInterval(keeping);
          // A place that cannot be given back ends by itself; what the call came to counts more.
          await budget.giveBack(place).catch(() => undefined);
        }
      } finally {
        places.give();
        if (places.isIdle) slots.delete(lane.slot);
      }
    },
    pause: (lane, milliseconds) => budget.pause(lane.windows[0].key, milliseconds),
  };
}

/** How often, and how many times, is asked whether calls have ended. */
const askEveryMs = 50;
const mostAsked = 100;

/**
 * Waits until the calls of a lane that are under way now have ended, in all processes, or for about five seconds: what
 * began later is not waited for.
 */
export async function callsEnded(
  budget: Pick<Budget, 'holders'>,
  slot: string,
  sleep: (ms: number) => Promise<unknown> = delay,
): Promise<void> {
  let underWay = await budget.holders(slot);
  for (let asked = 0; underWay.length > 0 && asked < mostAsked; asked += 1) {
    await sleep(askEveryMs);
    const now = new Set(await budget.holders(slot));
    underWay = underWay.filter((holder) => now.has(holder));
  }
}

/** So many at once, first come first served. */
class Places {
  #free: number;
  readonly #size: number;
  readonly #waiting: (() => void)[] = [];

  constructor(size: number) {
    this.#free = size;
    this.#size = size;
  }

  get isIdle(): boolean {
    return this.#free === this.#size && this.#waiting.length === 0;
  }

  async take(): Promise<void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}

/** Tries of a call that may be repeated. */
const tries = 3;
const firstBackoffMs = 300;

/**
 * Makes a call that may safely be repeated: a read, or a write of a fixed value. Repeats it after failures that pass,
 * with growing, jittered pauses; a longer wait that the service asked for is kept by the budget, not here.
 */
export async function repeating<T>(
  call: () => Promise<T>,
  sleep: (ms: number) => Promise<unknown> = delay,
): Promise<T> {
  for (let turn = 1; ; turn += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ServiceError) || error.about.next !== 'try_again' || turn === tries) throw error;
      if ((error.about.waitMs ?? 0) > longestWaitMs) throw error;
      await sleep(firstBackoffMs * 2 ** (turn - 1) * (0.75 + Math.random() / 2));
    }
  }
}
