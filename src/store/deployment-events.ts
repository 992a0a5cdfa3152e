import type { DeploymentEvent } from '#core/records/deployment-events.ts';
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
};

/** Adds an event in the transaction of the change. */
export async function insertDeploymentEvent(tx: Tx, event: DeploymentEvent): Promise<void> {
  await tx
    .insertInto('deployment_events')
    .values({ ...event, subject: clean(event.subject), detail: toJson(event.detail) })
    .execute();
}
