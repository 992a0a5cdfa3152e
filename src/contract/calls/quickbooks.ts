import type { Call } from '../define.ts';
import type * as routes from '../quickbooks.ts';

export const readBooks: Call<typeof routes.readBooks> = { method: 'GET', path: '/api/my/qbo' };
export const readAccounts: Call<typeof routes.readAccounts> = { method: 'GET', path: '/api/my/qbo/accounts' };
export const readClasses: Call<typeof routes.readClasses> = { method: 'GET', path: '/api/my/qbo/classes' };
export const readPreferences: Call<typeof routes.readPreferences> = { method: 'GET', path: '/api/my/qbo/preferences' };
export const searchCustomers: Call<typeof routes.searchCustomers> = { method: 'GET', path: '/api/my/qbo/customers' };
export const searchVendors: Call<typeof routes.searchVendors> = { method: 'GET', path: '/api/my/qbo/vendors' };
export const searchItems: Call<typeof routes.searchItems> = { method: 'GET', path: '/api/my/qbo/items' };
