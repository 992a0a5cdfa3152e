import type { AccountingDocument, AccountingLine } from '../documents/accounting-document.ts';
import type { CalendarDate } from '../values/dates.ts';
import { equals, type Decimal } from '../values/decimal.ts';

/**
 * Fields of a document that must not change unnoticed after posting: dates, customer, number, currency, location and
 * the account of the payable or receivable, and for each line the item, account, class, quantity, amount and tax code.
 * Null: unknown at posting, or not set by us, which never counts as a change.
 */
export interface Fingerprint {
  readonly datedOn: CalendarDate;
  readonly dueOn: CalendarDate | null;
  readonly partyId: string | null;
  readonly number: string | null;
  readonly currency: string | null;
  /** Home units of one unit of a foreign currency; absent or null if unknown. */
  readonly exchangeRate?: Decimal | null;
  readonly locationId?: string | null;
  /** Account of the payable or receivable; absent or null if unknown. */
  readonly controlAccountId?: string | null;
  readonly lines: readonly FingerprintLine[];
}

export type FingerprintLine = Pick<
  AccountingLine,
  'itemId' | 'accountId' | 'classId' | 'taxCode' | 'quantity' | 'amount'
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
  'class',
  'tax_code',
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
  lines: document.lines.map(({ itemId, accountId, classId, taxCode, quantity, amount }) => ({
    itemId,
    accountId,
    classId,
    taxCode,
    quantity,
    amount,
  })),
});

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
  note('location', null, before.locationId ?? null, after.locationId ?? null);
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
    // A class that was added later also counts as a change: here, null means no class.
    if ((was.classId ?? '') !== (is.classId ?? ''))
      changes.push({ field: 'class', line, before: was.classId, after: is.classId });
    note('tax_code', line, was.taxCode, is.taxCode);
    noteAmount('quantity', line, was.quantity, is.quantity);
    noteAmount('amount', line, was.amount, is.amount);
  }
  return changes;
}
