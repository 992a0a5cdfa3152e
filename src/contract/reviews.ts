import { z } from 'zod';
import { forUsers, route, type DataOf } from './define.ts';
import { uuid } from './fields.ts';
import { job, jobResult } from './jobs.ts';
import { fieldChange, fieldConflict, preference, summary } from './planned.ts';

const reviewed = z.strictObject({
  ...jobResult.shape,
  posts: z.boolean().describe('False if only the PSA is updated because the document is already in QuickBooks.'),
  warnings: z.array(z.string()).describe('Warnings about the document.'),
  replaces: z
    .array(fieldChange)
    .describe('Fields that an update replaces, with the value in QuickBooks and the new value.'),
});
export type ReviewedDocument = z.output<typeof reviewed>;

export const readReview = route({
  method: 'GET',
  path: '/api/my/jobs/:id/review',
  apiKey: 'sync',
  summary:
    'Summarizes what a test would post: total, customers, debits and credits, new records, and what cannot be posted.',
  ...forUsers,
  tenantIds: ['params.id'],
  params: z.strictObject({ id: uuid }),
  reply: z.strictObject({
    job: job.omit({ results: true }),
    posted: z.boolean().describe('Whether a live job posts or posted these plans, so they cannot be posted again.'),
    posted_run: z.string().nullable().describe('Id of that job; null if there is none.'),
    prefers: preference.nullable().describe('The choice that this test was planned with; null: none.'),
    ...summary,
    warnings: z.array(z.strictObject({ code: z.string(), message: z.string(), documents: z.int() })),
    documents: z.array(reviewed).describe('Documents that would be posted.'),
    not_posted: z
      .array(
        jobResult.extend({
          asks: z
            .boolean()
            .describe('Both sides changed the same fields: update with `prefers` to choose whose value they get.'),
          fields: z.array(fieldConflict).describe('These fields; empty if `asks` is false.'),
        }),
      )
      .describe('Documents that would not be posted, with reasons.'),
  }),
});
export type ReviewReply = DataOf<typeof readReview>;
