import { z } from 'zod';
import { kindNames, kinds, maxChosenDocuments, searchedKinds, submittableKinds } from '#core/kinds.ts';
import { logLevels } from '#core/transcript.ts';
import { route } from './define.ts';
import { psaId, queryBoolean, uuid } from './fields.ts';
import { job } from './jobs.ts';
import { documentHead } from './logs.ts';

/** Path segments of the kinds that are searched for, e.g. `purchase-orders`. */
export const kindSegments = searchedKinds.map((kind) => kinds[kind].segment);
/** Of every kind, those that only a person asks for included. */
const everySegment = kindNames.map((kind) => kinds[kind].segment);
export type KindSegment = (typeof everySegment)[number];

const mode = z.enum(['test', 'live']).default('test');
const force = z.boolean().default(false);
const listOf = (max: number) => z.array(psaId).min(1, 'Nothing is selected.').max(max);
/** One job takes a selection of any size that a sync screen can list. */
const ids = listOf(maxChosenDocuments);
/** Bytes of a body with as many of the longest ids. */
const bodyBytes = 196_608;
const chosen = {
  subscription_id: z.string().max(100).optional().describe('Checked against the session, never used.'),
  log_level: z.enum(logLevels).optional(),
  mode,
  force,
  reviewed: uuid.optional().describe('A finished test of these documents: live, exactly its plans are posted.'),
};
const update = z
  .boolean()
  .default(false)
  .describe('Changes what stands in the books to what the PSA says, while nothing was paid of it; makes no document.');
const submitted = z.strictObject({ job, message: z.string() });
const writer = {
  method: 'POST',
  roles: ['clientadmin'],
  client: 'required',
  needsProof: 'live',
  reply: submitted,
} as const;

export const submitAll = route({
  ...writer,
  path: '/api/my/:kind/sync/submit/all',
  summary: 'Syncs everything of one kind that is eligible now.',
  tenantIds: [],
  params: z.strictObject({ kind: z.enum(kindSegments) }),
  body: z.strictObject({
    mode,
    force,
    confirmed: z
      .int()
      .min(0)
      .optional()
      .describe('With `force` in live mode: how many documents the person has confirmed; must be how many there are.'),
  }),
});

export const submitInvoices = route({
  ...writer,
  path: '/api/my/invoices/sync/submit',
  summary: 'Syncs the chosen invoices.',
  tenantIds: ['body.subscription_id', 'body.reviewed'],
  bodyBytes,
  body: z.strictObject({ ...chosen, update, invoice_ids: ids }),
});

export const submitPurchaseOrders = route({
  ...writer,
  path: '/api/my/purchase-orders/sync/submit',
  summary: 'Syncs the chosen purchase orders.',
  tenantIds: ['body.subscription_id', 'body.reviewed'],
  bodyBytes,
  body: z.strictObject({ ...chosen, update, po_ids: ids }),
});

export const submitExpenseReports = route({
  ...writer,
  path: '/api/my/expense-reports/sync/submit',
  summary: 'Syncs the chosen expense reports.',
  tenantIds: ['body.subscription_id', 'body.reviewed'],
  bodyBytes,
  body: z.strictObject({ ...chosen, update, expense_report_ids: ids }),
});

export const submitPayments = route({
  ...writer,
  path: '/api/my/payments/sync/submit',
  summary: 'Brings the paid state of the chosen invoices into step, both ways.',
  tenantIds: ['body.subscription_id', 'body.reviewed'],
  bodyBytes,
  body: z.strictObject({ ...chosen, invoice_ids: ids }),
});

export const submitVoids = route({
  ...writer,
  path: '/api/my/voids/sync/submit',
  summary: 'Voids the documents of the chosen invoices, which were voided in the PSA.',
  tenantIds: ['body.subscription_id', 'body.reviewed'],
  bodyBytes,
  body: z.strictObject({ ...chosen, invoice_ids: ids }),
});

export const submitDifferences = route({
  ...writer,
  path: '/api/my/differences/sync/submit',
  summary: 'Bills what the chosen invoices come to more or less since they were posted, each by a document of its own.',
  tenantIds: ['body.subscription_id', 'body.reviewed'],
  bodyBytes,
  body: z.strictObject({ ...chosen, invoice_ids: ids }),
});

export const listUnderWay = route({
  method: 'GET',
  path: '/api/my/:kind/sync/under-way',
  summary: 'Documents that are being synced live just now, by whichever job.',
  roles: ['clientadmin', 'accountant'],
  client: 'required',
  tenantIds: [],
  params: z.strictObject({ kind: z.enum(everySegment) }),
  reply: z.strictObject({ entityids: z.array(z.int()).describe('Ids of the PSA.') }),
});

export const describeDocuments = route({
  method: 'POST',
  path: '/api/my/:kind/sync/describe',
  reads: true,
  summary: 'Whose these documents are, and in which currency the PSA’s list says what they come to.',
  roles: ['clientadmin'],
  client: 'required',
  tenantIds: [],
  params: z.strictObject({ kind: z.enum(submittableKinds.map((kind) => kinds[kind].segment)) }),
  body: z.strictObject({ ids: listOf(1_000) }),
  reply: z.strictObject({
    documents: z
      .array(
        z.strictObject({
          entityid: z.int(),
          party: documentHead.party,
          currency: z.string().nullable().describe('ISO 4217; null where the list says no amount.'),
          awaits_approval: z.boolean().describe('The document waits for approval.'),
        }),
      )
      .describe('Documents that the PSA does not have, have no row.'),
  }),
});

export const listEligible = route({
  method: 'GET',
  path: '/api/my/:kind/sync/eligible',
  summary: 'What a sync by hand would take up now, and what each document comes to; reads both services.',
  roles: ['clientadmin'],
  client: 'required',
  tenantIds: [],
  params: z.strictObject({ kind: z.enum(submittableKinds.map((kind) => kinds[kind].segment)) }),
  query: z.strictObject({ force: queryBoolean.prefault('false').describe('Documents that are synced already, too.') }),
  reply: z.strictObject({ documents: z.array(z.strictObject({ entityid: z.int(), ...documentHead })) }),
});
