import type { Actor } from '#core/ports/audit.ts';
import { Refusal } from '#core/refusal.ts';
import type { App } from '../context.ts';
import { disconnect } from '../connections/disconnect.ts';
import { readClient } from './change-status.ts';

/** Long enough to give access back and remove everything; workers stay away meanwhile. */
const leaseSeconds = 600;

/**
 * Deletes a client for good: the services are given their access back, then everything of the client is removed, its
 * users, logs and kept lists included. Only a line that says that it happened stays, with the deployment.
 *
 * @param typedName the client's name as a person typed it, so that nobody deletes another one by a wrong click.
 * @returns how many rows were removed.
 * @throws Refusal `not_found`; `name_wrong` (422), field `name`; `busy` (409) while a sync is under way.
 */
export async function deleteTenant(app: App, actor: Actor, id: string, typedName: string): Promise<number> {
  const { store, clock, logger } = app;
  const { name } = await readClient(app, id);
  if (typedName.trim() !== name.trim()) {
    const error = 'This is not the name of the client.';
    throw new Refusal('unprocessable', 'name_wrong', error, [{ key: 'name', error }]);
  }
  const context = app.forTenant(id);
  const lease = await context.store.takeLease('deletion of the client', leaseSeconds, clock.now());
  if (lease === null)
    throw new Refusal('conflict', 'busy', `A sync of ${name} is under way. Please try again in a minute.`);
  try {
    for (const service of ['accounting', 'psa'] as const) await disconnect(app, context, service, actor);
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
    await context.store.releaseLease(lease);
    throw error;
  }
}
