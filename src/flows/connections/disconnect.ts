import type { FieldValues } from '#core/changed-meanwhile.ts';
import type { Actor } from '#core/records/audit.ts';
import { ServiceError } from '#core/service-error.ts';
import type { Service } from '#core/tenant.ts';
import { reportingConflicts } from '../changed-meanwhile.ts';
import type { App, TenantContext } from '../context.ts';
import { cachePrefixes } from './reference-data.ts';

/**
 * Ends a connection. The credentials cannot be used from now on, not even by waiting calls; then the access is revoked
 * at the service. If that fails, the worker retries it later. Called from the Connections screen. Safe to call twice.
 *
 * @param was name of the company that the user saw; see `requireUnchanged`.
 * @throws Refusal `changed_meanwhile` (409) when another company was connected since.
 */
export async function disconnect(
  app: App,
  context: TenantContext,
  service: Service,
  actor: Actor,
  was?: FieldValues,
): Promise<void> {
  const { store, clock, logger } = context;
  const before = (await store.listConnections()).find((connection) => connection.service === service);
  const texts = {
    actor,
    actions: ['connection.made'],
    subject: app.descriptors[service].key,
    textOf: (_: string, { name }: FieldValues) => ({
      label: 'Company',
      value: typeof name === 'string' && name !== '' ? name : 'none',
    }),
  };
  const ended = await reportingConflicts(context, texts, async () => {
    const access = service === 'accounting' ? await store.endAccountingAccess(clock.now(), was) : null;
    if (access === null) await store.removeCredentials(service, was);
    return access;
  });
  if (ended !== null)
    try {
      await app.oauth.revoke(ended);
      await store.forgetEndedAccess();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      logger.warn({ ...error.about }, 'access could not be given back yet');
    }
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
