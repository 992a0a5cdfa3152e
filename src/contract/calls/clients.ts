import { call } from '../define.ts';
import type * as routes from '../clients.ts';

export const listClients = call<typeof routes.listClients>('GET', '/api/clients');
export const listClientStates = call<typeof routes.listClientStates>('GET', '/api/client-states');
export const readMeteredReads = call<typeof routes.readMeteredReads>('GET', '/api/metered-reads');
export const readClient = call<typeof routes.readClient>('GET', '/api/clients/:id');
export const changeClientStatus = call<typeof routes.changeClientStatus>('PUT', '/api/clients/:id/status');
export const deleteClient = call<typeof routes.deleteClient>('POST', '/api/clients/:id/delete');
export const exportData = call<typeof routes.exportData>('GET', '/api/my/export');
