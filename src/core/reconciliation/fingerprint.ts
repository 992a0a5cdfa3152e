import type { AccountingDocument, AccountingLine } from '../documents/accounting-document.ts';
import type { CalendarDate } from '../values/dates.ts';
import { equals, format, isZero, minus, sum, type Decimal } from '../values/decimal.ts';

/**
 * Fields of a document that must not change unnoticed after posting: dates, customer, number, currency, location, taxes
 * and the account of the payable or receivable, and for each line the item, account, class, quantity, amount and tax
 * code. Null: unknown at posting, or not set by us, which never counts as a change. Discounts are not included, because
 * they have an amount of their own.
 */
export interface Fingerprint {
  readonly datedOn: CalendarDate;
  readonly dueOn: CalendarDate | null;
  readonly partyId: string | null;
  readonly number: string | null;
  readonly currency: string | null;
  /** Home units of one unit of a foreign currency; absent or null if unknown. */
  readonly exchangeRate?: Decimal | null;
  /** Null: none. Undefined if unknown. */
  readonly locationId?: string | null;
  /** Sales tax code of the document. Null or undefined if not sent. */
  readonly taxCodeId?: string | null;
  /** Tax by rate. Undefined if unknown. */
  readonly taxes?: AccountingDocument['taxes'];
  /** Account of the payable or receivable; absent or null if unknown. */
  readonly controlAccountId?: string | null;
  readonly lines: readonly FingerprintLine[];
}

export type FingerprintLine = Pick<
  AccountingLine,
  'itemId' | 'accountId' | 'itemAccountId' | 'classId' | 'taxCode' | 'quantity' | 'amount'
>;

export const fingerprintFields = [
  'date',
  'due',
  'customer',
  'number',
  'currency',
  'rate',
  'location',
  'lines',
  'item',
  'account',
  'item_account',
  'class',
  'tax_code',
  'tax',
  'quantity',
  'amount',
] as const;
export type FingerprintField = (typeof fingerprintFields)[number];

/** One changed field; `line` counts from 1 and is null for the document itself. */
export interface FingerprintChange {
  readonly field: FingerprintField;
  readonly line: number | null;
  readonly before: string | null;
  readonly after: string | null;
}

export const fingerprintOf = (document: AccountingDocument): Fingerprint => ({
  datedOn: document.datedOn,
  dueOn: document.dueOn,
  partyId: document.party.id,
  number: document.number,
  currency: document.currency,
  exchangeRate: document.exchangeRate,
  locationId: document.locationId ?? null,
  controlAccountId: document.controlAccountId ?? null,
  taxCodeId: document.taxCodeId ?? null,
  ...(document.taxes !== undefined && { taxes: document.taxes }),
  lines: document.lines.flatMap((line) => (line.isDiscount === true ? [] : [lineOf(line)])),
});

const lineOf = ({
  itemId,
  accountId,
  itemAccountId,
  classId,
  taxCode,
  quantity,
  amount,
}: AccountingLine): FingerprintLine => ({
  itemId,
  accountId,
  ...(itemAccountId !== undefined && { itemAccountId }),
  classId,
  taxCode,
  quantity,
  amount,
});

/** Returns the tax of each rate as text, in the order of their ids. */
const taxText = (taxes: NonNullable<AccountingDocument['taxes']>): string =>
  taxes
    .filter(({ amount }) => !isZero(amount))
    .toSorted((a, b) => (a.rateId < b.rateId ? -1 : 1))
    .map(({ rateId, amount }) => `rate ${rateId}: ${format(amount)}`)
    .join(', ');

/** Returns whether the same tax is owed at other rates, which may belong to other agencies. */
function isTaxMoved(before: AccountingDocument['taxes'], after: AccountingDocument['taxes']): boolean {
  if (before === undefined || after === undefined) return false;
  const total = (taxes: typeof before) => sum(taxes.map(({ amount }) => amount));
  const rates = (taxes: typeof before) => new Set(taxes.flatMap((one) => (isZero(one.amount) ? [] : [one.rateId])));
  const isElsewhere = rates(before).symmetricDifference(rates(after)).size > 0;
  if (isElsewhere) return rates(before).size > 0 && rates(after).size > 0;
  return isZero(minus(total(before), total(after))) && taxText(before) !== taxText(after);
}

/**
 * Returns the changes between two states of one document, in the order of its fields. Lines are compared by position.
 * If lines were added or removed, only the changed count is returned.
 */
export function compareFingerprints(before: Fingerprint, after: Fingerprint): readonly FingerprintChange[] {
  const changes: FingerprintChange[] = [];
  const note = (field: FingerprintField, line: number | null, was: string | null, is: string | null) => {
    if (was !== null && was !== is) changes.push({ field, line, before: was, after: is });
  };
  const noteAmount = (field: FingerprintField, line: number, was: Decimal | null, is: Decimal | null) => {
    if (was !== null && (is === null || !equals(was, is))) changes.push({ field, line, before: was, after: is });
  };
  note('date', null, before.datedOn, after.datedOn);
  note('due', null, before.dueOn, after.dueOn);
  note('customer', null, before.partyId, after.partyId);
  note('number', null, before.number, after.number);
  note('currency', null, before.currency, after.currency);
  const [wasRate, isRate] = [before.exchangeRate ?? null, after.exchangeRate ?? null];
  if (wasRate !== null && isRate !== null && !equals(wasRate, isRate))
    changes.push({ field: 'rate', line: null, before: wasRate, after: isRate });
  // A location that was added later also counts as a change: here, null means no location.
  if (before.locationId !== undefined && (before.locationId ?? '') !== (after.locationId ?? ''))
    changes.push({ field: 'location', line: null, before: before.locationId, after: after.locationId ?? null });
  note('tax_code', null, before.taxCodeId ?? null, after.taxCodeId ?? null);
  if (isTaxMoved(before.taxes, after.taxes))
    changes.push({ field: 'tax', line: null, before: taxText(before.taxes ?? []), after: taxText(after.taxes ?? []) });
  const isControl = after.controlAccountId ?? null;
  if (isControl !== null) note('account', null, before.controlAccountId ?? null, isControl);
  if (before.lines.length !== after.lines.length) {
    note('lines', null, String(before.lines.length), String(after.lines.length));
    return changes;
  }
  for (const [index, was] of before.lines.entries()) {
    const is = after.lines[index];
    if (is === undefined) continue;
    const line = index + 1;
    note('item', line, was.itemId, is.itemId);
    note('account', line, was.accountId, is.accountId);
    const [wasAccount, isAccount] = [was.itemAccountId, is.itemAccountId];
    // Another item usually has another account.
    if (wasAccount !== undefined && isAccount !== undefined && was.itemId === is.itemId)
      note('item_account', line, wasAccount, isAccount);
    // A class that was added later also counts as a change: here, null means no class.
    if ((was.classId ?? '') !== (is.classId ?? ''))
      changes.push({ field: 'class', line, before: was.classId, after: is.classId });
    note('tax_code', line, was.taxCode, is.taxCode);
    noteAmount('quantity', line, was.quantity, is.quantity);
    noteAmount('amount', line, was.amount, is.amount);
  }
  return changes;
}
