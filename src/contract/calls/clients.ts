import type { Call } from '../define.ts';
import type * as routes from '../clients.ts';

export const listClients: Call<typeof routes.listClients> = { method: 'GET', path: '/api/clients' };
export const listClientStates: Call<typeof routes.listClientStates> = { method: 'GET', path: '/api/client-states' };
export const readMeteredReads: Call<typeof routes.readMeteredReads> = { method: 'GET', path: '/api/metered-reads' };
export const readClient: Call<typeof routes.readClient> = { method: 'GET', path: '/api/clients/:id' };
export const changeClientStatus: Call<typeof routes.changeClientStatus> = {
  method: 'PUT',
  path: '/api/clients/:id/status',
};
export const deleteClient: Call<typeof routes.deleteClient> = { method: 'POST', path: '/api/clients/:id/delete' };
export const exportData: Call<typeof routes.exportData> = { method: 'GET', path: '/api/my/export' };
