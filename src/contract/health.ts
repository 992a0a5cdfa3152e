import { z } from 'zod';
import { route } from './define.ts';

export const alive = route({
  method: 'GET',
  path: '/healthz',
  summary: 'The process is alive.',
  roles: 'public',
  tenantIds: [],
  reply: z.strictObject({ alive: z.literal(true), version: z.string() }),
});

export const ready = route({
  method: 'GET',
  path: '/readyz',
  summary: 'Database and migrations are there, and there is room to save; 503 otherwise.',
  roles: 'public',
  tenantIds: [],
  reply: z.strictObject({ ready: z.literal(true) }),
});

export const metrics = route({
  method: 'GET',
  path: '/metrics',
  summary: 'Prometheus text.',
  roles: 'public',
  speaks: 'text',
  tenantIds: [],
  reply: z.string(),
});
