import { z } from 'zod';
import { route } from './define.ts';

const wish = z.strictObject({ receives: z.boolean().describe('Mails about what needs the administrator.') });

export const readAlertWish = route({
  method: 'GET',
  path: '/api/my/alerts',
  summary: 'Whether the signed-in administrator gets mails about what needs them.',
  roles: ['clientadmin'],
  client: 'required',
  tenantIds: [],
  reply: wish,
});

export const saveAlertWish = route({
  method: 'PUT',
  path: '/api/my/alerts',
  summary: 'Turns these mails on or off for the signed-in administrator.',
  roles: ['clientadmin'],
  client: 'required',
  tenantIds: [],
  body: wish,
  reply: wish,
});
