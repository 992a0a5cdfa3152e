import { inParallel } from '#core/in-parallel.ts';
import type { JsonObject } from '#core/values/json.ts';
import { loadCachedLists } from '#flows/connections/cached-lists.ts';
import { loadRaw, type Freshness } from '#flows/connections/reference-data.ts';
import type { TenantContext } from '#flows/context.ts';
import { searchCustomers, searchItems, searchVendors } from '#flows/connections/screen-queries.ts';
import { renewPsa } from '#flows/settings/facts.ts';
import { serve, type Serving } from '../serve.ts';

/** Lists on screens may be this old. */
const maxAgeSeconds = 900;
const freshness = ({ refresh }: { readonly refresh: boolean }): Freshness => ({ maxAgeSeconds, refresh });

/** One refresh for all: the lists that documents and settings are judged by are read anew with what the screen shows. */
async function renew(context: TenantContext, { refresh }: { readonly refresh: boolean }): Promise<void> {
  if (refresh) await loadCachedLists(context, 'as_they_are');
}

export function quickbooksRoutes(serving: Serving): void {
  serve(serving, 'readBooks', async ({ context, query }) => {
    await renew(context, query);
    // A person who has everything read anew does not think in services.
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
    return { data: { items: [...items] } };
  });
}

const textOf = (record: JsonObject, key: string): string => {
  const value = record[key];
  return typeof value === 'string' ? value : '';
};

const options = (found: readonly JsonObject[]) =>
  found.map((record) => ({ value: textOf(record, 'Id'), text: textOf(record, 'DisplayName') }));

/** Records of the books with their id as text; all else as it came. */
const records = (found: readonly JsonObject[]) => found.map((record) => ({ ...record, Id: textOf(record, 'Id') }));
