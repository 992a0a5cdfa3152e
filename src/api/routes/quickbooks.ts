import { inParallel } from '#core/in-parallel.ts';
import type { JsonObject } from '#core/values/json.ts';
import { loadCachedLists } from '#flows/connections/cached-lists.ts';
import { loadRaw, type Freshness } from '#flows/connections/reference-data.ts';
import type { TenantContext } from '#flows/context.ts';
import { searchCustomers, searchItems, searchVendors } from '#flows/connections/screen-queries.ts';
import { renewPsa } from '#flows/settings/readiness.ts';
import { serve, type Serving } from '../serve.ts';

/** Maximum age of lists on screens. */
const maxAgeSeconds = 900;
const freshness = ({ refresh }: { readonly refresh: boolean }): Freshness => ({ maxAgeSeconds, refresh });

/** Also refreshes the lists that documents and settings are checked against, so that all screens agree. */
async function renew(context: TenantContext, { refresh }: { readonly refresh: boolean }): Promise<void> {
  if (refresh) await loadCachedLists(context, 'as_they_are');
}

export function quickbooksRoutes(serving: Serving): void {
  serve(serving, 'readAccounting', async ({ context, query }) => {
    await renew(context, query);
    // A user who refreshes expects both services to be refreshed.
    if (query.refresh) await renewPsa(context);
    const wanted = freshness(query);
    const [accounts, preferences, classes, companyinfo] = await inParallel([
      loadRaw.accounts(context, wanted),
      loadRaw.preferences(context, wanted),
      loadRaw.classes(context, wanted),
      loadRaw.companyInfo(context, wanted),
    ]);
    return { data: { accounts: records(accounts), preferences, classes: records(classes), companyinfo } };
  });

  serve(serving, 'readAccounts', async ({ context, query }) => {
    await renew(context, query);
    return { data: { accounts: records(await loadRaw.accounts(context, freshness(query))) } };
  });

  serve(serving, 'readClasses', async ({ context, query }) => {
    await renew(context, query);
    return { data: { classes: records(await loadRaw.classes(context, freshness(query))) } };
  });

  serve(serving, 'readPreferences', async ({ context, query }) => {
    await renew(context, query);
    return { data: { preferences: await loadRaw.preferences(context, freshness(query)) } };
  });

  serve(serving, 'readCompanyInfo', async ({ context, query }) => {
    await renew(context, query);
    return { data: { companyinfo: await loadRaw.companyInfo(context, freshness(query)) } };
  });

  serve(serving, 'searchCustomers', async ({ context, query }) => ({
    data: { options: options(await searchCustomers(context, query.DisplayName)) },
  }));

  serve(serving, 'searchVendors', async ({ context, query }) => ({
    data: { options: options(await searchVendors(context, query.DisplayName)) },
  }));

  serve(serving, 'searchItems', async ({ context, query }) => {
    const items = await searchItems(context, query.Name, query.attributes.split('|'));
    return { data: { items } };
  });
}

const textOf = (record: JsonObject, key: string): string => {
  const value = record[key];
  return typeof value === 'string' ? value : '';
};

const options = (found: readonly { readonly id: string; readonly displayName: string }[]) =>
  found.map(({ id, displayName }) => ({ value: id, text: displayName }));

/** Returns QuickBooks records with their id as text, otherwise unchanged. */
const records = (found: readonly JsonObject[]) => found.map((record) => ({ ...record, Id: textOf(record, 'Id') }));
