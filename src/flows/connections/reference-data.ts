import type { PsaModules, PsaReferenceData } from '#core/documents/reference-data.ts';
import type { MappingSources } from '#core/mapping/sources.ts';
import type { Psa } from '#core/ports/psa.ts';
import { secondsBetween, type Instant } from '#core/values/dates.ts';
import type { Json, JsonObject } from '#core/values/json.ts';
import type { TenantContext } from '../context.ts';
import { readInTime } from '../patience.ts';

/** How fresh a cached list must be. */
export interface Freshness {
  /** Older values are read again; 0 always reads. */
  readonly maxAgeSeconds: number;
  /** Reads again at any age. */
  readonly refresh?: boolean;
}

/** Prefixes of cached lists that are deleted when a service is disconnected or a different company is connected. */
export const cachePrefixes = { psa: 'psa.', accounting: 'accounting.' } as const;

/** Increases when the format of a cached list changes, so that the value of another program version is not misread. */
const shape = 'v3';

/**
 * Returns a cached value that is new enough, or reads and caches it. A user's request waits for that only for a moment,
 * then gets the cached value of any age.
 *
 * @throws ServiceError when the value must be read and the service does not respond.
 */
export async function cacheFor<T>(
  context: TenantContext,
  name: string,
  { maxAgeSeconds, refresh = false }: Freshness,
  read: () => Promise<T>,
): Promise<T> {
  const { store, clock } = context;
  const cached = refresh || maxAgeSeconds <= 0 ? null : await cachedFor<T>(context, name, maxAgeSeconds);
  if (cached !== null) return cached;
  const service = name.startsWith(cachePrefixes.psa) ? 'psa' : 'accounting';
  return readInTime(
    context,
    { name, service },
    async () => {
      const fetchedAt = clock.now();
      const value = await read();
      await store.writeCached(`${name}.${shape}`, value as unknown as Json, fetchedAt);
      return value;
    },
    () => cachedFor<T>(context, name, Number.POSITIVE_INFINITY),
  );
}

/** Returns a value that {@link cacheFor} cached, without a call; null if there is none that is new enough. */
export async function cachedFor<T>(
  { store, clock }: Pick<TenantContext, 'store' | 'clock'>,
  name: string,
  maxAgeSeconds: number,
): Promise<T | null> {
  const cached = await store.readCached(`${name}.${shape}`);
  const isNew = cached !== null && secondsBetween(cached.fetchedAt, clock.now()) <= maxAgeSeconds;
  // Only `keepFor` writes the key, so the cached value has the type that its `read` returns.
  return isNew ? (cached.value as unknown as T) : null;
}

const psaReference = 'psa.reference';

/**
 * Returns all lists of the PSA that documents refer to.
 *
 * @param psa an open PSA session to reuse.
 */
export const loadPsaReference = (context: TenantContext, freshness: Freshness, psa?: Psa): Promise<PsaReferenceData> =>
  cacheFor(context, psaReference, freshness, async () => (psa ?? (await context.psa())).readReferenceData());

/**
 * Returns the modules that are active in the PSA: from the cached lists if they are new enough, else from a call that
 * reads only the modules and updates the cached lists.
 */
export async function loadModules(context: TenantContext, freshness: Freshness): Promise<PsaModules> {
  const { store, clock } = context;
  const cached = await store.readCached(`${psaReference}.${shape}`);
  if (cached === null) return (await loadPsaReference(context, freshness)).modules;
  const isNew = secondsBetween(cached.fetchedAt, clock.now()) <= freshness.maxAgeSeconds;
  if (isNew && freshness.refresh !== true) return (cached.value as unknown as PsaReferenceData).modules;
  return cacheFor(context, 'psa.modules', freshness, async () => {
    const modules = await (await context.psa()).readModules();
    await store.changeCached(
      `${psaReference}.${shape}`,
      (lists) => ({ ...(lists as unknown as PsaReferenceData), modules }) as unknown as Json,
    );
    return modules;
  });
}

/** Returns the modules from the cached lists of the PSA, without a call; null if the lists are not new enough. */
export const cachedModules = async (
  context: Pick<TenantContext, 'store' | 'clock'>,
  maxAgeSeconds: number,
): Promise<PsaModules | null> =>
  (await cachedFor<PsaReferenceData>(context, psaReference, maxAgeSeconds))?.modules ?? null;

const mappingSources = 'psa.mapping-sources';

/**
 * Returns the records that can be mapped. Cached separately from the lists for documents, because there are many
 * companies.
 */
export const loadMappingSources = (context: TenantContext, freshness: Freshness): Promise<MappingSources> =>
  cacheFor(context, mappingSources, freshness, async () => (await context.psa()).readMappingSources());

/** Categories of the waiting expense reports. The key is here because a refresh also clears it. */
export const waitingCategoriesName = 'psa.waiting-categories';

/**
 * Refreshes all lists of the PSA, for every screen: re-reads the lists for documents and expires the others.
 *
 * @throws ServiceError when the PSA does not respond; then the cached lists stay unchanged.
 */
export async function renewPsaLists(context: TenantContext): Promise<PsaReferenceData> {
  const lists = await loadPsaReference(context, { maxAgeSeconds: 0, refresh: true });
  await context.store.expireCached(mappingSources);
  await context.store.expireCached(waitingCategoriesName);
  return lists;
}

/** Returns QuickBooks' own JSON of the lists that screens show. */
export const loadRaw = {
  accounts: (context: TenantContext, freshness: Freshness): Promise<readonly JsonObject[]> =>
    cacheFor(context, 'accounting.raw-accounts', freshness, async () => (await context.accounting()).rawAccounts()),
  classes: (context: TenantContext, freshness: Freshness): Promise<readonly JsonObject[]> =>
    cacheFor(context, 'accounting.raw-classes', freshness, async () => (await context.accounting()).rawClasses()),
  preferences: (context: TenantContext, freshness: Freshness): Promise<JsonObject> =>
    cacheFor(context, 'accounting.raw-preferences', freshness, async () =>
      (await context.accounting()).rawPreferences(),
    ),
  companyInfo: (context: TenantContext, freshness: Freshness): Promise<JsonObject> =>
    cacheFor(context, 'accounting.raw-companyinfo', freshness, async () =>
      (await context.accounting()).rawCompanyInfo(),
    ),
} as const;

/** Returns when the stored lists of the PSA were read; null if none are stored. */
export const psaListsReadAt = async ({ store }: Pick<TenantContext, 'store'>): Promise<Instant | null> =>
  (await store.readCached(`${psaReference}.${shape}`))?.fetchedAt ?? null;
