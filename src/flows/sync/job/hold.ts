/** Delays work that is not urgent, so that it can be done together. */
export interface Hold {
  /** Resolves immediately if nothing is in progress, otherwise with the next {@link release}. */
  wait(): Promise<void>;
  /** Releases all waiters. */
  release(): void;
}

/**
 * Creates a hold.
 *
 * @param options.isBusy returns true if something in progress will add more waiters.
 * @param options.maxCount number of waiters that releases all of them.
 * @param options.maxMs maximum wait in milliseconds.
 */
export function createHold(options: {
  readonly isBusy: () => boolean;
  readonly maxCount: number;
  readonly maxMs: number;
}): Hold {
  let waiting: (() => void)[] = [];
  let timer: NodeJS.Timeout | undefined;

  function release(): void {
    clearTimeout(timer);
    timer = undefined;
    const now = waiting;
    waiting = [];
    for (const go of now) go();
  }

  return {
    release,
    wait() {
      const waits = new Promise<void>((go) => waiting.push(go));
      if (!options.isBusy() || waiting.length >= options.maxCount) release();
      else timer ??= setTimeout(release, options.maxMs);
      return waits;
    },
  };
}
