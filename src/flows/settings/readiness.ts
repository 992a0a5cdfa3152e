import type { AccountingLists, PsaModules } from '#core/documents/reference-data.ts';
import { inParallel } from '#core/in-parallel.ts';
import { Refusal } from '#core/refusal.ts';
import { ServiceError } from '#core/service-error.ts';
import { type AccountNames, settingsConfig } from '#core/settings/config.ts';
import type { Kind } from '#core/kinds.ts';
import type { SettingsFacts } from '#core/settings/definition.ts';
import type { Settings } from '#core/settings/definitions.ts';
import { procurementIsOff, settingsValid, stopsKind, validateSettings } from '#core/settings/validate.ts';
import { type Connection, type Service, statusText } from '#core/tenant.ts';
import { cachedListsIfNew, type ListFreshness, loadCachedLists, readCachedLists } from '../connections/cached-lists.ts';
import { cachedModules, loadModules, renewPsaLists } from '../connections/reference-data.ts';
import type { App, TenantContext } from '../context.ts';

/** Maximum age of lists for screens. QuickBooks reports changes, which are applied immediately; the PSA does not. */
const cachedForSeconds = 300;
/** Maximum age of the PSA's modules for scheduled cycles, which check again before they send anything. */
const relaxedSeconds = 3_600;

/** The part of the deployment that settings depend on. */
export type Deployment = Pick<App, 'descriptors'> & { readonly config: Pick<App['config'], 'voidsEnabled'> };

const isActive = (connections: readonly Connection[], service: Service): boolean =>
  connections.some((connection) => connection.service === service && connection.status === 'active');

export const bothActive = (connections: readonly Connection[]): boolean =>
  (['psa', 'accounting'] as const).every((service) => isActive(connections, service));

/**
 * Which lists replace those of a service that does not respond: the newest cached ones, or empty ones if none were ever
 * read; only cached ones; or none. To reject something because a list lacks it, the list must really have been read.
 */
type Fallback = 'kept_or_empty' | 'kept' | 'none';

/**
 * Returns the facts that settings are validated with.
 *
 * @param refresh re-reads preferences, accounts and modules, because settings are about to be saved.
 * @param lists how fresh QuickBooks' lists must be without a refresh.
 * @param fallback what replaces the lists of a service that does not respond; default `kept_or_empty`, for display
 *   only.
 * @throws ServiceError when a service does not respond and nothing replaces its lists.
 */
export async function settingsFacts(
  { descriptors, config }: Deployment,
  context: TenantContext,
  {
    refresh = false,
    lists: freshness,
    fallback,
  }: { readonly refresh?: boolean; readonly lists?: ListFreshness; readonly fallback?: Fallback } = {},
): Promise<SettingsFacts> {
  if (!refresh && freshness === undefined) {
    const cachedFacts = await context.store.readInOneTransaction((store) =>
      readCachedFacts({ store, clock: context.clock }),
    );
    return factsFrom({ descriptors, config }, context, cachedFacts, { fallback });
  }
  return factsFrom(
    { descriptors, config },
    context,
    { connections: await context.store.listConnections(), lists: null, modules: null },
    { refresh, freshness, fallback },
  );
}

/** Facts from the cache. */
interface CachedFacts {
  readonly connections: readonly Connection[];
  /** Null if QuickBooks must be read. */
  readonly lists: AccountingLists | null;
  /** Null if the PSA must be read. */
  readonly modules: PsaModules | null;
}

/** Reads the stored data for {@link settingsFacts} without a call to a service. Its reads can share a transaction. */
export async function readCachedFacts(context: Pick<TenantContext, 'store' | 'clock'>): Promise<CachedFacts> {
  const [connections, lists, modules] = await inParallel([
    context.store.listConnections(),
    cachedListsIfNew(context, { cachedForSeconds }),
    cachedModules(context, cachedForSeconds),
  ]);
  return { connections, lists, modules };
}

