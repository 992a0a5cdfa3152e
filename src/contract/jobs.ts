import { z } from 'zod';
import { kindNames } from '#core/kinds.ts';
import { paymentChoices } from '#core/planning/payment-choice.ts';
import { forAdmins, forUsers, route } from './define.ts';
import { decimalText, instantText, paging, uuid } from './fields.ts';
import { documentHead } from './logs.ts';

export const jobResult = z.strictObject({
  entityid: z.int().describe('Id of the document in the PSA.'),
  outcome: z.enum(['succeeded', 'failed', 'skipped', 'held', 'pending']),
  message: z.string(),
  log_key: z.string().nullable(),
  awaits_approval: z.boolean().describe('The document waits for approval; its outcome is `held`.'),
  ...documentHead,
});

export const job = z.strictObject({
  id: z.string(),
  type: z.enum(kindNames),
  trigger: z.enum(['manual', 'automatic']),
  mode: z.enum(['test', 'live']),
  force: z.boolean(),
  choice: z
    .enum(paymentChoices)
    .nullable()
    .describe('For a payment: what the user decided about unapplied money of the customer.'),
  update: z
    .boolean()
    .describe('Whether the job updates existing QuickBooks documents to match the PSA and creates none.'),
  status: z.enum(['queued', 'running', 'finished', 'failed', 'cancelled']),
  message: z.string().nullable().describe('Why the job as a whole ended.'),
  ids: z
    .array(z.int())
    .nullable()
    .describe(
      'Chosen PSA ids while the job is not over; null if all eligible documents were chosen, or the job is over.',
    ),
  total: z.int().nullable().describe('Null until the documents are known.'),
  done: z.int(),
  succeeded: z.int(),
  failed: z.int(),
  skipped: z.int(),
  held: z.int().describe('Documents on hold: they wait for approval, or until the books are open for their date.'),
  submitted_by: z.string().nullable(),
  created_at: instantText,
  finished_at: instantText.nullable(),
  cancel_requested: z.boolean(),
  results: z.array(jobResult),
});
export type JobReply = z.output<typeof job>;

const params = z.strictObject({ id: uuid });

export const listJobs = route({
  method: 'GET',
  path: '/api/my/jobs',
  apiKey: 'read',
  summary: 'Lists the newest 50 jobs, newest first, without their results.',
  ...forUsers,
  reply: z.strictObject({ jobs: z.array(job) }),
});

export const run = job.omit({ results: true }).extend({
  sums: z
    .array(z.strictObject({ currency: z.string().nullable().describe('ISO 4217.'), amount: decimalText }))
    .describe('Total of the synced documents for each currency. In a test, nothing was sent.'),
});
export type RunReply = z.output<typeof run>;

export const listRuns = route({
  method: 'GET',
  path: '/api/my/runs',
  apiKey: 'read',
  summary: 'Returns a page of all jobs, newest first, with the money of their synced documents.',
  ...forUsers,
  query: z.strictObject({
    type: z.enum(kindNames).optional(),
    mode: z.enum(['test', 'live']).optional(),
    outcome: z
      .enum(['failed', 'held'])
      .optional()
      .describe('`failed`: the job or a document failed; `held`: documents are on hold.'),
    ...paging(25),
  }),
  reply: z.strictObject({
    runs: z.array(run),
    counts: z
      .strictObject({ all: z.int(), failed: z.int(), held: z.int() })
      .describe('Number of jobs of this type and mode by outcome, each up to 10,000.'),
  }),
});

export const readJob = route({
  method: 'GET',
  path: '/api/my/jobs/:id',
  apiKey: 'read',
  summary: 'Returns one job with its results so far.',
  ...forUsers,
  tenantIds: ['params.id'],
  params,
  reply: z.strictObject({ job }),
});

/** The events are `progress` and `finished`; the data of both is a {@link job}. */
export const watchJob = route({
  method: 'GET',
  path: '/api/my/jobs/:id/events',
  summary: 'Server-sent events: `progress` after each change, `finished` at the end; the data is the job.',
  ...forUsers,
  speaks: 'events',
  tenantIds: ['params.id'],
  params,
  reply: job,
});

export const cancelJob = route({
  method: 'POST',
  path: '/api/my/jobs/:id/cancel',
  apiKey: 'sync',
  summary: 'Cancels a job. Documents in progress finish; the others are not started.',
  ...forAdmins,
  tenantIds: ['params.id'],
  params,
  reply: z.strictObject({ job }),
});
