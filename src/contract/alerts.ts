import { z } from 'zod';
import { route } from './define.ts';

const choice = z.strictObject({
  receives: z.boolean().describe('Whether the administrator receives alert emails.'),
});

export const readAlertChoice = route({
  method: 'GET',
  path: '/api/my/alerts',
  summary: 'Returns whether the logged-in administrator receives alert emails.',
  roles: ['clientadmin'],
  client: 'required',
  tenantIds: [],
  reply: choice,
});

export const saveAlertChoice = route({
  method: 'PUT',
  path: '/api/my/alerts',
  summary: 'Turns alert emails on or off for the logged-in administrator.',
  roles: ['clientadmin'],
  client: 'required',
  tenantIds: [],
  body: choice,
  reply: choice,
});
