/** Holds back what need not be done at once, so that it can be done together. */
export interface Hold {
  /** Resolves at once while nothing is under way; otherwise with the next {@link release}. */
  wait(): Promise<void>;
  /** Lets go of everything that waits. */
  release(): void;
}

/**
 * @param options.isBusy whether something is under way that will bring more.
 * @param options.most so many are let go at once; the last of them lets all of them go.
 * @param options.longestMs nobody waits longer, in milliseconds.
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
