import type { DeploymentEvent, DeploymentEventStore } from '#core/ports/deployment-events.ts';
import type { JsonObject } from '#core/values/json.ts';
import type { Tx } from './database.ts';
import type { RootMethods } from './scope.ts';
import { clean, toJson } from './tables.ts';

export const deploymentEvents: RootMethods<DeploymentEventStore> = {
  addDeploymentEvent: ({ tx }, event) => insertDeploymentEvent(tx, event),

  listDeploymentEvents: async ({ tx }, limit) =>
    (
      await tx
        .selectFrom('deployment_events')
        .select(['at', 'actor', 'action', 'subject', 'detail'])
        .orderBy('seq', 'desc')
        .limit(limit)
        .execute()
    ).map((row) => ({ ...row, detail: row.detail as JsonObject })),
};

/** Adds an event in the transaction of the change. */
export async function insertDeploymentEvent(tx: Tx, event: DeploymentEvent): Promise<void> {
  await tx
    .insertInto('deployment_events')
    .values({ ...event, subject: clean(event.subject), detail: toJson(event.detail) })
    .execute();
}