/** Returns facts from cached data; reads what is missing from the connected services. */
export async function factsFrom(
  { descriptors, config }: Deployment,
  context: TenantContext,
  { connections, ...cached }: CachedFacts,
  {
    refresh = false,
    freshness,
    fallback = 'kept_or_empty',
  }: {
    readonly refresh?: boolean;
    readonly freshness?: ListFreshness | undefined;
    readonly fallback?: Fallback | undefined;
  } = {},
): Promise<SettingsFacts> {
  const known = {
    psaLabel: descriptors.psa.label,
    isConnected: bothActive(connections),
    voidsEnabled: config.voidsEnabled,
    // We cannot see whether the company is on a trial plan, so payments are offered to all.
    paymentsAvailable: true,
  };
  const [lists, modules] = await inParallel([
    isActive(connections, 'accounting')
      ? (cached.lists ??
        newest(
          context,
          () => loadCachedLists(context, refresh ? 'as_they_are' : (freshness ?? { cachedForSeconds })),
          () => readCachedLists(context),
          fallback,
        ))
      : null,
    isActive(connections, 'psa')
      ? (cached.modules ??
        newest(
          context,
          () =>
            loadModules(context, {
              maxAgeSeconds: freshness === undefined ? cachedForSeconds : relaxedSeconds,
              refresh,
            }),
          () => loadModules(context, { maxAgeSeconds: Number.MAX_SAFE_INTEGER }),
          fallback,
        ))
      : null,
  ]);
  return { ...known, preferences: lists?.preferences ?? null, accounts: lists?.accounts ?? [], modules };
}

/** Re-reads the lists of the PSA if it is connected. If the PSA does not respond, the cached lists stay unchanged. */
export async function renewPsa(context: TenantContext): Promise<void> {
  if (!isActive(await context.store.listConnections(), 'psa')) return;
  await newest(
    context,
    () => renewPsaLists(context),
    () => Promise.resolve(null),
    'kept_or_empty',
  );
}

/**
 * Returns the facts of {@link settingsFacts} after re-reading both services, because a user has just changed something
 * there.
 */
export async function renewFacts(deployment: Deployment, context: TenantContext): Promise<SettingsFacts> {
  await renewPsa(context);
  // Only QuickBooks is left to read.
  return settingsFacts(deployment, context, { lists: 'as_they_are' });
}

/** Returns the service's present response, or else the fallback; null means an empty list. */
async function newest<T>(
  context: TenantContext,
  load: () => Promise<T>,
  cached: () => Promise<T | null>,
  fallback: Fallback,
): Promise<T | null> {
  let failure: unknown;
  try {
    return await load();
  } catch (error) {
    if (!isOutOfReach(error) || fallback === 'none') throw error;
    failure = error;
    context.logger.warn(
      { ...(error instanceof ServiceError ? error.about : {}) },
      'settings are evaluated with stored data',
    );
  }
  let found: T | null = null;
  try {
    found = await cached();
  } catch (error) {
    if (!isOutOfReach(error)) throw error;
  }
  if (found === null && fallback === 'kept') throw failure;
  return found;
}

// The service may be disconnected between the check and the call.
const isOutOfReach = (error: unknown): boolean =>
  error instanceof ServiceError || (error instanceof Refusal && error.code === 'not_connected');

/** Separate from the lists, which are deleted when QuickBooks is disconnected. */
const accountNamesKey = 'settings.account-names.v1';

/** Stores the names of chosen accounts, so that the form can show them while QuickBooks is not connected. */
export async function storeAccountNames(
  context: TenantContext,
  settings: Settings,
  facts: SettingsFacts,
): Promise<void> {
  const chosen = new Set<unknown>(Object.values(settings));
  const names = facts.accounts
    .filter(({ id }) => chosen.has(id))
    .map((account) => [account.id, account.fullyQualifiedName]);
  await context.store.writeCached(accountNamesKey, Object.fromEntries(names) as AccountNames, context.clock.now());
}

/** Returns account names by id: of all known accounts, and of accounts stored when they were chosen. */
export async function accountNames(
  { store }: TenantContext,
  facts: Pick<SettingsFacts, 'accounts'> = { accounts: [] },
): Promise<AccountNames> {
  const cached = await store.readCached(accountNamesKey);
  const known = facts.accounts.map(({ id, fullyQualifiedName }) => [id, fullyQualifiedName]);
  // Only this file writes the key.
  return { ...((cached?.value ?? {}) as AccountNames), ...Object.fromEntries(known) };
}

