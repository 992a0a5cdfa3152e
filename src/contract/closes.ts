import { z } from 'zod';
import { closeStates, signatureKinds } from '#core/reconciliation/close.ts';
import { closeKinds } from '#core/reconciliation/completeness.ts';
import { differenceClassNames } from '#core/reconciliation/difference-classes.ts';
import { monthPattern } from '#core/reconciliation/month.ts';
import { tieOutNames } from '#core/reconciliation/tie-out.ts';
import { exceptionActions, settlements } from '#core/reconciliation/exception-actions.ts';
import { route } from './define.ts';
import { instantText, queryBoolean, queryWhole, uuid } from './fields.ts';
import { job } from './jobs.ts';

const amount = z.string().describe('An exact decimal.');
const monthText = z.string().regex(monthPattern, 'Enter a month as YYYY-MM.');
const kind = z.enum(closeKinds);
const ofDifference = z.enum([...differenceClassNames, 'unexplained']);

const totals = z.strictObject({
  currency: z.string(),
  psa_total: amount,
  books_total: amount,
  difference: amount.describe('Books minus PSA.'),
  explained: amount,
  unexplained: amount.describe('0 or not: no tolerance.'),
});

const signature = z.strictObject({
  as: z.enum(signatureKinds),
  by: z.string(),
  at: instantText,
  reason: z.string().nullable().describe('Why it was signed although something was not 0.00.'),
});

const head = z.strictObject({
  month: z.string(),
  state: z.enum(closeStates),
  prepared_at: instantText.nullable(),
  prepared_by: z.string().nullable(),
  totals: z.array(totals).describe('Each currency by itself, the home currency first.'),
  signatures: z.array(signature).describe('Of the newest proof, or of the one that is signed.'),
});
export type CloseHeadReply = z.output<typeof head>;

const bridge = z.strictObject({
  kind,
  currency: z.string(),
  psa_count: z.int(),
  psa_total: amount,
  books_count: z.int(),
  books_total: amount,
  books_tax: amount,
  difference: amount,
  explained: amount,
  unexplained: amount,
  matched: z.int(),
  classes: z.array(
    z.strictObject({
      class: z.enum(differenceClassNames),
      label: z.string(),
      count: z.int(),
      amount: amount,
    }),
  ),
});

const tieOut = z.strictObject({
  name: z.enum(tieOutNames),
  label: z.string(),
  left_label: z.string(),
  right_label: z.string(),
  left: amount,
  right: amount,
  difference: amount,
  must_be_zero: z.boolean(),
  holds: z.boolean(),
  rows: z.array(
    z.strictObject({
      label: z.string(),
      left: amount.nullable(),
      right: amount.nullable(),
      note: z.string().nullable(),
    }),
  ),
});

const decision = z.strictObject({
  decision: z.enum(['accept', 'carry']),
  reason: z.string(),
  by: z.string(),
  at: instantText,
});

const exception = z.strictObject({
  key: z.string(),
  kind,
  class: ofDifference,
  label: z.string(),
  psa_id: z.int().nullable(),
  number: z.string().nullable(),
  party: z.string(),
  books: z.strictObject({ type: z.string(), id: z.string() }).nullable(),
  currency: z.string(),
  amount,
  since: instantText.nullable().describe('When the document of the books was changed last.'),
  by: z.string().nullable().describe('Who changed it, as far as the books tell.'),
  actions: z.array(z.enum(exceptionActions)),
  decision: decision.nullable(),
});

const sides = z.strictObject({ psa: amount, books: amount });
const change = z.strictObject({
  key: z.string(),
  kind: z.enum([...closeKinds, 'tie_out']),
  label: z.string(),
  currency: z.string(),
  before: sides.nullable(),
  after: sides.nullable(),
  details: z.array(z.string()),
});

const finding = z.strictObject({ class: z.enum(differenceClassNames), amount });
const row = z.strictObject({
  kind,
  currency: z.string(),
  psa_id: z.int().nullable(),
  psa_number: z.string().nullable(),
  company: z.string().nullable(),
  psa_date: z.string().nullable(),
  psa_total: amount.nullable(),
  books_type: z.string().nullable(),
  books_id: z.string().nullable(),
  books_number: z.string().nullable(),
  books_customer: z.string().nullable(),
  books_date: z.string().nullable(),
  books_total: amount.nullable(),
  difference: amount,
  unexplained: amount,
  findings: z.array(finding),
});

