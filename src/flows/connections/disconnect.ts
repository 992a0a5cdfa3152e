import type { Actor } from '#core/ports/store.ts';
import { Refusal } from '#core/refusal.ts';
import { ServiceError } from '#core/service-error.ts';
import type { Service } from '#core/tenant.ts';
import type { App, TenantContext } from '../context.ts';
import { cachePrefixes } from './reference-data.ts';

/**
 * Ends a connection: access is given back to the service as far as it listens, then secrets and kept lists are
 * deleted. Asked for on Connections; doing it twice does no harm.
 */
export async function disconnect(app: App, context: TenantContext, service: Service, actor: Actor): Promise<void> {
  const { store, clock, logger } = context;
  const before = (await store.listConnections()).find((one) => one.service === service);
  if (service === 'accounting') {
    try {
      await (await context.accounting()).revoke();
    } catch (error) {
      // What matters is that we forget; the access also ends by itself.
      if (error instanceof ServiceError) logger.warn({ ...error.about }, 'access could not be given back');
      else if (!(error instanceof Refusal)) throw error;
    }
  }
  await store.removeCredentials(service);
  if (before !== undefined) await store.markConnection(service, { status: 'inactive', problem: null });
  await store.dropCached(cachePrefixes[service]);
  if (before === undefined) return;
  await store.addAudit({
    at: clock.now(),
    actor,
    action: 'connection.removed',
    subject: app.descriptors[service].key,
    before: { name: before.name, user: before.user, status: before.status },
    after: null,
  });
}
