import { z } from 'zod';
import { kindNames, kinds, maxChosenDocuments, searchedKinds, submittableKinds } from '#core/kinds.ts';
import { paymentChoices } from '#core/planning/payment-choice.ts';
import { maxFieldChoices } from '#core/planning/update-merge.ts';
import { logLevels } from '#core/transcript.ts';
import { forAdmins, forUsers, route } from './define.ts';
import { psaId, queryBoolean, uuid } from './fields.ts';
import { job } from './jobs.ts';
import { documentHead } from './logs.ts';
import { preference } from './planned.ts';

/** Path segments of the kinds that the sync searches for, e.g. `purchase-orders`. */
export const kindSegments = searchedKinds.map((kind) => kinds[kind].segment);
/** Path segments of all kinds, including those that sync only on request. */
const everySegment = kindNames.map((kind) => kinds[kind].segment);
export type KindSegment = (typeof everySegment)[number];

const mode = z.enum(['test', 'live']).default('test');
const force = z.boolean().default(false);
const listOf = (max: number) => z.array(psaId).min(1, 'Nothing is selected.').max(max);
/** One job takes every selection that a sync screen can list. */
const ids = listOf(maxChosenDocuments);
/** Size of a body with the maximum number of maximum-length ids and of choices, in bytes. */
const bodyBytes = 262_144;
const chosen = {
  subscription_id: z.string().max(100).optional().describe('Must match the client of the session.'),
  log_level: z.enum(logLevels).optional(),
  mode,
  force,
  reviewed: uuid
    .optional()
    .describe('Id of a finished test of these documents. In live mode, exactly its plans are posted.'),
};
const update = z
  .boolean()
  .default(false)
  .describe('Updates existing unpaid QuickBooks documents to match the PSA; creates no documents.');
const prefers = preference
  .refine((chosen) => typeof chosen === 'string' || Object.keys(chosen).length <= maxFieldChoices, {
    error: `At most ${maxFieldChoices.toLocaleString('en-US')} fields can be chosen at once.`,
  })
  .optional()
  .describe(
    'With `update`: whose value fields get that both sides changed: one side for all, or a side for the `key` of each field that the review lists. A document with a field without a choice is not updated, and the message names the fields. A key applies until one of both values changes again.',
  );
const submitted = z.strictObject({ job, message: z.string() });
const writer = {
  method: 'POST',
  ...forAdmins,
  needsProof: 'live',
  reply: submitted,
} as const;

export const submitAll = route({
  ...writer,
  path: '/api/my/:kind/sync/submit/all',
  apiKey: 'sync',
  summary: 'Syncs all eligible documents of one kind.',
  tenantIds: [],
  params: z.strictObject({ kind: z.enum(kindSegments) }),
  body: z.strictObject({
    mode,
    force,
    confirmed: z
      .int()
      .min(0)
      .optional()
      .describe(
        'Number of documents that the user confirmed. Must match the actual number if `force` is set in live mode.',
      ),
  }),
});

export const submitInvoices = route({
  ...writer,
  path: '/api/my/invoices/sync/submit',
  apiKey: 'sync',
  summary: 'Syncs the chosen invoices.',
  tenantIds: ['body.subscription_id', 'body.reviewed'],
  bodyBytes,
  body: z.strictObject({ ...chosen, update, prefers, invoice_ids: ids }),
});

export const submitPurchaseOrders = route({
  ...writer,
  path: '/api/my/purchase-orders/sync/submit',
  apiKey: 'sync',
  summary: 'Syncs the chosen purchase orders.',
  tenantIds: ['body.subscription_id', 'body.reviewed'],
  bodyBytes,
  body: z.strictObject({ ...chosen, update, prefers, po_ids: ids }),
});

export const submitExpenseReports = route({
  ...writer,
  path: '/api/my/expense-reports/sync/submit',
  apiKey: 'sync',
  summary: 'Syncs the chosen expense reports.',
  tenantIds: ['body.subscription_id', 'body.reviewed'],
  bodyBytes,
  body: z.strictObject({ ...chosen, update, prefers, expense_report_ids: ids }),
});

export const submitPayments = route({
  ...writer,
  path: '/api/my/payments/sync/submit',
  apiKey: 'sync',
  summary: 'Syncs the paid state of the chosen invoices in both directions.',
  tenantIds: ['body.subscription_id', 'body.reviewed'],
  bodyBytes,
  body: z.strictObject({
    ...chosen,
    invoice_ids: ids,
    choice: z
      .enum(paymentChoices)
      .optional()
      .describe(
        'What to do if QuickBooks has unapplied money of the customer: apply it, or create a new payment. Without it, such a payment waits.',
      ),
  }),
});

export const submitVoids = route({
  ...writer,
  path: '/api/my/voids/sync/submit',
  apiKey: 'sync',
  summary: 'Voids the QuickBooks documents of the chosen invoices, which were voided in the PSA.',
  tenantIds: ['body.subscription_id', 'body.reviewed'],
  bodyBytes,
  body: z.strictObject({ ...chosen, invoice_ids: ids }),
});

export const submitDifferences = route({
  ...writer,
  path: '/api/my/differences/sync/submit',
  summary:
    'Bills the difference for each chosen invoice whose total changed after posting, each in a separate document.',
  tenantIds: ['body.subscription_id', 'body.reviewed'],
  bodyBytes,
  body: z.strictObject({ ...chosen, invoice_ids: ids }),
});

export const listUnderWay = route({
  method: 'GET',
  path: '/api/my/:kind/sync/under-way',
  apiKey: 'sync',
  summary: 'Lists the documents that any job is syncing live now.',
  ...forUsers,
  params: z.strictObject({ kind: z.enum(everySegment) }),
  reply: z.strictObject({ entityids: z.array(z.int()).describe('PSA ids.') }),
});

export const describeDocuments = route({
  method: 'POST',
  path: '/api/my/:kind/sync/describe',
  apiKey: 'sync',
  reads: true,
  summary: 'Returns the customer or vendor of documents, and the currency of their amounts in the PSA’s list.',
  ...forAdmins,
  params: z.strictObject({ kind: z.enum(submittableKinds.map((kind) => kinds[kind].segment)) }),
  body: z.strictObject({ ids: listOf(1_000) }),
  reply: z.strictObject({
    documents: z
      .array(
        z.strictObject({
          entityid: z.int(),
          party: documentHead.party,
          currency: z.string().nullable().describe('ISO 4217; null if the list has no amount.'),
          awaits_approval: z.boolean().describe('Whether the document waits for approval.'),
          on_hold: z.boolean().describe('Whether the document is on hold after its newest live sync.'),
        }),
      )
      .describe('Documents that do not exist in the PSA are omitted.'),
  }),
});

export const listEligible = route({
  method: 'GET',
  path: '/api/my/:kind/sync/eligible',
  apiKey: 'sync',
  summary: 'Lists the documents that a manual sync would pick up now, with their totals; reads both services.',
  ...forAdmins,
  params: z.strictObject({ kind: z.enum(submittableKinds.map((kind) => kinds[kind].segment)) }),
  query: z.strictObject({ force: queryBoolean.prefault('false').describe('Also includes synced documents.') }),
  reply: z.strictObject({ documents: z.array(z.strictObject({ entityid: z.int(), ...documentHead })) }),
});
