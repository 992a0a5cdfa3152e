import { z } from 'zod';
import { route } from './define.ts';

const wish = z.strictObject({ receives: z.boolean().describe('Mails about what needs the administrator.') });

export const readAlertWish = route({
  method: 'GET',
  path: '/api/my/alerts',
  summary: 'Whether the logged-in administrator gets mails about what needs them.',
  roles: ['clientadmin'],
  client: 'required',
  tenantIds: [],
  reply: wish,
});

export const saveAlertWish = route({
  method: 'PUT',
  path: '/api/my/alerts',
  summary: 'Turns these mails on or off for the logged-in administrator.',
  roles: ['clientadmin'],
  client: 'required',
  tenantIds: [],
  body: wish,
  reply: wish,
});
