import type { Call } from '../define.ts';
import type * as routes from '../connections.ts';

export const connectPsaPage: Call<typeof routes.connectPsaPage> = { method: 'GET', path: '/connect/autotask' };
export const connectBooks: Call<typeof routes.connectBooks> = { method: 'GET', path: '/connect/qbo' };
export const disconnectBooks: Call<typeof routes.disconnectBooks> = { method: 'PUT', path: '/api/my/qbo/disconnect/' };
export const findAccountingCompany: Call<typeof routes.findAccountingCompany> = {
  method: 'GET',
  path: '/api/qbo/companies/:realm_id',
};
export const testConnection: Call<typeof routes.testConnection> = {
  method: 'PUT',
  path: '/api/my/connections/:service/test',
};
