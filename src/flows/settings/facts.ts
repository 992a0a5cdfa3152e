import { inParallel } from '#core/in-parallel.ts';
import type { Settings, SettingsFacts } from '#core/settings/definitions.ts';
import { settingsValid } from '#core/settings/validate.ts';
import { ServiceError } from '#core/service-error.ts';
import type { Connection } from '#core/tenant.ts';
import { loadAccounts, loadBooksPreferences, loadModules, type Freshness } from '../connections/reference-data.ts';
import type { App, TenantContext } from '../context.ts';

/** Lists that only decide what screens offer may be this old. */
const relaxed: Freshness = { maxAgeSeconds: 3_600 };

/** The part of the deployment that settings depend on. */
export type Deployment = Pick<App, 'descriptors'> & { readonly config: Pick<App['config'], 'voidsEnabled'> };

export const bothActive = (connections: readonly Connection[]): boolean =>
  (['psa', 'accounting'] as const).every((service) =>
    connections.some((one) => one.service === service && one.status === 'active'),
  );

/**
 * What settings are judged by, as it is now. A service that does not answer leaves the newest kept lists in force; what
 * was never read is empty.
 *
 * @param refresh read preferences, accounts and modules anew, because something is about to be saved by them.
 */
export async function settingsFacts(
  { descriptors, config }: Deployment,
  context: TenantContext,
  { refresh = false }: { readonly refresh?: boolean } = {},
): Promise<SettingsFacts> {
  const isConnected = bothActive(await context.store.listConnections());
  const known = { psaLabel: descriptors.psa.label, isConnected, voidsEnabled: config.voidsEnabled };
  // Whether a connection is a trial of the service cannot be told from here; payments are offered to all.
  const offered = { paymentsAvailable: true };
  if (!isConnected) return { ...known, ...offered, preferences: null, accounts: [], modules: null };
  const [preferences, accounts, modules] = await inParallel([
    newest(context, loadBooksPreferences, refresh),
    newest(context, loadAccounts, refresh),
    newest(context, loadModules, refresh),
  ]);
  return { ...known, ...offered, preferences, accounts: accounts ?? [], modules };
}

async function newest<T>(
  context: TenantContext,
  load: (context: TenantContext, freshness: Freshness) => Promise<T>,
  refresh: boolean,
): Promise<T | null> {
  try {
    return await load(context, { ...relaxed, refresh });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    context.logger.warn({ ...error.about }, 'settings are judged by the lists that were kept');
  }
  try {
    return await load(context, { maxAgeSeconds: Number.MAX_SAFE_INTEGER });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return null;
  }
}

/**
 * Makes a pending subscription active, the first time that both connections are active and the settings valid. Asked
 * for after everything that may have brought that about.
 */
export async function activateIfReady(context: TenantContext, settings: Settings, facts: SettingsFacts): Promise<void> {
  if (!settingsValid(settings, facts)) return;
  const tenant = await context.store.readTenant();
  if (tenant.status !== 'pending') return;
  await context.store.setStatus('active');
  await context.store.addAudit({
    at: context.clock.now(),
    actor: { username: 'system' },
    action: 'subscription.activated',
    subject: null,
    before: { status: 'pending' },
    after: { status: 'active' },
  });
}
