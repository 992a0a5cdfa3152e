import { z } from 'zod';
import { kindNames } from '#core/kinds.ts';
import { forAdmins, route, type DataOf } from './define.ts';
import { leftOutReasons } from '#core/reconciliation/close.ts';
import { decimalText, foreignObject, instantText } from './fields.ts';
import { documentHead } from './logs.ts';
import { fieldConflict } from './planned.ts';

export const attentionDocument = z.strictObject({
  type: z.enum(kindNames),
  entityid: z.int().describe('Id of the document in the PSA.'),
  ...documentHead,
  message: z.string(),
  fields: z.array(fieldConflict).describe('Fields that both sides changed, if an update waits for a choice.'),
  log_key: z.string(),
  at: instantText.describe('When it was last tried.'),
  tested: z.boolean().nullable().describe('Whether a test since then passed; null if there was none.'),
});
export type AttentionDocument = z.output<typeof attentionDocument>;

const state = z
  .enum(['needs_you', 'held', 'retrying'])
  .describe('Waits for a user, for a date or a limit, or for a service that did not respond.');

export const attentionGroup = z.strictObject({
  key: z.string(),
  state,
  code: z.string(),
  message: z.string(),
  remedy: z.string().nullable(),
  screen: z.string().nullable(),
  repairs: z.array(foreignObject).describe('Possible fixes, best first; `do` is the action of each.'),
  documents: z.array(attentionDocument),
});
export type AttentionGroupReply = z.output<typeof attentionGroup>;

export const listAttention = route({
  method: 'GET',
  path: '/api/my/attention',
  apiKey: 'read',
  summary: 'Lists documents that did not sync, by cause, the largest amount first.',
  ...forAdmins,
  reply: z.strictObject({
    needs_you: z.int(),
    held: z.int(),
    retrying: z.int(),
    groups: z.array(attentionGroup),
    changed_since: z
      .array(
        z.strictObject({
          month: z.string(),
          count: z.int(),
          amounts: z.array(z.strictObject({ currency: z.string(), amount: z.string() })),
        }),
      )
      .describe('Documents that changed after posting and have no decision, by month, newest first.'),
    left_out: z
      .array(
        z.strictObject({
          type: z.enum(['invoice', 'purchase_order', 'expense_report', 'payment']),
          because: z
            .enum(leftOutReasons)
            .describe('Older than the sync window, before the start date, or in a state that does not sync.'),
          count: z.int(),
          amounts: z.array(z.strictObject({ currency: z.string(), amount: decimalText })),
          entityids: z.array(z.int()).describe('PSA ids, at most 10,000.'),
        }),
      )
      .describe('Documents that the automatic sync skips, according to the newest month-end proofs.'),
  }),
});
export type AttentionReply = DataOf<typeof listAttention>;
