import { ServiceError } from '#core/service-error.ts';
import { type MaintenanceDue, RefreshUnderWay } from '#core/records/connections.ts';
import { addSeconds, secondsBetween } from '#core/values/dates.ts';
import type { App, TenantContext } from '../context.ts';
import { reconsider } from './adopt-company.ts';

/** Seconds after which revoking an ended access is given up: by then its tokens have expired. */
const giveUpSeconds = 100 * 86_400;
/** Bounds of the pause before an ended access is revoked again. The pause equals the time since it ended. */
const revokeAgainSeconds = { min: 300, max: 86_400 } as const;
/** Seconds until an idle connection is retried whose tokens could not be renewed. */
const renewAgainSeconds = 6 * 3_600;

/** Maximum connections in one run; the next run handles the others. */
const connectionsAtOnce = 500;

/** Maintains all due connections, one after the other; there are few, and none is urgent. */
export async function maintainConnections(app: App, signal: AbortSignal): Promise<void> {
  for (const tenantId of await app.store.tenantsDueForMaintenance(app.clock.now(), connectionsAtOnce)) {
    if (signal.aborted) return;
    await maintainConnection(app, app.forTenant(tenantId)).catch((error: unknown) =>
      app.logger.error({ tenantId, error }, 'the maintenance of a connection failed'),
    );
  }
}

/**
 * Maintains a tenant's connection to QuickBooks when it is due. Renews the tokens of a connection unused for a week, so
 * that they do not expire (fault row A10). Revokes an access that was ended here while the service did not respond
 * (security row 13). Evaluates the settings of a pending client again. Called by the worker.
 */
export async function maintainConnection(app: App, context: TenantContext): Promise<void> {
  const needed = await context.store.claimMaintenance(context.clock.now());
  if (needed === null) return;
  if (needed.isIdle) await renew(app, context);
  if (needed.ended !== null) await revokeEnded(app, context, needed.ended);
  if ((await context.store.readTenant()).status === 'pending') await reconsider(app, context);
}

async function revokeEnded(
  app: App,
  { tenantId, store, clock, logger }: TenantContext,
  { credentials, at }: NonNullable<MaintenanceDue['ended']>,
): Promise<void> {
  const passed = secondsBetween(at, clock.now());
  // Revoking the old access would also end the access of a tenant that has connected the company since.
  const holders = await app.store.findConnected('accounting', credentials.realmId);
  if (passed > giveUpSeconds || holders.length > 0) return store.forgetEndedAccess();
  try {
    await app.oauth.revoke(credentials);
    await store.forgetEndedAccess();
    logger.info({ tenantId }, 'access was given back');
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const pause = Math.min(Math.max(passed, revokeAgainSeconds.min), revokeAgainSeconds.max);
    await store.scheduleMaintenance(addSeconds(clock.now(), pause));
    logger.warn({ ...error.about }, 'access could not be given back yet');
  }
}

async function renew(app: App, { store, clock, logger }: TenantContext): Promise<void> {
  try {
    await store.refreshAccountingCredentials((current) => app.oauth.refresh(current));
  } catch (error) {
    // Another worker is renewing the tokens, so the connection is in use.
    if (error instanceof RefreshUnderWay) return;
    if (!(error instanceof ServiceError)) throw error;
    logger.warn({ ...error.about }, 'the tokens of an idle connection could not be renewed');
    if (error.about.next === 'reconnect') {
      const problem = `${app.descriptors.accounting.label} needs to be reconnected. Open Connections and connect it again.`;
      await store.markConnection('accounting', { status: 'inactive', problem });
    } else await store.scheduleMaintenance(addSeconds(clock.now(), renewAgainSeconds));
  }
}
