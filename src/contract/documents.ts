import { z } from 'zod';
import { documentEvents } from '#core/document-events.ts';
import { documentStates } from '#core/document-state.ts';
import { kindNames, submittableKinds } from '#core/kinds.ts';
import { driftKinds } from '#core/reconciliation/drift.ts';
import { forUsers, route, type DataOf } from './define.ts';
import { decimalText, instantText, paging, queryWhole } from './fields.ts';
import { documentHead } from './logs.ts';
import { documentView, ledgerEntry, planSource } from './planned.ts';
import { problem } from './problem.ts';

const params = z.strictObject({
  kind: z.enum(submittableKinds),
  entityid: queryWhole(1, Number.MAX_SAFE_INTEGER).describe('Id of the document in the PSA.'),
});
const type = z.enum(kindNames);
const logKey = z.string().nullable().describe('Log entry; null if there is none.');

const event = z.strictObject({
  event: z.enum(documentEvents),
  type: type.describe('Kind of the sync: an invoice also has payments, voids and differences.'),
  at: instantText,
  by: z.string().nullable().describe('User who started or decided it; null: the schedule, or unknown.'),
  manual: z.boolean().describe('Whether a user started it.'),
  success: z.boolean().describe('False if a test or sync did not succeed.'),
  message: z.string(),
  log_key: logKey,
  run_id: z.string().nullable().describe('Job that it belongs to; null if there is none.'),
  month: z.string().nullable().describe('Month of a proof or a decision about it; otherwise null.'),
});
export type DocumentEventReply = z.output<typeof event>;

const posting = z.strictObject({
  type,
  status: z.enum(['sending', 'unconfirmed', 'synced', 'refused', 'voided', 'deleted_in_accounting', 'superseded']),
  form: z.string().nullable().describe('Type of the QuickBooks document; null if none was created.'),
  number: z.string().nullable(),
  total: decimalText.nullable(),
  created_at: instantText,
  drift: z.array(z.enum(driftKinds)).describe('Differences between both systems that were found after the posting.'),
});
export type DocumentPosting = z.output<typeof posting>;

export const readDocument = route({
  method: 'GET',
  path: '/api/my/documents/:kind/:entityid',
  apiKey: 'read',
  summary:
    'Returns what is stored about one document: state, plan, postings and history. Reads no service, except for a document that was never synced.',
  ...forUsers,
  params,
  query: z.strictObject({ page_size: paging(20).page_size.describe('Number of the newest events.') }),
  reply: z.strictObject({
    type: params.shape.kind,
    entityid: z.int().describe('Id of the document in the PSA.'),
    ...documentHead,
    state: z.enum(documentStates),
    problems: z
      .array(
        z.strictObject({
          type,
          state: z.enum(['needs_you', 'held', 'retrying']),
          at: instantText,
          message: z.string(),
          problems: z.array(problem),
          log_key: z.string(),
        }),
      )
      .describe('What the newest live sync of each kind left open.'),
    draft_id: z.string().nullable().describe('Draft that waits for approval.'),
    plan: z
      .strictObject({
        document: documentView,
        currency: z.string(),
        entries: z.array(ledgerEntry),
        test: z.boolean(),
        at: instantText,
        log_key: z.string(),
      })
      .nullable()
      .describe('The plan that was posted, or else the newest one.'),
    postings: z.array(posting).describe('QuickBooks documents of this document, newest first; at most 50.'),
    events: z.array(event).describe('Newest first.'),
    more: z.boolean().describe('Whether older events exist.'),
    pages: z
      .strictObject({ psa: z.string().nullable(), accounting: z.string().nullable() })
      .describe('Page that shows the document in each service; null if unknown.'),
  }),
});
export type DocumentReply = DataOf<typeof readDocument>;

const side = {
  state: z
    .enum(['found', 'missing', 'not_posted', 'failed'])
    .describe('`failed`: the service could not be read, and `message` is why.'),
  message: z.string().nullable(),
};

export const readCurrentDocument = route({
  method: 'GET',
  path: '/api/my/documents/:kind/:entityid/current',
  apiKey: 'read',
  summary:
    'Reads one document from both services as it is now, with payments and credits. A failure of one service does not hide the other.',
  ...forUsers,
  params,
  reply: z.strictObject({
    psa: z.strictObject({
      ...side,
      document: planSource.nullable(),
      created_at: instantText.nullable(),
      paid_on: z.iso.date().nullable(),
      voided: z.boolean(),
      status: z.string().nullable().describe('Progress of an order or a report; null for an invoice.'),
    }),
    accounting: z.strictObject({
      ...side,
      document: documentView.nullable(),
      balance: decimalText.nullable().describe('Open amount; null if the document was not found.'),
      voided: z.boolean(),
      changed_at: instantText.nullable(),
      changed_by: z.string().nullable().describe('Last editor; null if QuickBooks does not return the name.'),
      applied: z
        .array(
          z.strictObject({
            type: z.string().describe('Type in QuickBooks, e.g. `Payment`.'),
            id: z.string(),
            number: z.string().nullable(),
            date: z.iso.date().nullable(),
            total: decimalText.nullable().describe('Of the whole payment, also if it pays several invoices.'),
            voided: z.boolean(),
          }),
        )
        .describe('Payments, credits and bills that QuickBooks links to the document; at most 30.'),
    }),
  }),
});
export type CurrentDocumentReply = DataOf<typeof readCurrentDocument>;
