import type { DeploymentEvent } from '#core/records/deployment-events.ts';
import type { Maintenance } from '#core/records/maintenance.ts';
import type { Instant } from '#core/values/dates.ts';
import type { JsonObject } from '#core/values/json.ts';
import type { Tx } from './database.ts';
import type { RootWork } from './scope.ts';
import { clean, toJson } from './tables.ts';

/** Log of administrative actions on the deployment. */
export const deploymentEvents = {
  /** Records an action on the deployment, e.g. that a client was deleted. */
  addDeploymentEvent: ({ tx }: RootWork, event: DeploymentEvent): Promise<void> => insertDeploymentEvent(tx, event),

  /** Newest first. */
  listDeploymentEvents: async ({ tx }: RootWork, limit: number): Promise<readonly DeploymentEvent[]> =>
    (
      await tx
        .selectFrom('deployment_events')
        .select(['at', 'actor', 'action', 'subject', 'detail'])
        .orderBy('seq', 'desc')
        .limit(limit)
        .execute()
    ).map((row) => ({ ...row, detail: row.detail as JsonObject })),

  /** Returns the maintenance that is on; null: none. */
  readMaintenance: ({ tx }: RootWork): Promise<Maintenance | null> => readMaintenance(tx),

  /**
   * Turns maintenance on or off. Turning it on again replaces the message.
   *
   * @returns the maintenance that is on afterward; null: none.
   */
  saveMaintenance: ({ tx }: RootWork, change: MaintenanceChange): Promise<Maintenance | null> =>
    saveMaintenance(tx, change),
};

interface MaintenanceChange {
  /** Null turns maintenance off. */
  readonly message: string | null;
  readonly actor: string;
  readonly now: Instant;
}

/** Turns maintenance on or off in the transaction. */
export async function saveMaintenance(tx: Tx, { message, actor, now }: MaintenanceChange): Promise<Maintenance | null> {
  const before = await readMaintenance(tx);
  if (message === null && before === null) return null;
  const since = before?.since ?? now;
  const next = message === null ? null : { since, message };
  await insertDeploymentEvent(tx, {
    at: now,
    actor,
    action: next === null ? 'maintenance.off' : 'maintenance.on',
    subject: 'the deployment',
    detail: next ?? { since },
  });
  return next;
}

/** Returns the maintenance that is on; null: none. */
export async function readMaintenance(tx: Tx): Promise<Maintenance | null> {
  const newest = await tx
    .selectFrom('deployment_events')
    .select(['action', 'detail'])
    .where('action', 'in', ['maintenance.on', 'maintenance.off'])
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  // `saveMaintenance` wrote the detail.
  return newest?.action === 'maintenance.on' ? (newest.detail as Maintenance) : null;
}

/** Adds an event in the transaction of the change. */
export async function insertDeploymentEvent(tx: Tx, event: DeploymentEvent): Promise<void> {
  await tx
    .insertInto('deployment_events')
    .values({ ...event, subject: clean(event.subject), detail: toJson(event.detail) })
    .execute();
}
