import { startLoop, type Loop } from './loop.ts';
import type { Logger } from '#core/ports/logger.ts';

/** How often work of the clock is looked for. */
const everyMs = 30_000;

/**
 * Does what the clock alone asks for, one chore after the other and again and again; a chore that fails keeps none of
 * the others from being done.
 */
export function startHousekeeping(parts: {
  readonly logger: Logger;
  /** Chores by name: what is done each time, until the signal ends it. */
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
