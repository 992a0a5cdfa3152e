import type { Logger } from '#core/ports/logger.ts';

/** How often what waits is looked for. */
const everyMs = 30_000;

/**
 * Does what the clock alone asks for, one after the other and again and again; a step that fails keeps none of the
 * others from being done.
 */
export function startHousekeeping(parts: {
  readonly logger: Logger;
  /** By name: what is done each time, until the signal ends it. */
  readonly chores: Readonly<Record<string, (signal: AbortSignal) => Promise<unknown>>>;
}): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function round(): Promise<void> {
    for (const [chore, work] of Object.entries(parts.chores)) {
      if (signal.aborted) return;
      try {
        await work(signal);
      } catch (error) {
        if (!signal.aborted) parts.logger.warn({ chore, err: error }, 'housekeeping failed');
      }
    }
  }

  let working = round();
  const timer = setInterval(() => {
    working = working.then(round);
  }, everyMs);
  return {
    async stop() {
      stopping.abort();
      clearInterval(timer);
      await working;
    },
  };
}
