import { queryOptions } from '@tanstack/react-query';
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
import { scopedKey, queryClient, read, readNewest, refreshAll } from './queries.ts';

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
  queryOptions({
    queryKey: scopedKey('settings', 'config'),
    queryFn: async ({ signal }) => (await read(readSettingsConfig, {}, signal)).config,
  });

export const itemSettingsQuery = () =>
  queryOptions({
    queryKey: scopedKey('settings', 'item-values'),
    queryFn: async ({ signal }) => (await read(readItemSettings, {}, signal)).item_settings,
  });

export const itemSettingsConfigQuery = () =>
  queryOptions({
    queryKey: scopedKey('settings', 'item-config'),
    queryFn: async ({ signal }) => (await read(readItemSettingsConfig, {}, signal)).config,
  });

/** The client's time zone, and all available ones. */
export const timeZoneQuery = () =>
  queryOptions({
    queryKey: scopedKey('settings', 'time-zone'),
    queryFn: ({ signal }) => read(readTimeZone, {}, signal),
  });

/** Facts that both systems report, with the settings that they suggest. */
export const detectedQuery = () =>
  queryOptions({
    queryKey: scopedKey('settings', 'detected'),
    queryFn: async ({ signal }) => (await read(readDetected, {}, signal)).detected,
  });

/** The active modules of the PSA. */
export const modulesQuery = () =>
  queryOptions({
    queryKey: scopedKey('lists', 'modules'),
    queryFn: async ({ signal }) => (await read(readModules, {}, signal)).modules,
  });

/** The QuickBooks preferences. */
export const accountingPreferencesQuery = () =>
  queryOptions({
    queryKey: scopedKey('lists', 'preferences'),
    queryFn: async ({ signal }) => (await read(readPreferences, {}, signal)).preferences,
  });

/** Every record of a mapping namespace; `refreshMappings` reads both services. */
export const mappingTableQuery = (namespace: MappingNamespace) =>
  queryOptions({
    queryKey: scopedKey('mappings', 'table', namespace),
    queryFn: ({ signal }) => read(readMappingTable, { params: { namespace } }, signal),
    placeholderData: (previous) => previous,
  });

/** Reads from both services instead of the cache, for a mapping screen. */
export async function refreshMappings(namespace: MappingNamespace): Promise<void> {
  const { queryKey } = mappingTableQuery(namespace);
  const table = await readNewest(readMappingTable, { params: { namespace }, query: { refresh: true } });
  queryClient.setQueryData(queryKey, table);
  for (const query of [mappingTargetsQuery(namespace), mappingSuggestionsQuery(namespace)])
    void queryClient.invalidateQueries({ queryKey: query.queryKey });
  // The same lists decide what is ready and what forms offer.
  await Promise.all((['subscription', 'settings', 'lists'] as const).map((name) => refreshAll(name)));
}

/** Number and amounts of documents for each record of a namespace in the last 90 days. */
export const mappingUsageQuery = (namespace: MappingNamespace) =>
  queryOptions({
    queryKey: scopedKey('mappings', 'usage', namespace),
    queryFn: ({ signal }) => read(readMappingUsage, { params: { namespace } }, signal),
    staleTime: 600_000,
  });

/** Every record that the namespace can map to; for short lists. */
export const mappingTargetsQuery = (namespace: MappingNamespace) =>
  queryOptions({
    queryKey: scopedKey('mappings', 'targets', namespace),
    queryFn: async ({ signal }) =>
      (await read(searchMappingTargets, { params: { namespace }, query: { limit: 1_000 } }, signal)).options,
  });

/** Suggested mappings of a namespace, by name and number. */
export const mappingSuggestionsQuery = (namespace: MappingNamespace) =>
  queryOptions({
    queryKey: scopedKey('mappings', 'suggestions', namespace),
    queryFn: async ({ signal }) => (await read(suggestMappings, { params: { namespace } }, signal)).suggested_xrefs,
  });

/** The newest changes by users. */
export const mappingHistoryQuery = (namespace: MappingNamespace) =>
  queryOptions({
    queryKey: scopedKey('mappings', 'history', namespace),
    queryFn: ({ signal }) => read(listMappingChanges, { params: { namespace } }, signal),
  });
