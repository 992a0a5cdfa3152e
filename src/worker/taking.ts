/** What is taken from a queue and worked on, each in a place of its own. */
export interface Taking {
  /** Something may have come: looks soon. */
  look(): void;
  /** Takes nothing more and waits until what is under way has ended, or for so long; the rest counts as failed. */
  stop(longestMs: number): Promise<void>;
}

/** How often the queue is asked for what nobody announced. */
const lookEveryMs = 500;
/** Between two looks, so that places that get free at the same time are filled by one. */
const gatherMs = 20;
/** The queue hears of an end within so long, of several at once. */
const tellWithinMs = 100;
/** How often the queue hears that what was taken is still under way. */
const keepEveryMs = 3_000;

/**
 * Works on what stands in a queue: as much at once as there are places. A place is filled again as soon as it is free,
 * whatever the others are doing. What ended at about the same time is told to the queue together.
 *
 * @param parts.fetch takes at most so many from the queue.
 * @param parts.settle these have ended, well or not.
 * @param parts.keep these are still under way.
 * @param parts.handle works on one.
 */
export function startTaking<T>(parts: {
  readonly places: number;
  readonly fetch: (limit: number) => Promise<readonly T[]>;
  readonly settle: (ended: readonly T[], failed: readonly T[]) => Promise<void>;
  readonly keep: (underWay: readonly T[]) => Promise<void>;
  readonly handle: (one: T) => Promise<void>;
  readonly onError: (error: unknown) => void;
}): Taking {
  const { places, onError } = parts;
  const underWay = new Map<T, Promise<void>>();
  let ended: T[] = [];
  let failed: T[] = [];
  let isStopped = false;
  /** The last look found as much as there was room for. */
  let isMore = false;
  let looking: Promise<void> | null = null;
  let isAsked = false;
  let telling: NodeJS.Timeout | null = null;

  async function round(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, gatherMs));
    await tell();
    const free = places - underWay.size;
    if (isStopped || free === 0) return;
    const found = await parts.fetch(free);
    isMore = found.length === free;
    for (const one of found) underWay.set(one, work(one));
  }

  async function tell(): Promise<void> {
    const [well, badly] = [ended, failed];
    [ended, failed] = [[], []];
    if (well.length + badly.length > 0) await parts.settle(well, badly);
  }

  function tellSoon(): void {
    telling ??= setTimeout(() => {
      telling = null;
      tell().catch(onError);
    }, tellWithinMs);
  }

  async function work(one: T): Promise<void> {
    // Whatever it does, it is known to be under way before it has ended.
    await Promise.resolve();
    try {
      await parts.handle(one);
      ended.push(one);
    } catch {
      failed.push(one);
    }
    underWay.delete(one);
    if (isMore) look();
    else tellSoon();
  }

  function look(): void {
    isAsked = true;
    looking ??= (async () => {
      while (isAsked) {
        isAsked = false;
        await round().catch(onError);
      }
      looking = null;
    })();
  }

  const timers = [
    setInterval(look, lookEveryMs),
    setInterval(() => {
      if (underWay.size > 0) parts.keep([...underWay.keys()]).catch(onError);
    }, keepEveryMs),
  ];
  look();
  return {
    look,
    async stop(longestMs) {
      isStopped = true;
      for (const timer of timers) clearInterval(timer);
      await looking;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, longestMs)));
      await Promise.race([Promise.all(underWay.values()), late]);
      clearTimeout(timer);
      if (telling !== null) clearTimeout(telling);
      // What is still under way may go to somebody else at once.
      failed.push(...underWay.keys());
      await tell().catch(onError);
    },
  };
}
