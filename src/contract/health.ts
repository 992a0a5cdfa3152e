import { z } from 'zod';
import { route } from './define.ts';

export const alive = route({
  method: 'GET',
  path: '/healthz',
  inMaintenance: true,
  summary: 'The process is alive. `caller` is the network address that it sees, to check the proxy.',
  roles: 'public',
  tenantIds: [],
  reply: z.strictObject({ alive: z.literal(true), version: z.string(), caller: z.string() }),
});

export const ready = route({
  method: 'GET',
  path: '/readyz',
  inMaintenance: true,
  summary: 'The database is ready, migrations are applied and disk space is available; otherwise 503.',
  roles: 'public',
  tenantIds: [],
  reply: z.strictObject({ ready: z.literal(true) }),
});

export const metrics = route({
  method: 'GET',
  path: '/metrics',
  inMaintenance: true,
  summary: 'Returns the metrics in Prometheus text format.',
  roles: 'public',
  speaks: 'text',
  tenantIds: [],
  reply: z.string(),
});
