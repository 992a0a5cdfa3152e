import { z } from 'zod';
import { route } from './define.ts';

const wish = z.strictObject({ receives: z.boolean().describe('Whether the administrator receives alert emails.') });

export const readAlertWish = route({
  method: 'GET',
  path: '/api/my/alerts',
  summary: 'Returns whether the logged-in administrator receives alert emails.',
  roles: ['clientadmin'],
  client: 'required',
  tenantIds: [],
  reply: wish,
});

export const saveAlertWish = route({
  method: 'PUT',
  path: '/api/my/alerts',
  summary: 'Turns alert emails on or off for the logged-in administrator.',
  roles: ['clientadmin'],
  client: 'required',
  tenantIds: [],
  body: wish,
  reply: wish,
});
