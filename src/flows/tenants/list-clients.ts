import type { Tenant } from '#core/tenant.ts';
import type { ClientStateStore } from '#core/ports/client-states.ts';
import type { App } from '../context.ts';

/** Lists all clients, for system administrators. */
export const listClients = (app: App): Promise<readonly Tenant[]> => app.store.listTenants();

/** Lists how the syncs of clients went, for system administrators; clients that need help come first. */
export const listClientStates = (
  app: App,
  wanted: Omit<Parameters<ClientStateStore['listClientStates']>[0], 'now'>,
): ReturnType<ClientStateStore['listClientStates']> => app.store.listClientStates({ ...wanted, now: app.clock.now() });
