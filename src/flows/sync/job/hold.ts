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
 * @param options.most number of waiters that releases all of them.
 * @param options.longestMs maximum wait in milliseconds.
 */
export function createHold(options: {
  readonly isBusy: () => boolean;
  readonly most: number;
  readonly longestMs: number;
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
      if (!options.isBusy() || waiting.length >= options.most) release();
      else timer ??= setTimeout(release, options.longestMs);
      return waits;
    },
  };
}
