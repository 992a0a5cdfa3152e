import type { Actor } from '#core/records/audit.ts';
import { Refusal } from '#core/refusal.ts';
import type { App } from '../context.ts';
import { disconnect } from '../connections/disconnect.ts';
import { readClient } from './change-status.ts';

const deletionOwner = 'deletion of the client';
/** Long enough to revoke access and remove all data; no worker starts meanwhile. */
const leaseSeconds = 600;

/**
 * Deletes a client permanently: revokes access at the services, then removes all of the client's data, including users,
 * logs and cached lists. Only an entry in the deployment's log remains. The access of a client that was moved is not
 * revoked, because the other deployment uses it.
 *
 * @param typedName the client's name as the user typed it, to prevent deleting the wrong client.
 * @returns the number of removed rows.
 * @throws Refusal `not_found`; `name_wrong` (422), field `name`; `busy` (409) while a sync is running.
 */
export async function deleteTenant(app: App, actor: Actor, id: string, typedName: string): Promise<number> {
  const { store, clock, logger } = app;
  const { name } = await readClient(app, id);
  if (typedName.trim() !== name.trim()) {
    const error = 'This is not the name of the client.';
    throw new Refusal('unprocessable', 'name_wrong', error, [{ key: 'name', error }]);
  }
  const context = app.forTenant(id);
  const isMoved = (await store.listMovedTenants()).includes(id);
  const lease = isMoved ? null : await context.store.acquireLease(deletionOwner, leaseSeconds);
  if (lease === null && !isMoved)
    throw new Refusal('conflict', 'busy', `A sync of ${name} is under way. Please try again in a minute.`);
  try {
    if (!isMoved) for (const service of ['accounting', 'psa'] as const) await disconnect(app, context, service, actor);
    const removed = await store.deleteTenant(id, {
      at: clock.now(),
      actor: actor.username,
      action: 'tenant.deleted',
      subject: id,
      detail: {},
    });
    const rows = Object.values(removed ?? {}).reduce((sum, count) => sum + count, 0);
    logger.info({ tenantId: id, rows }, 'a client was deleted');
    return rows;
  } catch (error) {
    if (lease !== null) await context.store.releaseLease(lease);
    throw error;
  }
}
