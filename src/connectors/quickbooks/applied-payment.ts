/** Applies a payment that exists in QuickBooks to further documents; pure. */
import type { ExistingPayment } from '#core/planning/plan.ts';
import { compare, decimal, type Decimal, plus, sum, zero } from '#core/values/decimal.ts';
import type { JsonObject } from '#core/values/json.ts';
import type { SetNumber } from './body-parts.ts';
import { objectsAt, textAt } from './merge-fields.ts';

/** Members that users enter in a payment. They are sent again in case QuickBooks takes the update for a full one. */
const entered = [
  'CustomerRef',
  'TotalAmt',
  'TxnDate',
  'CurrencyRef',
  'ExchangeRate',
  'DepositToAccountRef',
  'ARAccountRef',
  'PaymentMethodRef',
  'PaymentRefNum',
  'PrivateNote',
] as const;

/** A document that a payment pays, by its type and id. */
interface Target {
  readonly type: string;
  readonly id: string;
}

const isFor = (line: JsonObject, { type, id }: Target): boolean =>
  objectsAt(line, 'LinkedTxn').some((link) => textAt(link, 'TxnType') === type && textAt(link, 'TxnId') === id);

function amountOf({ Amount: amount }: JsonObject): Decimal {
  return typeof amount === 'number' || typeof amount === 'string' ? decimal(String(amount)) : zero;
}

/** Returns the amount of a document that a payment already pays. */
const paidBy = (payment: JsonObject, target: Target): Decimal =>
  sum(objectsAt(payment, 'Line').flatMap((line) => (isFor(line, target) ? [amountOf(line)] : [])));

/**
 * Returns the body that applies a payment to further documents. An update replaces all lines, so the present ones are
 * sent again; a document that it already pays in part has one line.
 */
export function appliedBody({ id, syncToken, found, covers }: ExistingPayment, number: SetNumber): JsonObject {
  const kept = objectsAt(found, 'Line').filter((line) => covers.every((one) => !isFor(line, one)));
  return {
    ...Object.fromEntries(entered.flatMap((key) => (found[key] === undefined ? [] : [[key, found[key]] as const]))),
    Id: id,
    SyncToken: syncToken,
    sparse: true,
    Line: [
      ...kept.map(({ Amount, LinkedTxn }) => ({ Amount: Amount ?? 0, LinkedTxn: LinkedTxn ?? [] })),
      ...covers.map((one) => ({
        Amount: number(plus(paidBy(found, one), one.amount)),
        LinkedTxn: [{ TxnId: one.id, TxnType: one.type }],
      })),
    ],
  };
}

/** Returns whether a payment was applied to all documents of a command, in addition to what it paid before. */
export const isApplied = (payment: JsonObject, { found, covers }: ExistingPayment): boolean =>
  covers.every((one) => compare(paidBy(payment, one), plus(paidBy(found, one), one.amount)) >= 0);
