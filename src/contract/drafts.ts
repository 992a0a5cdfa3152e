import { z } from 'zod';
import { kindNames } from '#core/kinds.ts';
import { forAdmins, forUsers, route, type DataOf } from './define.ts';
import { instantText, paging, uuid } from './fields.ts';
import { job } from './jobs.ts';
import { documentHead } from './logs.ts';
import { documentView, fieldChange, ledgerEntry, summary } from './planned.ts';
import { problem } from './problem.ts';

const type = z.enum(kindNames);

const draft = z.strictObject({
  id: uuid,
  type,
  entityid: z.int().describe('Id of the document in the PSA.'),
  ...documentHead,
  state: z.enum(['waiting', 'approved', 'posted', 'rejected', 'changed', 'replaced', 'closed']),
  warnings: z.array(problem),
  replaces: z
    .array(fieldChange)
    .describe(
      'Fields that an update replaces, with the value in QuickBooks and the new value. Empty for a new document.',
    ),
  prepared_by: z.string().nullable().describe('User who requested the run; null: the schedule.'),
  prepared_at: instantText,
  first_approved_by: z.string().nullable().describe('User who approved it first, while a second approval is needed.'),
  decided_by: z.string().nullable(),
  decided_at: instantText.nullable(),
  reason: z.string().nullable().describe('Why it was rejected, or the result of the last attempt to post it.'),
  approval: z
    .enum(['final', 'first', 'changed_setup', 'prepared_it', 'approved_it'])
    .describe('Effect of the caller’s approval: it posts, it is the first of two, or the reason why it is rejected.'),
  changed: z
    .strictObject({
      after_approval: z.boolean(),
      in_psa: z
        .boolean()
        .describe('Whether the change is in the PSA; otherwise it is in settings, mappings or QuickBooks.'),
      by: z.string().nullable().describe('User who decided about the draft before the change.'),
      changes: z.array(fieldChange),
    })
    .nullable()
    .describe('What changed since the last decision; null if nothing changed.'),
});
export type DraftReply = z.output<typeof draft>;

const run = z.strictObject({
  run: z.string().describe('Identifies the exact set of waiting drafts; send it to approve the whole run.'),
  on_their_way: z.int().describe('Approved but not posted yet.'),
  needs_two: z.int().describe('Above the limit for a single approval.'),
  ...summary,
  warnings: z.array(z.strictObject({ code: z.string(), message: z.string(), draft_ids: z.array(uuid) })),
});
export type ApprovalRunReply = z.output<typeof run>;

export const listDrafts = route({
  method: 'GET',
  path: '/api/my/drafts',
  summary: 'Lists the documents that wait for approval, then those being posted, each oldest first.',
  ...forUsers,
  query: z.strictObject(paging(100)),
  reply: z.strictObject({ drafts: z.array(draft), waiting: z.int(), total: z.int() }),
});
export type DraftsReply = DataOf<typeof listDrafts>;

export const readRun = route({
  method: 'GET',
  path: '/api/my/drafts/run',
  summary:
    'Summarizes the documents waiting for approval: totals, customers, debits and credits, new records, warnings.',
  ...forUsers,
  reply: run,
});

export const readDraft = route({
  method: 'GET',
  path: '/api/my/drafts/:id',
  summary: 'Returns one draft: the planned document and its ledger entries.',
  ...forUsers,
  tenantIds: ['params.id'],
  params: z.strictObject({ id: uuid }),
  reply: z.strictObject({ draft, document: documentView, entries: z.array(ledgerEntry) }),
});
export type DraftDetail = DataOf<typeof readDraft>;

const draftIds = z.array(uuid).min(1).max(5_000);

export const approveDrafts = route({
  method: 'POST',
  path: '/api/my/drafts/approve',
  summary: 'Approves the whole run, or the chosen drafts. Exactly these plans are posted.',
  ...forAdmins,
  needsProof: 'always',
  tenantIds: ['body.draft_ids[]'],
  body: z
    .strictObject({
      run: z.string().max(100).optional().describe('Approves the whole run, as returned by the read call.'),
      draft_ids: draftIds.optional(),
    })
    .refine((body) => (body.run === undefined) !== (body.draft_ids === undefined), 'Name the run, or drafts of it.'),
  reply: z.strictObject({
    jobs: z.array(job),
    posting: z.int(),
    first_of_two: z.int().describe('Number of drafts that wait for a second approval.'),
  }),
});

export const rejectDrafts = route({
  method: 'POST',
  path: '/api/my/drafts/reject',
  summary: 'Rejects drafts with a reason. They are drafted again after something about them changes.',
  ...forAdmins,
  tenantIds: ['body.draft_ids[]'],
  body: z.strictObject({
    draft_ids: draftIds,
    reason: z.string().trim().min(3, 'Enter a reason.').max(1_000),
  }),
  reply: z.strictObject({ rejected: z.int() }),
});
