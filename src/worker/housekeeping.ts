import { startLoop, type Loop } from './loop.ts';
import type { Logger } from '#core/ports/logger.ts';

/** Milliseconds between runs. */
const everyMs = 30_000;

/** Runs scheduled chores at intervals, one after the other. A chore that fails does not stop the others. */
export function startHousekeeping(parts: {
  readonly logger: Logger;
  /** Chores by name; each is called in every run, and should end when the signal is aborted. */
  readonly chores: Readonly<Record<string, (signal: AbortSignal) => Promise<unknown>>>;
}): Loop {
  const failed = (chore: string) => (error: unknown) => parts.logger.warn({ chore, err: error }, 'housekeeping failed');
  return startLoop(
    everyMs,
    async (signal) => {
      for (const [chore, work] of Object.entries(parts.chores)) {
        if (signal.aborted) return;
        await work(signal).catch((error: unknown) => {
          if (!signal.aborted) failed(chore)(error);
        });
      }
    },
    failed('all'),
  );
}
