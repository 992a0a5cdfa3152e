import type { ItemSettings } from '#core/settings/item-settings.ts';
import type { Settings } from '#core/settings/definitions.ts';
import type { TenantContext } from '../context.ts';

export const readSettings = ({ store }: TenantContext): Promise<Settings> => store.readSettings();

/** How items are named that have no mapping. */
export const readItemSettings = ({ store }: TenantContext): Promise<ItemSettings> => store.readItemSettings();

/** IANA name of the zone in which the PSA's documents are dated. */
export const readTimeZone = async ({ store }: TenantContext): Promise<string> => (await store.readTenant()).timeZone;
