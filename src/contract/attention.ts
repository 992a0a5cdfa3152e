import { z } from 'zod';
import { kindNames } from '#core/kinds.ts';
import { route, type DataOf } from './define.ts';
import { leftOutReasons } from '#core/reconciliation/close.ts';
import { decimalText, foreignObject, instantText } from './fields.ts';
import { documentHead } from './logs.ts';

export const attentionDocument = z.strictObject({
  type: z.enum(kindNames),
  entityid: z.int().describe('Id of the document in the PSA.'),
  ...documentHead,
  message: z.string(),
  log_key: z.string(),
  at: instantText.describe('When it was last tried.'),
  tested: z.boolean().nullable().describe('Whether a test since then passed; null when none was made.'),
});
export type AttentionDocument = z.output<typeof attentionDocument>;

const state = z
  .enum(['needs_you', 'held', 'retrying'])
  .describe('Waits for a person, for a date or a limit, or for a service that did not answer.');

export const attentionGroup = z.strictObject({
  key: z.string(),
  state,
  code: z.string(),
  message: z.string(),
  remedy: z.string().nullable(),
  screen: z.string().nullable(),
  repairs: z.array(foreignObject).describe('What mends it, best first: each says what to do under `do`.'),
  documents: z.array(attentionDocument),
});
export type AttentionGroupReply = z.output<typeof attentionGroup>;

export const listAttention = route({
  method: 'GET',
  path: '/api/my/attention',
  summary: 'Documents that are not through, by cause; what holds most money first.',
  roles: ['clientadmin'],
  client: 'required',
  tenantIds: [],
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
      .describe('Documents that were changed after they were posted and not decided about, by month, newest first.'),
    left_out: z
      .array(
        z.strictObject({
          type: z.enum(['invoice', 'purchase_order', 'expense_report', 'payment']),
          because: z
            .enum(leftOutReasons)
            .describe('Older than the window, before the start date, or not in a state that is synced.'),
          count: z.int(),
          amounts: z.array(z.strictObject({ currency: z.string(), amount: decimalText })),
          entityids: z.array(z.int()).describe('Ids of the PSA, the first 10,000.'),
        }),
      )
      .describe('Documents that no automatic sync takes up by itself, as the newest proofs of months found them.'),
  }),
});
export type AttentionReply = DataOf<typeof listAttention>;
