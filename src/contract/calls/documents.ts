import { call } from '../define.ts';
import type * as routes from '../documents.ts';

export const readDocument = call<typeof routes.readDocument>('GET', '/api/my/documents/:kind/:entityid');
export const readCurrentDocument = call<typeof routes.readCurrentDocument>(
  'GET',
  '/api/my/documents/:kind/:entityid/current',
);
