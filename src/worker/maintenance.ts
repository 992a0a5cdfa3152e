import type { Clock } from '#core/ports/clock.ts';
import type { Logger } from '#core/ports/logger.ts';
import type { RootStore } from '#core/ports/store.ts';

/** How often the table is asked whose connection is to be looked after. */
const lookEveryMs = 60_000;
/** More than this many wait for the next look. */
const lookLimit = 500;

/**
 * Looks after connections that nobody uses, one after the other: there are few, and none of them is in a hurry.
 *
 * @param parts.maintain looks after one tenant's connection; does nothing when another worker has just done it.
 */
export function startMaintenance(parts: {
  readonly store: RootStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly maintain: (tenantId: string) => Promise<void>;
}): { stop(): Promise<void> } {
  const { store, clock, logger, maintain } = parts;
  let isStopped = false;
  let looking: Promise<void> = Promise.resolve();

  async function look(): Promise<void> {
    try {
      for (const tenantId of await store.tenantsDueForMaintenance(clock.now(), lookLimit)) {
        if (isStopped) return;
        await maintain(tenantId).catch((error: unknown) => logger.error({ tenantId, error }, 'maintenance failed'));
      }
    } catch (error) {
      if (!isStopped) logger.warn({ error }, 'the tables could not be asked for maintenance');
    }
  }

  const timer = setInterval(() => {
    looking = looking.then(look);
  }, lookEveryMs);
  looking = look();
  return {
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await looking;
    },
  };
}
