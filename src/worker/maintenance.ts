import type { Logger } from '#core/ports/logger.ts';
import type { Maintenance, MaintenanceWatch } from '#core/records/maintenance.ts';
import type { RootStore } from '#store/root-store.ts';
import { startLoop } from './loop.ts';

/** Milliseconds between two questions to the database. */
const everyMs = 2_000;

/** Follows whether maintenance is on. While the database does not answer, the last answer is used. */
export async function watchMaintenance({
  store,
  logger,
}: {
  readonly store: RootStore;
  readonly logger: Logger;
}): Promise<MaintenanceWatch & { stop(): Promise<void> }> {
  let current: Maintenance | null = await store.readMaintenance();
  if (current !== null) logger.warn({ since: current.since }, 'maintenance is on');
  const refresh = async (): Promise<void> => {
    const next = await store.readMaintenance();
    if ((next === null) !== (current === null)) logger.warn({}, `maintenance is ${next === null ? 'off' : 'on'}`);
    current = next;
  };
  const loop = startLoop(everyMs, refresh, (error) => logger.debug({ error }, 'maintenance could not be read'));
  return { current: () => current, refresh, stop: () => loop.stop() };
}
