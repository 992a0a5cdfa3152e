import type { Tenant } from '#core/tenant.ts';
import type { App } from '../context.ts';

/** Lists all clients, for system administrators. */
export const listClients = (app: App): Promise<readonly Tenant[]> => app.store.listTenants();
