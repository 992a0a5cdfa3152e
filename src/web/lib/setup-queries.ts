import { queryOptions } from '@tanstack/react-query';
import { readModules } from '#contract/psa.ts';
import { readPreferences } from '#contract/quickbooks.ts';
import {
  readItemSettings,
  readItemSettingsConfig,
  readSettings,
  readSettingsConfig,
  readTimeZone,
} from '#contract/settings.ts';
import { ours, read } from './queries.ts';

/** The settings as they are saved. */
export const settingsQuery = () =>
  queryOptions({
    queryKey: ours('settings', 'values'),
    queryFn: async ({ signal }) => (await read(readSettings, {}, signal)).settings,
  });

/** What a form of the settings is drawn from. */
export const settingsConfigQuery = () =>
  queryOptions({
    queryKey: ours('settings', 'config'),
    queryFn: async ({ signal }) => (await read(readSettingsConfig, {}, signal)).config,
  });

export const itemSettingsQuery = () =>
  queryOptions({
    queryKey: ours('settings', 'item-values'),
    queryFn: async ({ signal }) => (await read(readItemSettings, {}, signal)).item_settings,
  });

export const itemSettingsConfigQuery = () =>
  queryOptions({
    queryKey: ours('settings', 'item-config'),
    queryFn: async ({ signal }) => (await read(readItemSettingsConfig, {}, signal)).config,
  });

/** The client's time zone, and every one that there is. */
export const timeZoneQuery = () =>
  queryOptions({
    queryKey: ours('settings', 'time-zone'),
    queryFn: ({ signal }) => read(readTimeZone, {}, signal),
  });

/** The modules that the PSA has on. */
export const modulesQuery = () =>
  queryOptions({
    queryKey: ours('lists', 'modules'),
    queryFn: async ({ signal }) => (await read(readModules, {}, signal)).modules,
  });

/** The books' own preferences. */
export const booksPreferencesQuery = () =>
  queryOptions({
    queryKey: ours('lists', 'preferences'),
    queryFn: async ({ signal }) => (await read(readPreferences, {}, signal)).preferences,
  });
