import type { Tenant } from '#core/tenant.ts';
import type { App } from '../context.ts';

/** Every client, for system administrators. */
export const listClients = (app: App): Promise<readonly Tenant[]> => app.store.listTenants();
