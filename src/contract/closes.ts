import { z } from 'zod';
import { closeStates, signatureKinds } from '#core/reconciliation/close.ts';
import { closeKinds } from '#core/reconciliation/completeness.ts';
import { differenceClassNames } from '#core/reconciliation/difference-classes.ts';
import { monthPattern } from '#core/reconciliation/month.ts';
import { tieOutNames } from '#core/reconciliation/tie-out.ts';
import { exceptionActions, settlements } from '#core/reconciliation/exception-actions.ts';
import { forAdmins, forUsers, route } from './define.ts';
import { decimalText, instantText, queryBoolean, queryWhole, uuid, wasOf } from './fields.ts';
import { job } from './jobs.ts';

const amount = z.string().describe('An exact decimal.');
const monthText = z.string().regex(monthPattern, 'Enter a month as YYYY-MM.');
const kind = z.enum(closeKinds);
const ofDifference = z.enum([...differenceClassNames, 'unexplained']);

const totals = z.strictObject({
  currency: z.string(),
  psa_total: amount,
  accounting_total: amount,
  difference: amount.describe('QuickBooks minus PSA.'),
  explained: amount,
  unexplained: amount.describe('Must be 0; there is no tolerance.'),
});

export const signatureReply = z.strictObject({
  as: z.enum(signatureKinds),
  by: z.string(),
  at: instantText,
  reason: z.string().nullable().describe('Reason for signing although an amount was not 0.00.'),
});

export const closeHeadReply = z.strictObject({
  month: z.string(),
  state: z.enum(closeStates),
  prepared_at: instantText.nullable(),
  prepared_by: z.string().nullable(),
  totals: z.array(totals).describe('One entry per currency, the home currency first.'),
  signatures: z.array(signatureReply).describe('Signatures of the newest proof, or of the signed proof.'),
});
export type CloseHeadReply = z.output<typeof closeHeadReply>;

const bridge = z.strictObject({
  kind,
  currency: z.string(),
  psa_count: z.int(),
  psa_total: amount,
  accounting_count: z.int(),
  accounting_total: amount,
  accounting_tax: amount,
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

export const decisionReply = z.strictObject({
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
  accounting: z.strictObject({ type: z.string(), id: z.string() }).nullable(),
  currency: z.string(),
  amount,
  since: instantText.nullable().describe('When the QuickBooks document was last changed.'),
  by: z.string().nullable().describe('User who changed it, if QuickBooks reports it.'),
  actions: z.array(z.enum(exceptionActions)),
  decision: decisionReply.nullable(),
});

const sides = z.strictObject({ psa: amount, accounting: amount });
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
  accounting_type: z.string().nullable(),
  accounting_id: z.string().nullable(),
  accounting_number: z.string().nullable(),
  accounting_customer: z.string().nullable(),
  accounting_date: z.string().nullable(),
  accounting_total: amount.nullable(),
  difference: amount,
  unexplained: amount,
  findings: z.array(finding),
});

export const closeReply = z.strictObject({
  ...closeHeadReply.shape,
  id: z.string().nullable().describe('Id of the newest proof; signatures refer to it.'),
  sha256: z.string().nullable(),
  is_preparing: z.boolean(),
  problem: z.string().nullable().describe('Why the newest preparation failed.'),
  bridges: z.array(bridge),
  tie_outs: z.array(tieOut),
  exceptions: z.array(exception),
  carried: z
    .array(z.strictObject({ ...exception.shape, month: z.string().describe('The month that it belongs to.') }))
    .describe('Unresolved differences carried over from the 12 months before.'),
  changes: z.array(change).describe('Changes since the signed proof.'),
  undecided: z
    .array(
      z.strictObject({ currency: z.string(), count: z.int(), amount: amount.describe('Sum of absolute amounts.') }),
    )
    .describe(
      'Differences that are not settled, accepted or carried over. The month is ready when this list is empty.',
    ),
  obstacles: z
    .array(z.strictObject({ label: z.string(), currency: z.string(), amount }))
    .describe('Amounts that must be 0.00 but are not, and undecided differences. Signing then requires a reason.'),
  checklist: z.array(z.strictObject({ key: z.string(), label: z.string() })),
  may_sign_as: z.array(z.enum(signatureKinds)).describe('What the caller can sign as now.'),
  two_people: z.boolean().describe('Whether the settings require different users as preparer and reviewer.'),
  accounting_closed: z.boolean().describe('Whether the books are closed through the last day of the month, or later.'),
  rows: z.array(row).nullable().describe('Every document; null unless requested.'),
});
export type CloseReply = z.output<typeof closeReply>;

