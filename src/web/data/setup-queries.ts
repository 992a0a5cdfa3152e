import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import {
  listMappingChanges,
  readMappingTable,
  readMappingUsage,
  searchMappingTargets,
  suggestMappings,
} from '#contract/calls/mappings.ts';
import type { MappingNamespace } from '#core/mapping/mapping.ts';
import { readModules } from '#contract/calls/psa.ts';
import { readPreferences } from '#contract/calls/quickbooks.ts';
import {
  previewSettings,
  readItemSettings,
  readItemSettingsConfig,
  readSettings,
  readSettingsConfig,
  readTimeZone,
} from '#contract/calls/settings.ts';
import { readDetected } from '#contract/calls/setup.ts';
import { queryClient, queryOf, scopedKey, read, readNewest, refreshAll } from './queries.ts';

/** The saved settings. */
export const settingsQuery = () =>
  queryOptions({
    queryKey: scopedKey('settings', 'values'),
    queryFn: async ({ signal }) => (await read(readSettings, {}, signal)).settings,
  });

/** The missing settings that block syncs: what to do, by key. */
export const missingSettingsQuery = () =>
  queryOptions({
    queryKey: scopedKey('settings', 'missing'),
    queryFn: async ({ signal }) => {
      const { errors } = await read(previewSettings, { body: {} }, signal);
      return Object.fromEntries(errors.map(({ key, error }) => [key, error]));
    },
  });

/** The settings config, from which the form is rendered. */
export const settingsConfigQuery = () =>
  queryOptions({ ...queryOf(readSettingsConfig, {}, 'settings', 'config'), select: ({ config }) => config });

export const itemSettingsQuery = () =>
  queryOptions({
    ...queryOf(readItemSettings, {}, 'settings', 'item-values'),
    select: ({ item_settings }) => item_settings,
  });

export const itemSettingsConfigQuery = () =>
  queryOptions({ ...queryOf(readItemSettingsConfig, {}, 'settings', 'item-config'), select: ({ config }) => config });

/** The client's time zone, and all available ones. */
export const timeZoneQuery = () => queryOf(readTimeZone, {}, 'settings', 'time-zone');

/** Facts that both systems report, with the settings that they suggest. */
export const detectedQuery = () =>
  queryOptions({ ...queryOf(readDetected, {}, 'settings', 'detected'), select: ({ detected }) => detected });

/** The active modules of the PSA. */
export const modulesQuery = () =>
  queryOptions({ ...queryOf(readModules, {}, 'lists', 'modules'), select: ({ modules }) => modules });

/** The QuickBooks preferences. */
export const accountingPreferencesQuery = () =>
  queryOptions({ ...queryOf(readPreferences, {}, 'lists', 'preferences'), select: ({ preferences }) => preferences });

/** Every record of a mapping namespace; `refreshMappings` reads both services. */
export const mappingTableQuery = (namespace: MappingNamespace) => ({
  ...queryOf(readMappingTable, { params: { namespace } }, 'mappings', 'table', namespace),
  placeholderData: keepPreviousData,
});

/** Reads from both services instead of the cache, for a mapping screen. */
export async function refreshMappings(namespace: MappingNamespace): Promise<void> {
  const { queryKey } = mappingTableQuery(namespace);
  const table = await readNewest(readMappingTable, { params: { namespace }, query: { refresh: true } });
  queryClient.setQueryData(queryKey, table);
  for (const query of [mappingTargetsQuery(namespace), mappingSuggestionsQuery(namespace)])
    void queryClient.invalidateQueries({ queryKey: query.queryKey });
  // The same lists decide what is ready and what forms offer.
  await refreshAll('subscription', 'settings', 'lists');
}

/** Number and amounts of documents for each record of a namespace in the last 90 days. */
export const mappingUsageQuery = (namespace: MappingNamespace) => ({
  ...queryOf(readMappingUsage, { params: { namespace } }, 'mappings', 'usage', namespace),
  staleTime: 600_000,
});

/** Every record that the namespace can map to; for short lists. */
export const mappingTargetsQuery = (namespace: MappingNamespace) =>
  queryOptions({
    ...queryOf(
      searchMappingTargets,
      { params: { namespace }, query: { limit: 1_000 } },
      'mappings',
      'targets',
      namespace,
    ),
    select: ({ options }) => options,
  });

/** Suggested mappings of a namespace, by name and number. */
export const mappingSuggestionsQuery = (namespace: MappingNamespace) =>
  queryOptions({
    ...queryOf(suggestMappings, { params: { namespace } }, 'mappings', 'suggestions', namespace),
    select: ({ suggested_xrefs }) => suggested_xrefs,
  });

/** The newest changes by users. */
export const mappingHistoryQuery = (namespace: MappingNamespace) =>
  queryOf(listMappingChanges, { params: { namespace } }, 'mappings', 'history', namespace);
