import { call } from '../define.ts';
import type * as routes from '../quickbooks.ts';

export const readAccounting = call<typeof routes.readAccounting>('GET', '/api/my/qbo');
export const readPreferences = call<typeof routes.readPreferences>('GET', '/api/my/qbo/preferences');
