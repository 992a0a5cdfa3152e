import { ServiceError } from '#core/service-error.ts';
import { RefreshUnderWay, type MaintenanceDue } from '#core/ports/connections.ts';
import { addSeconds, secondsBetween } from '#core/values/dates.ts';
import type { App, TenantContext } from '../context.ts';
import { reconsider } from './adopt-company.ts';

/** A service that has not heard for so long that an access was ended never will: by then it ends by itself. */
const giveUpSeconds = 100 * 86_400;
/** Seconds until an ended access is revoked once more: as many as have passed, within these bounds. */
const revokeAgainSeconds = { least: 300, most: 86_400 } as const;
/** An idle connection whose tokens could not be renewed is tried again after so long. */
const renewAgainSeconds = 6 * 3_600;

/** More connections than this wait for the next round. */
const connectionsAtOnce = 500;

/** Maintains every connection whose time has come, one after the other: there are few, and none is in a hurry. */
export async function maintainConnections(app: App, signal: AbortSignal): Promise<void> {
  for (const tenantId of await app.store.tenantsDueForMaintenance(app.clock.now(), connectionsAtOnce)) {
    if (signal.aborted) return;
    await maintainConnection(app, app.forTenant(tenantId)).catch((error: unknown) =>
      app.logger.error({ tenantId, error }, 'the maintenance of a connection failed'),
    );
  }
}

/**
 * Maintains the connection to the books of one tenant, when its time has come: renews the tokens of a connection that
 * nobody used for a week, so that their chain never ends (fault row A10), and revokes an access that was ended here
 * while the service did not listen (security row 13). A client that is pending is judged once more. Asked for by the worker.
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
  // Revoking the old access would end the one of whoever has connected the company since.
  const holders = await app.store.findConnected('accounting', credentials.realmId);
  if (passed > giveUpSeconds || holders.length > 0) return store.forgetEndedAccess();
  try {
    await app.oauth.revoke(credentials);
    await store.forgetEndedAccess();
    logger.info({ tenantId }, 'access was given back');
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const pause = Math.min(Math.max(passed, revokeAgainSeconds.least), revokeAgainSeconds.most);
    await store.scheduleMaintenance(addSeconds(clock.now(), pause));
    logger.warn({ ...error.about }, 'access could not be given back yet');
  }
}

async function renew(app: App, { store, clock, logger }: TenantContext): Promise<void> {
  try {
    await store.refreshAccountingCredentials((current) => app.oauth.refresh(current));
  } catch (error) {
    // Another worker is at it, which means that the connection is in use.
    if (error instanceof RefreshUnderWay) return;
    if (!(error instanceof ServiceError)) throw error;
    logger.warn({ ...error.about }, 'the tokens of an idle connection could not be renewed');
    if (error.about.next === 'reconnect') {
      const problem = `${app.descriptors.accounting.label} needs to be reconnected. Open Connections and connect it again.`;
      await store.markConnection('accounting', { status: 'inactive', problem });
    } else await store.scheduleMaintenance(addSeconds(clock.now(), renewAgainSeconds));
  }
}