const detail = z.strictObject({
  ...head.shape,
  id: z.string().nullable().describe('Of the newest proof; what a signature is about.'),
  sha256: z.string().nullable(),
  is_preparing: z.boolean(),
  problem: z.string().nullable().describe('Why the newest preparation failed.'),
  bridges: z.array(bridge),
  tie_outs: z.array(tieOut),
  exceptions: z.array(exception),
  changes: z.array(change).describe('What is another thing now than in the proof that was signed.'),
  undecided: z
    .array(z.strictObject({ currency: z.string(), count: z.int(), amount: amount.describe('Added without signs.') }))
    .describe('Differences that are not settled, accepted or carried. The month is ready when there are none.'),
  obstacles: z
    .array(z.strictObject({ label: z.string(), currency: z.string(), amount }))
    .describe('Amounts that must be 0.00 and are not, and undecided differences. Signing needs a reason.'),
  checklist: z.array(z.strictObject({ key: z.string(), label: z.string() })),
  may_sign_as: z.array(z.enum(signatureKinds)).describe('What the caller can sign as now.'),
  two_people: z.boolean().describe('Whether preparer and reviewer have to be two people, by the settings.'),
  books_closed: z.boolean().describe('Whether the books are closed through the last day of the month, or later.'),
  rows: z.array(row).nullable().describe('Every document; null unless asked for.'),
});
export type CloseReply = z.output<typeof detail>;

const readers = { roles: ['clientadmin', 'accountant'], client: 'required', tenantIds: [] } as const;
const params = z.strictObject({ month: monthText });

export const listCloses = route({
  method: 'GET',
  path: '/api/my/closes',
  summary: 'The months that were prepared, newest first, with their three numbers.',
  ...readers,
  query: z.strictObject({ months: queryWhole(1, 240).default(100) }),
  reply: z.strictObject({ closes: z.array(head) }),
});

export const readClose = route({
  method: 'GET',
  path: '/api/my/closes/:month',
  summary: 'The month-end proof of a month as it was found last, with what changed since it was signed.',
  ...readers,
  params,
  query: z.strictObject({ rows: queryBoolean.optional().describe('With every document of the month.') }),
  reply: z.strictObject({ close: detail }),
});

export const prepareClose = route({
  method: 'POST',
  path: '/api/my/closes/:month/prepare',
  summary:
    'Refreshes the month: reads both sides anew. Answers at once; the month says when it is done. Changes nothing.',
  ...readers,
  params,
  reply: z.null(),
});

export const signClose = route({
  method: 'POST',
  path: '/api/my/closes/:month/sign',
  summary:
    'Signs a proof as its preparer or its reviewer, who are two people unless the settings let one sign as both.',
  ...readers,
  tenantIds: ['body.close_id'],
  params,
  body: z.strictObject({
    close_id: uuid,
    as: z.enum(signatureKinds),
    checked: z.array(z.string().max(100)).max(50).describe('Every key of the checklist.'),
    reason: z.string().trim().max(1_000).optional().describe('Required while the month has obstacles.'),
  }),
  reply: z.strictObject({ signature }),
});

export const decideException = route({
  method: 'POST',
  path: '/api/my/closes/:month/decisions',
  summary: 'Accepts a difference with a reason, or carries it to the next month.',
  ...readers,
  params,
  body: z.strictObject({
    key: z.string().min(1).max(300),
    decision: z.enum(['accept', 'carry']),
    reason: z.string().trim().min(3, 'Say why, in a few words.').max(1_000),
  }),
  reply: z.strictObject({ decision }),
});

export const settleException = route({
  method: 'POST',
  path: '/api/my/closes/:month/settle',
  summary:
    'Settles a difference by a sync of its document: posts it, posts it again, brings what stands in the books to what the PSA says, or bills the difference.',
  roles: ['clientadmin'],
  client: 'required',
  needsProof: 'always',
  tenantIds: ['body.reviewed'],
  params,
  body: z.strictObject({
    key: z.string().min(1).max(300),
    action: z.enum(settlements),
    mode: z.enum(['test', 'live']).default('live').describe('A test plans it and posts nothing: it can be reviewed.'),
    reviewed: uuid.optional().describe('A finished test of this settlement: live, exactly its plan is posted.'),
  }),
  reply: z.strictObject({ job }),
});

export const downloadClose = route({
  method: 'GET',
  path: '/api/my/closes/:month/file',
  summary: 'The proof as one ZIP: summary, workbook, rows, lines, the reports as they were answered, and hashes.',
  ...readers,
  tenantIds: ['query.close_id'],
  params,
  query: z.strictObject({ close_id: uuid.optional().describe('Another proof than the newest.') }),
  reply: z.null(),
  speaks: 'file',
});
