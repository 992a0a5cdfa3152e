import { z } from 'zod';
import { kindNames } from '#core/kinds.ts';
import { route, type DataOf } from './define.ts';
import { instantText, paging, uuid } from './fields.ts';
import { job } from './jobs.ts';
import { documentHead } from './logs.ts';
import { documentView, ledgerEntry, summary } from './planned.ts';
import { problem } from './problem.ts';

const type = z.enum(kindNames);

const draft = z.strictObject({
  id: uuid,
  type,
  entityid: z.int().describe('Id of the document in the PSA.'),
  ...documentHead,
  state: z.enum(['waiting', 'approved', 'posted', 'rejected', 'changed', 'replaced', 'closed']),
  warnings: z.array(problem),
  prepared_by: z.string().nullable().describe('Who asked for the run; null: the schedule.'),
  prepared_at: instantText,
  first_approved_by: z.string().nullable().describe('Whoever approved it first, while a second person is needed.'),
  decided_by: z.string().nullable(),
  decided_at: instantText.nullable(),
  reason: z.string().nullable().describe('Why it was rejected, or how the last try to post it ended.'),
  approval: z
    .enum(['final', 'first', 'changed_setup', 'prepared_it', 'approved_it'])
    .describe('What the caller’s approval would do: post it, be the first of two, or why it is refused.'),
  changed: z
    .strictObject({
      after_approval: z.boolean(),
      in_psa: z.boolean().describe('The PSA says something else; otherwise settings, mappings or the books do.'),
      by: z.string().nullable().describe('Who had decided about it before.'),
      changes: z.array(z.strictObject({ what: z.string(), was: z.string(), is: z.string() })),
    })
    .nullable()
    .describe('What has changed since somebody looked at it; null when nothing has.'),
});
export type DraftReply = z.output<typeof draft>;

const run = z.strictObject({
  run: z.string().describe('Stands for exactly the drafts that wait; approving the whole run names it.'),
  on_their_way: z.int().describe('Approved, and not posted yet.'),
  needs_two: z.int().describe('Above the limit of one person.'),
  ...summary,
  warnings: z.array(z.strictObject({ code: z.string(), message: z.string(), draft_ids: z.array(uuid) })),
});
export type ApprovalRunReply = z.output<typeof run>;

const readers = { roles: ['clientadmin', 'accountant'], client: 'required', tenantIds: [] } as const;

export const listDrafts = route({
  method: 'GET',
  path: '/api/my/drafts',
  summary: 'Documents that wait for approval, then those that are on their way, each oldest first.',
  ...readers,
  query: z.strictObject(paging(100)),
  reply: z.strictObject({ drafts: z.array(draft), waiting: z.int(), total: z.int() }),
});
export type DraftsReply = DataOf<typeof listDrafts>;

export const readRun = route({
  method: 'GET',
  path: '/api/my/drafts/run',
  summary: 'All that waits for approval as one page: sums, customers, debits and credits, what is new, warnings.',
  ...readers,
  reply: run,
});

export const readDraft = route({
  method: 'GET',
  path: '/api/my/drafts/:id',
  summary: 'One draft: the document as it would be made, and what it books.',
  ...readers,
  tenantIds: ['params.id'],
  params: z.strictObject({ id: uuid }),
  reply: z.strictObject({ draft, document: documentView, entries: z.array(ledgerEntry) }),
});
export type DraftDetail = DataOf<typeof readDraft>;

const draftIds = z.array(uuid).min(1).max(5_000);

export const approveDrafts = route({
  method: 'POST',
  path: '/api/my/drafts/approve',
  summary: 'Approves the whole run, or the chosen drafts of it: exactly these plans are posted.',
  roles: ['clientadmin'],
  client: 'required',
  needsProof: 'always',
  tenantIds: ['body.draft_ids[]'],
  body: z
    .strictObject({
      run: z.string().max(100).optional().describe('The whole run, as it was read.'),
      draft_ids: draftIds.optional(),
    })
    .refine((body) => (body.run === undefined) !== (body.draft_ids === undefined), 'Name the run, or drafts of it.'),
  reply: z.strictObject({
    jobs: z.array(job),
    posting: z.int(),
    first_of_two: z.int().describe('So many wait for a second person.'),
  }),
});

export const rejectDrafts = route({
  method: 'POST',
  path: '/api/my/drafts/reject',
  summary: 'Rejects drafts with a reason. They are drafted again once something about them changes.',
  roles: ['clientadmin'],
  client: 'required',
  tenantIds: ['body.draft_ids[]'],
  body: z.strictObject({
    draft_ids: draftIds,
    reason: z.string().trim().min(3, 'Say why, in a few words.').max(1_000),
  }),
  reply: z.strictObject({ rejected: z.int() }),
});
