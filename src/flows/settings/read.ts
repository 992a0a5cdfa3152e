import { inParallel } from '#core/in-parallel.ts';
import type { ItemSettings } from '#core/settings/item-settings.ts';
import { withDefaultAccounts, type Settings } from '#core/settings/definitions.ts';
import type { TenantContext } from '../context.ts';
import { type Deployment, factsFrom, readCachedFacts } from './readiness.ts';

/** Returns the settings in force: as saved, with default accounts where there is only one choice. */
export async function readSettings(deployment: Deployment, context: TenantContext): Promise<Settings> {
  const [settings, cachedFacts] = await context.store.readInOneTransaction((store) =>
    inParallel([store.readSettings(), readCachedFacts({ store, clock: context.clock })]),
  );
  return withDefaultAccounts(settings, await factsFrom(deployment, context, cachedFacts));
}

/** Returns the item settings: how items without a mapping are named. */
export const readItemSettings = ({ store }: TenantContext): Promise<ItemSettings> => store.readItemSettings();

/** Returns the IANA name of the time zone that dates the PSA's documents. */
export const readTimeZone = async ({ store }: TenantContext): Promise<string> => (await store.readTenant()).timeZone;