/** Returns the response for the settings' configuration, from present facts. */
export async function readSettingsConfig(
  deployment: Deployment,
  context: TenantContext,
): Promise<ReturnType<typeof settingsConfig>> {
  const [facts, settings, names] = await inParallel([
    settingsFacts(deployment, context),
    context.store.readSettings(),
    accountNames(context),
  ]);
  return settingsConfig(facts, settings, names);
}

/**
 * Activates a pending subscription when both connections are active and the settings valid for the first time. Called
 * after everything that may cause this.
 */
export async function activateIfReady(context: TenantContext, settings: Settings, facts: SettingsFacts): Promise<void> {
  if (!settingsValid(settings, facts)) return;
  const tenant = await context.store.readTenant();
  // An active subscription syncs automatically, so it must wait until the address is proved. This is called again then.
  if (tenant.status !== 'pending' || (await context.store.awaitsProof())) return;
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

/** Whether a sync can run now; if not, the reason for users. */
type Readiness =
  | { readonly isReady: true }
  | {
      readonly isReady: false;
      readonly code: 'not_connected' | 'settings_invalid' | 'subscription_ended';
      readonly message: string;
    };

const no = (code: Exclude<Readiness, { isReady: true }>['code'], message: string): Readiness => ({
  isReady: false,
  code,
  message,
});

/**
 * Returns whether a sync of these kinds can run. Called before a user or the schedule submits anything (domain reference 11.1 and
 * 11.3).
 *
 * @throws ServiceError when this is unknown, because a service does not respond and its lists were never read.
 */
export async function readiness(context: TenantContext, kinds: readonly Kind[]): Promise<Readiness> {
  const [tenant, connections] = await inParallel([context.store.readTenant(), context.store.listConnections()]);
  if (tenant.status === 'suspended' || tenant.status === 'cancelled')
    return no('subscription_ended', `The subscription is ${statusText(tenant.status)}. Please contact support.`);
  const lost = connections.find((connection) => connection.status !== 'active' && connection.problem !== null);
  if (lost !== undefined) return no('not_connected', `${lost.problem} See Connections.`);
  let labels;
  try {
    const [psa, accounting] = await inParallel([context.psa(), context.accounting()]);
    labels = { psa: psa.describe, accounting: accounting.describe };
  } catch (error) {
    if (error instanceof Refusal) return no('not_connected', error.message);
    throw error;
  }
  // The voids flag affects which settings are offered, not which are valid.
  const deployment = { descriptors: labels, config: { voidsEnabled: false } };
  const settings = await context.store.readSettings();
  const missingIn = (facts: SettingsFacts) =>
    kinds
      .map((kind) => missingModule(facts, kind) ?? missingSettings(settings, facts, kind))
      .find((missing) => missing !== null) ?? null;
  if (missingIn(await settingsFacts(deployment, context, { fallback: 'kept' })) === null) return { isReady: true };
  // A user may have fixed it in QuickBooks just now.
  const facts = await settingsFacts(deployment, context, { refresh: true, fallback: 'kept' });
  const missing = missingIn(facts);
  if (missing === null) return { isReady: true };
  if (!facts.isConnected)
    return no('not_connected', `Connect ${labels.psa.label} and ${labels.accounting.label} first, under Connections.`);
  return no('settings_invalid', missing);
}

/** Returns why the PSA has no documents of a kind; null if it has. */
const missingModule = ({ modules, psaLabel }: SettingsFacts, kind: Kind): string | null =>
  kind === 'purchase_order' && modules?.procurement === false ? procurementIsOff(psaLabel) : null;

/** Returns why the settings prevent a sync of a kind, for users; null if they do not. */
export function missingSettings(settings: Settings, facts: SettingsFacts, kind: Kind): string | null {
  const [first, ...more] = validateSettings(settings, facts).filter(({ key }) => stopsKind(key, kind));
  if (first === undefined) return null;
  const others = more.length === 0 ? '' : ` And ${more.length} more.`;
  return `Complete your settings first: ${first.error}${others} See Settings.`;
}
