import { z } from 'zod';
import { kindNames } from '#core/kinds.ts';
import { decimalText, fieldKey, side } from './fields.ts';

/** Planned documents and their totals. */

const type = z.enum(kindNames);
const amount = decimalText;

/** A changed field with both values, for people. */
export const fieldChange = z.strictObject({ what: z.string(), was: z.string(), is: z.string() });
export type FieldChangeReply = z.output<typeof fieldChange>;

/** A field that both sides changed, with the value in QuickBooks (`was`) and in the PSA (`is`). */
export const fieldConflict = fieldChange.extend({
  key: fieldKey.describe('Chooses a side for this field, see `prefers` of the sync calls.'),
});
/** Whose value fields get that both sides changed. */
export const preference = z.union([side, z.record(fieldKey, side)]);

export type FieldConflictReply = z.output<typeof fieldConflict>;

/** A document as the PSA shows it. */
export const planSource = z.strictObject({
  party: z.string().nullable(),
  number: z.string().nullable(),
  date: z.string().nullable(),
  due: z.string().nullable(),
  lines: z.array(
    z.strictObject({
      description: z.string(),
      quantity: amount.nullable(),
      unit_price: amount.nullable(),
      amount,
    }),
  ),
  tax: amount,
  total: amount.describe('Including tax; a credit memo is negative.'),
});
export type SourceReply = z.output<typeof planSource>;

export const documentView = z.strictObject({
  form: z.enum(['invoice', 'credit_memo', 'purchase_order', 'bill', 'payment', 'void']),
  party: z.string(),
  number: z.string().nullable().describe('Null: QuickBooks assigns the number.'),
  date: z.string().nullable(),
  due: z.string().nullable(),
  terms: z.string().nullable(),
  currency: z.string().nullable(),
  lines: z.array(
    z.strictObject({
      description: z.string(),
      item: z.string().nullable(),
      account: z.string().nullable(),
      class: z.string().nullable(),
      tax: z.string().nullable(),
      customer: z.string().nullable(),
      quantity: amount.nullable(),
      unit_price: amount.nullable(),
      amount,
    }),
  ),
  subtotal: amount,
  tax: amount,
  tax_known: z
    .boolean()
    .describe('False if only QuickBooks knows the tax; then the tax is the amount that the PSA billed.'),
  total: amount,
  source: planSource.nullable().describe('The document in the PSA; null if unknown.'),
});
export type DocumentViewReply = z.output<typeof documentView>;

export const ledgerEntry = z.strictObject({
  account: z.string(),
  class: z.string().nullable(),
  tax_agency: z.string().nullable(),
  debit: amount.nullable(),
  credit: amount.nullable(),
});
export type LedgerEntryReply = z.output<typeof ledgerEntry>;

const sum = z.strictObject({ type, currency: z.string(), count: z.int(), amount });

/** Number and amounts of documents, shared by all calls that total them. */
export const summary = {
  count: z.int(),
  sums: z.array(sum),
  parties: z.array(
    z.strictObject({
      ...sum.shape,
      party: z.string(),
      last_month: z.strictObject({ count: z.int(), amount }),
    }),
  ),
  effects: z
    .array(z.strictObject({ currency: z.string(), tax_known: z.boolean(), entries: z.array(ledgerEntry) }))
    .describe('Debits and credits by account, class and tax agency.'),
  new_records: z.array(
    z.strictObject({
      list: z.enum(['customer', 'vendor', 'item']),
      name: z.string(),
      account: z.string().nullable(),
      documents: z.int(),
    }),
  ),
};
