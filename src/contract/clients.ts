import { z } from 'zod';
import { route } from './define.ts';

export const client = z.strictObject({ id: z.string(), name: z.string() });
export type Client = z.output<typeof client>;

export const listClients = route({
  method: 'GET',
  path: '/api/clients',
  summary: 'Every client, for the masquerade chooser.',
  roles: ['sysadmin'],
  tenantIds: [],
  reply: z.strictObject({ clients: z.array(client) }),
});
