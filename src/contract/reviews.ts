import { z } from 'zod';
import { route, type DataOf } from './define.ts';
import { uuid } from './fields.ts';
import { job, jobResult } from './jobs.ts';
import { summary } from './planned.ts';

const reviewed = z.strictObject({
  ...jobResult.shape,
  posts: z.boolean().describe('False where only the PSA is told: the books have it.'),
  warnings: z.array(z.string()).describe('What was remarked of it.'),
});
export type ReviewedDocument = z.output<typeof reviewed>;

export const readReview = route({
  method: 'GET',
  path: '/api/my/jobs/:id/review',
  summary:
    'What a test would post, as one page: the sum, customers, debits and credits, what is new, and what cannot be posted.',
  roles: ['clientadmin', 'accountant'],
  client: 'required',
  tenantIds: ['params.id'],
  params: z.strictObject({ id: uuid }),
  reply: z.strictObject({
    job: job.omit({ results: true }),
    ...summary,
    warnings: z.array(z.strictObject({ code: z.string(), message: z.string(), documents: z.int() })),
    documents: z.array(reviewed).describe('What would be posted.'),
    not_posted: z.array(jobResult).describe('What would not be posted, and why.'),
  }),
});
export type ReviewReply = DataOf<typeof readReview>;
