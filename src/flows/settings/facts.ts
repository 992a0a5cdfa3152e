import type { BooksReferenceData, PsaModules } from '#core/documents/reference-data.ts';
import { inParallel } from '#core/in-parallel.ts';
import { Refusal } from '#core/refusal.ts';
import { settingsConfig, type AccountNames } from '#core/settings/config.ts';
import type { SettingsFacts } from '#core/settings/definition.ts';
import type { Settings } from '#core/settings/definitions.ts';
import { settingsValid } from '#core/settings/validate.ts';
import { ServiceError } from '#core/service-error.ts';
import type { Connection, Service } from '#core/tenant.ts';
import { keptListsOf, loadCachedLists, readKeptLists, type ListFreshness } from '../connections/cached-lists.ts';
import { keptModules, loadModules, renewPsaLists } from '../connections/reference-data.ts';
import type { App, TenantContext } from '../context.ts';

/** Maximum age for whoever looks at a screen. The books tell of changes, which are taken in at once; the PSA does not. */
const keptForSeconds = 300;
/** Maximum age of the modules of the PSA for the cycles of the clock, which find out before they send anything. */
const relaxedSeconds = 3_600;

/** The part of the deployment that settings depend on. */
export type Deployment = Pick<App, 'descriptors'> & { readonly config: Pick<App['config'], 'voidsEnabled'> };

const isActive = (connections: readonly Connection[], service: Service): boolean =>
  connections.some((one) => one.service === service && one.status === 'active');

export const bothActive = (connections: readonly Connection[]): boolean =>
  (['psa', 'accounting'] as const).every((service) => isActive(connections, service));

/**
 * Lists that stand in for those of a service that does not answer: the newest kept ones, and empty ones where none were
 * ever read; the kept ones alone; or none. Who refuses something because a list lacks it has to be sure that it was read.
 */
export type Fallback = 'kept_or_empty' | 'kept' | 'none';

/**
 * Facts that settings are judged by, as they are now.
 *
 * @param refresh read preferences, accounts and modules anew, because something is about to be saved by them.
 * @param lists how the lists of the books must agree with them, when nothing is refreshed.
 * @param fallback what stands in for a service that does not answer; default `kept_or_empty`, for what is only shown.
 * @throws ServiceError what a service answered instead, when nothing stands in for it.
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
    const kept = await context.store.readInOneTransaction((store) => readKeptFacts({ store, clock: context.clock }));
    return factsFrom({ descriptors, config }, context, kept, { fallback });
  }
  return factsFrom(
    { descriptors, config },
    context,
    { connections: await context.store.listConnections(), lists: null, modules: null },
    { refresh, freshness, fallback },
  );
}

/** Facts as they are kept. */
export interface KeptFacts {
  readonly connections: readonly Connection[];
  /** Null where the books have to be asked. */
  readonly lists: BooksReferenceData | null;
  /** Null where the PSA has to be asked. */
  readonly modules: PsaModules | null;
}

/** Reads, without a call, what {@link settingsFacts} rests on: its reads may share a transaction with others. */
export async function readKeptFacts(context: Pick<TenantContext, 'store' | 'clock'>): Promise<KeptFacts> {
  const [connections, lists, modules] = await inParallel([
    context.store.listConnections(),
    keptListsOf(context, { keptForSeconds }),
    keptModules(context, keptForSeconds),
  ]);
  return { connections, lists, modules };
}

/** Facts out of what was kept; a service is asked for what is missing, when it is connected. */
export async function factsFrom(
  { descriptors, config }: Deployment,
  context: TenantContext,
  { connections, ...kept }: KeptFacts,
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
    // Whether a connection is a trial of the service cannot be told from here; payments are offered to all.
    paymentsAvailable: true,
  };
  const [lists, modules] = await inParallel([
    isActive(connections, 'accounting')
      ? (kept.lists ??
        newest(
          context,
          () => loadCachedLists(context, refresh ? 'as_they_are' : (freshness ?? { keptForSeconds })),
          () => readKeptLists(context),
          fallback,
        ))
      : null,
    isActive(connections, 'psa')
      ? (kept.modules ??
        newest(
          context,
          () =>
            loadModules(context, {
              maxAgeSeconds: freshness === undefined ? keptForSeconds : relaxedSeconds,
              refresh,
            }),
          () => loadModules(context, { maxAgeSeconds: Number.MAX_SAFE_INTEGER }),
          fallback,
        ))
      : null,
  ]);
  return { ...known, preferences: lists?.preferences ?? null, accounts: lists?.accounts ?? [], modules };
}

/** Reads the lists of the PSA anew, if it is connected; while it does not answer they stay as they were kept. */
export async function renewPsa(context: TenantContext): Promise<void> {
  if (!isActive(await context.store.listConnections(), 'psa')) return;
  await newest(
    context,
    () => renewPsaLists(context),
    () => Promise.resolve(null),
    'kept_or_empty',
  );
}

/** As `settingsFacts`, after both services were asked for everything: a person has just changed something there. */
export async function renewFacts(deployment: Deployment, context: TenantContext): Promise<SettingsFacts> {
  await renewPsa(context);
  // The books are left.
  return settingsFacts(deployment, context, { lists: 'as_they_are' });
}

/** The service's answer of now; if it gives none, what stands in for it; null: an empty list. */
async function newest<T>(
  context: TenantContext,
  load: () => Promise<T>,
  kept: () => Promise<T | null>,
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
      'settings are judged by what was kept',
    );
  }
  let found: T | null = null;
  try {
    found = await kept();
  } catch (error) {
    if (!isOutOfReach(error)) throw error;
  }
  if (found === null && fallback === 'kept') throw failure;
  return found;
}

// A connection may end between our looking at it and our using it.
const isOutOfReach = (error: unknown): boolean =>
  error instanceof ServiceError || (error instanceof Refusal && error.code === 'not_connected');

/** Kept apart from the lists, which are forgotten when the books are disconnected. */
const accountNamesKey = 'settings.account-names.v1';

/** Keeps the names of chosen accounts, so that the form can show them while the books are not connected. */
export async function keepAccountNames(
  context: TenantContext,
  settings: Settings,
  facts: SettingsFacts,
): Promise<void> {
  const chosen = new Set<unknown>(Object.values(settings));
  const names = facts.accounts.filter(({ id }) => chosen.has(id)).map((one) => [one.id, one.fullyQualifiedName]);
  await context.store.writeCached(accountNamesKey, Object.fromEntries(names) as AccountNames, context.clock.now());
}

/** Names of accounts by id: of all that are known now, and those that were kept when they were chosen. */
export async function accountNames(
  { store }: TenantContext,
  facts: Pick<SettingsFacts, 'accounts'> = { accounts: [] },
): Promise<AccountNames> {
  const kept = await store.readCached(accountNamesKey);
  const known = facts.accounts.map(({ id, fullyQualifiedName }) => [id, fullyQualifiedName]);
  // Only this file writes the key.
  return { ...((kept?.value ?? {}) as AccountNames), ...Object.fromEntries(known) };
}

/** The reply of the settings' config, by what is known now. */
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
 * Makes a pending subscription active, the first time that both connections are active and the settings valid. Asked
 * for after everything that may have brought that about.
 */
export async function activateIfReady(context: TenantContext, settings: Settings, facts: SettingsFacts): Promise<void> {
  if (!settingsValid(settings, facts)) return;
  const tenant = await context.store.readTenant();
  // An active subscription syncs live by itself: that waits for the proof of an address, and this is asked again then.
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
