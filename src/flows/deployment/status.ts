import { inParallel } from '#core/in-parallel.ts';
import { isNewerVersion, type DeploymentStatus } from '#core/records/deployment-status.ts';
import type { Maintenance } from '#core/records/maintenance.ts';
import type { App } from '../context.ts';

/** Returns the state of the whole deployment, for system administrators. Nothing outside is asked. */
export async function readDeploymentStatus({ store, clock, config }: App): Promise<DeploymentStatus> {
  const [pendingMigrations, maintenance, processes, totals, troubles] = await inParallel([
    store.pendingMigrations(),
    store.readMaintenance(),
    store.listProcesses(),
    store.readDeploymentTotals(clock.now()),
    store.readTroubles(),
  ]);
  let newest = config.version;
  for (const { version } of processes) if (isNewerVersion(version, newest)) newest = version;
  return {
    version: config.version,
    newerVersion: newest === config.version ? null : newest,
    pendingMigrations,
    maintenance,
    processes,
    totals,
    ...troubles,
  };
}

/**
 * Turns maintenance on, or replaces its message, or turns it off.
 *
 * @param message for users; null turns maintenance off.
 */
export const changeMaintenance = (
  { store, clock }: App,
  { username }: { readonly username: string },
  message: string | null,
): Promise<Maintenance | null> => store.saveMaintenance({ message, actor: username, now: clock.now() });
