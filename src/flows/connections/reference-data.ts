import type { PsaModules, PsaReferenceData } from '#core/documents/reference-data.ts';
import type { MappingSources } from '#core/mapping/sources.ts';
import type { Psa } from '#core/ports/psa.ts';
import { secondsBetween } from '#core/values/dates.ts';
import type { Json, JsonObject } from '#core/values/json.ts';
import type { TenantContext } from '../context.ts';
import { soon } from '../patience.ts';

/** Freshness that a cached list must have. */
export interface Freshness {
  /** Older values are read again; 0 reads always. */
  readonly maxAgeSeconds: number;
  /** Reads again whatever the age. */
  readonly refresh?: boolean;
}

/** Kept lists are forgotten by these prefixes when a service is disconnected or another company is connected. */
export const cachePrefixes = { psa: 'psa.', accounting: 'books.' } as const;

/** Rises when the shape of a kept list changes, so that an older program's value is not misread. */
const shape = 'v3';

/**
 * Returns a stored value that is new enough, or reads and stores it. A user's request waits for that only for a moment,
 * then gets the stored value of any age.
 *
 * @throws ServiceError when it must be read and the service does not answer.
 */
export async function keepFor<T>(
  context: TenantContext,
  name: string,
  { maxAgeSeconds, refresh = false }: Freshness,
  read: () => Promise<T>,
): Promise<T> {
  const { store, clock } = context;
  const kept = refresh || maxAgeSeconds <= 0 ? null : await keptFor<T>(context, name, maxAgeSeconds);
  if (kept !== null) return kept;
  const service = name.startsWith(cachePrefixes.psa) ? 'psa' : 'accounting';
  return soon(
    context,
    { name, service },
    async () => {
      const fetchedAt = clock.now();
      const value = await read();
      await store.writeCached(`${name}.${shape}`, value as unknown as Json, fetchedAt);
      return value;
    },
    () => keptFor<T>(context, name, Number.POSITIVE_INFINITY),
  );
}

/** A value that {@link keepFor} has kept, which is never null, without a call; null when there is none that is new enough. */
export async function keptFor<T>(
  { store, clock }: Pick<TenantContext, 'store' | 'clock'>,
  name: string,
  maxAgeSeconds: number,
): Promise<T | null> {
  const kept = await store.readCached(`${name}.${shape}`);
  const isNew = kept !== null && secondsBetween(kept.fetchedAt, clock.now()) <= maxAgeSeconds;
  // Only `keepFor` writes the key, so what is kept has the type that its `read` answers.
  return isNew ? (kept.value as unknown as T) : null;
}

const psaReference = 'psa.reference';

/**
 * Every list of the PSA that documents refer to.
 *
 * @param psa the one at hand, whose sign-in may have worked already.
 */
export const loadPsaReference = (context: TenantContext, freshness: Freshness, psa?: Psa): Promise<PsaReferenceData> =>
  keepFor(context, psaReference, freshness, async () => (psa ?? (await context.psa())).readReferenceData());

/**
 * The modules that the PSA has on: out of its lists while these are new enough, else asked for alone, which mends the
 * lists.
 */
export async function loadModules(context: TenantContext, freshness: Freshness): Promise<PsaModules> {
  const { store, clock } = context;
  const kept = await store.readCached(`${psaReference}.${shape}`);
  if (kept === null) return (await loadPsaReference(context, freshness)).modules;
  const isNew = secondsBetween(kept.fetchedAt, clock.now()) <= freshness.maxAgeSeconds;
  if (isNew && freshness.refresh !== true) return (kept.value as unknown as PsaReferenceData).modules;
  return keepFor(context, 'psa.modules', freshness, async () => {
    const modules = await (await context.psa()).readModules();
    await store.changeCached(
      `${psaReference}.${shape}`,
      (lists) => ({ ...(lists as unknown as PsaReferenceData), modules }) as unknown as Json,
    );
    return modules;
  });
}

/** The modules out of the kept lists of the PSA, without a call; null when these are not new enough. */
export const keptModules = async (
  context: Pick<TenantContext, 'store' | 'clock'>,
  maxAgeSeconds: number,
): Promise<PsaModules | null> =>
  (await keptFor<PsaReferenceData>(context, psaReference, maxAgeSeconds))?.modules ?? null;

const mappingSources = 'psa.mapping-sources';

/** Records that can be mapped; companies are many, so they are kept apart from what documents need. */
export const loadMappingSources = (context: TenantContext, freshness: Freshness): Promise<MappingSources> =>
  keepFor(context, mappingSources, freshness, async () => (await context.psa()).readMappingSources());

/** The categories of the expense reports that wait; kept here, so that a refresh forgets them with the rest. */
export const waitingCategoriesName = 'psa.waiting-categories';

/**
 * One refresh for all lists of the PSA, whichever screen asks for it: those that documents need are read anew, the others
 * when they are asked for next.
 *
 * @throws ServiceError when the PSA does not answer: then everything stays as it was kept.
 */
export async function renewPsaLists(context: TenantContext): Promise<PsaReferenceData> {
  const lists = await loadPsaReference(context, { maxAgeSeconds: 0, refresh: true });
  await context.store.expireCached(mappingSources);
  await context.store.expireCached(waitingCategoriesName);
  return lists;
}

/** The books' own JSON of the lists that screens show. */
export const loadRaw = {
  accounts: (context: TenantContext, freshness: Freshness): Promise<readonly JsonObject[]> =>
    keepFor(context, 'books.raw-accounts', freshness, async () => (await context.accounting()).rawAccounts()),
  classes: (context: TenantContext, freshness: Freshness): Promise<readonly JsonObject[]> =>
    keepFor(context, 'books.raw-classes', freshness, async () => (await context.accounting()).rawClasses()),
  preferences: (context: TenantContext, freshness: Freshness): Promise<JsonObject> =>
    keepFor(context, 'books.raw-preferences', freshness, async () => (await context.accounting()).rawPreferences()),
  companyInfo: (context: TenantContext, freshness: Freshness): Promise<JsonObject> =>
    keepFor(context, 'books.raw-companyinfo', freshness, async () => (await context.accounting()).rawCompanyInfo()),
} as const;
