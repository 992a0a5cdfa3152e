import { inParallel } from '#core/in-parallel.ts';
import type { ItemSettings } from '#core/settings/item-settings.ts';
import { withDefaultAccounts, type Settings } from '#core/settings/definitions.ts';
import type { TenantContext } from '../context.ts';
import { factsFrom, readKeptFacts, type Deployment } from './facts.ts';

/** The settings in force: as they were saved, with the accounts that need no choice. */
export async function readSettings(deployment: Deployment, context: TenantContext): Promise<Settings> {
  const [settings, kept] = await context.store.readInOneTransaction((store) =>
    inParallel([store.readSettings(), readKeptFacts({ store, clock: context.clock })]),
  );
  return withDefaultAccounts(settings, await factsFrom(deployment, context, kept));
}

/** Reads the item settings: how items are named that have no mapping. */
export const readItemSettings = ({ store }: TenantContext): Promise<ItemSettings> => store.readItemSettings();

/** IANA name of the zone in which the PSA's documents are dated. */
export const readTimeZone = async ({ store }: TenantContext): Promise<string> => (await store.readTenant()).timeZone;
