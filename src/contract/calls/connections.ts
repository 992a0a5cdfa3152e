import { call } from '../define.ts';
import type * as routes from '../connections.ts';

export const connectPsaPage = call<typeof routes.connectPsaPage>('GET', '/connect/autotask');
export const connectAccounting = call<typeof routes.connectAccounting>('GET', '/connect/qbo');
export const disconnectAccounting = call<typeof routes.disconnectAccounting>('PUT', '/api/my/qbo/disconnect/');
export const findAccountingCompany = call<typeof routes.findAccountingCompany>('GET', '/api/qbo/companies/:realm_id');
export const testConnection = call<typeof routes.testConnection>('PUT', '/api/my/connections/:service/test');
