/** Work that is done again and again. */
export interface Loop {
  /** Does it soon instead of at its time: right away, or when the round under way has ended. */
  now(): void;
  /** Begins no further round and waits for the one under way. */
  stop(): Promise<void>;
}

/**
 * Does something at once and then every so many milliseconds, never twice at the same time: a round that lasts longer
 * than its time is followed by the next one.
 *
 * @param work a round; its signal is aborted when the loop is asked to end.
 * @param onError is told what a round threw; the next one is done all the same. Not told once the loop is ending.
 */
export function startLoop(
  everyMs: number,
  work: (signal: AbortSignal) => Promise<unknown>,
  onError: (error: unknown) => void,
): Loop {
  const stopping = new AbortController();
  const { signal } = stopping;
  let isAsked = false;
  let running: Promise<void> | null = null;

  async function rounds(): Promise<void> {
    while (isAsked && !signal.aborted) {
      isAsked = false;
      try {
        await work(signal);
      } catch (error) {
        if (!signal.aborted) onError(error);
      }
    }
    running = null;
  }

  function now(): void {
    isAsked = true;
    running ??= rounds();
  }

  const timer = setInterval(now, everyMs);
  now();
  return {
    now,
    async stop() {
      stopping.abort();
      clearInterval(timer);
      await running;
    },
  };
}
