import type { Tenant } from '#core/tenant.ts';
import type { ClientFilter, ClientPage } from '#core/records/client-states.ts';
import type { App } from '../context.ts';

/** Lists all clients, for system administrators. */
export const listClients = (app: App): Promise<readonly Tenant[]> => app.store.listTenants();

/** Lists how the syncs of clients went, for system administrators; clients that need help come first. */
export const listClientStates = (app: App, wanted: ClientFilter): Promise<ClientPage> =>
  app.store.listClientStates({ ...wanted, now: app.clock.now() });