const params = z.strictObject({ month: monthText });

export const listCloses = route({
  method: 'GET',
  path: '/api/my/closes',
  apiKey: 'read',
  summary: 'Lists the prepared months with their three totals, newest first.',
  ...forUsers,
  query: z.strictObject({ months: queryWhole(1, 240).default(100) }),
  reply: z.strictObject({ closes: z.array(closeHeadReply) }),
});

export const readClose = route({
  method: 'GET',
  path: '/api/my/closes/:month',
  apiKey: 'read',
  summary: 'Returns the newest month-end proof of a month, with the changes since it was signed.',
  ...forUsers,
  params,
  query: z.strictObject({ rows: queryBoolean.optional().describe('Includes every document of the month.') }),
  reply: z.strictObject({ close: closeReply }),
});

export const prepareClose = route({
  method: 'POST',
  path: '/api/my/closes/:month/prepare',
  summary:
    'Refreshes the month from both services without changing documents. Returns immediately; `is_preparing` is true until it is done.',
  ...forUsers,
  params,
  reply: z.null(),
});

export const signClose = route({
  method: 'POST',
  path: '/api/my/closes/:month/sign',
  summary:
    'Signs a proof as preparer or reviewer. They must be different users unless the settings let one user sign as both.',
  ...forUsers,
  tenantIds: ['body.close_id'],
  params,
  body: z.strictObject({
    close_id: uuid,
    as: z.enum(signatureKinds),
    checked: z.array(z.string().max(100)).max(50).describe('Every key of the checklist.'),
    reason: z.string().trim().max(1_000).optional().describe('Required while the month has obstacles.'),
  }),
  reply: z.strictObject({ signature: signatureReply }),
});

export const decideException = route({
  method: 'POST',
  path: '/api/my/closes/:month/decisions',
  summary: 'Accepts a difference with a reason, or carries it over to the next month.',
  ...forUsers,
  params,
  body: z.strictObject({
    key: z.string().min(1).max(300),
    decision: z.enum(['accept', 'carry']),
    reason: z.string().trim().min(3, 'Enter a reason.').max(1_000),
    was: wasOf(['amount', 'decision']).optional(),
  }),
  reply: z.strictObject({ decision: decisionReply }),
});

export const decideExceptions = route({
  method: 'POST',
  path: '/api/my/closes/:month/decisions/many',
  summary:
    'Accepts several differences with one reason, or carries them over. A difference that is not as the caller saw it keeps its state and is reported.',
  ...forUsers,
  params,
  body: z.strictObject({
    decision: z.enum(['accept', 'carry']),
    reason: z.string().trim().min(3, 'Enter a reason.').max(1_000),
    differences: z
      .array(
        z.strictObject({
          key: z.string().min(1).max(300),
          amount: decimalText.describe('Amount that the caller saw.'),
          decision: z.enum(['accept', 'carry']).nullable().describe('Decision that the caller saw.'),
        }),
      )
      .min(1)
      .max(1_000),
  }),
  reply: z.strictObject({
    decided: z.array(z.string()).describe('Keys of the differences that were decided.'),
    left: z.array(
      z.strictObject({
        key: z.string(),
        why: z
          .enum(['gone', 'changed', 'decided'])
          .describe('Not in the newest proof any more, another amount now, or decided by another user meanwhile.'),
        decision: decisionReply.nullable(),
      }),
    ),
  }),
});

export const settleException = route({
  method: 'POST',
  path: '/api/my/closes/:month/settle',
  summary:
    'Settles a difference by syncing its document: posts it, posts it again, updates it in QuickBooks to match the PSA, or bills the difference.',
  ...forAdmins,
  needsProof: 'always',
  tenantIds: ['body.reviewed'],
  params,
  body: z.strictObject({
    key: z.string().min(1).max(300),
    action: z.enum(settlements),
    mode: z
      .enum(['test', 'live'])
      .default('live')
      .describe('A test plans the settlement for review and posts nothing.'),
    reviewed: uuid
      .optional()
      .describe('Id of a finished test of this settlement. In live mode, exactly its plan is posted.'),
  }),
  reply: z.strictObject({ job }),
});

export const downloadClose = route({
  method: 'GET',
  path: '/api/my/closes/:month/file',
  apiKey: 'read',
  summary: 'Returns the proof as a ZIP: summary, workbook, rows, lines, the original reports, and hashes.',
  ...forUsers,
  tenantIds: ['query.close_id'],
  params,
  query: z.strictObject({ close_id: uuid.optional().describe('Id of an older proof; default: the newest.') }),
  reply: z.null(),
  speaks: 'file',
});
