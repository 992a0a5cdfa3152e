/** Work that is repeated at intervals. */
export interface Loop {
  /** Runs immediately, or right after the run in progress. */
  now(): void;
  /** Starts no further run and waits for the one in progress. */
  stop(): Promise<void>;
}

/**
 * Runs `work` now and then at each interval, never twice at the same time. A run that takes longer than the interval is
 * followed by the next one.
 *
 * @param work one run; its signal is aborted when the loop is stopped.
 * @param onError called with the error of a run; the next run still follows. Not called while the loop is stopping.
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
