import { z } from 'zod';
import { processRoles } from '#core/records/deployment-status.ts';
import { maxMaintenanceMessage } from '#core/records/maintenance.ts';
import { route } from './define.ts';
import { instantText } from './fields.ts';

export const maintenance = z
  .strictObject({
    since: instantText,
    message: z.string().describe('The operator’s message to users; may be empty.'),
  })
  .nullable()
  .describe('Null: maintenance is off.');

const process = z.strictObject({
  role: z.enum(processRoles).describe('The server (`api`), a worker, or both (`all`).'),
  version: z.string(),
  host: z.string(),
  started_at: instantText,
  clients: z.int().describe('Clients whose work this process does now.'),
});
export type RunningProcess = z.output<typeof process>;

export const deploymentStatus = z.strictObject({
  version: z.string().describe('Of the process that answers.'),
  newer_version: z.string().nullable().describe('The newest version of the other processes, if it is newer.'),
  pending_migrations: z.array(z.string()),
  maintenance,
  processes: z.array(process).describe('Running processes. They are recognized by their database connections.'),
  queue: z.strictObject({
    waiting: z.int().describe('Syncs that wait for a worker.'),
    running: z.int(),
    oldest_waiting_at: instantText.nullable().describe('When the sync that waits longest was submitted.'),
  }),
  backed_up_at: instantText.nullable().describe('When `tallybridge backup` last wrote a file. Null: never.'),
  restored_at: instantText.nullable().describe('When the last restore was recorded.'),
  clients_unsearched: z
    .int()
    .describe('Clients whose QuickBooks was not searched yet for documents that a restore lost.'),
  mails_waiting: z.int(),
  incident: z
    .strictObject({
      at: instantText,
      kind: z.enum(['stalled', 'restored', 'clock_stepped']),
      client: z.string().nullable().describe('Name of the client whose syncs stopped. Null: the whole deployment.'),
    })
    .nullable()
    .describe('The newest one of the last 30 days.'),
});
export type DeploymentStatus = z.output<typeof deploymentStatus>;

export const readDeployment = route({
  method: 'GET',
  path: '/api/deployment',
  summary: 'Returns versions, processes, queue, last backup and last incident of the deployment.',
  roles: ['sysadmin'],
  tenantIds: [],
  reply: deploymentStatus,
});

export const changeMaintenance = route({
  method: 'PUT',
  path: '/api/maintenance',
  summary: 'Turns maintenance on or off. While it is on, workers begin no work, and only system administrators log in.',
  event: 'deployment.changed',
  roles: ['sysadmin'],
  tenantIds: [],
  body: z.strictObject({
    message: z
      .string()
      .trim()
      .max(maxMaintenanceMessage)
      .nullable()
      .describe('Shown to users; may be empty. Null turns maintenance off.'),
  }),
  reply: z.strictObject({ maintenance }),
});
