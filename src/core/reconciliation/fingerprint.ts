import type { BooksDocument, BooksLine } from '../documents/books-document.ts';
import type { CalendarDate } from '../values/dates.ts';
import { equals, type Decimal } from '../values/decimal.ts';

/**
 * Fingerprint of a document, which must not change unnoticed after it was posted: its day, due day, customer, number,
 * currency, and of each line item, account, class, quantity, amount and tax code. Null where it was not said when it
 * was posted, which is then no change.
 */
export interface Fingerprint {
  readonly datedOn: CalendarDate;
  readonly dueOn: CalendarDate | null;
  readonly partyId: string | null;
  readonly number: string | null;
  readonly currency: string | null;
  /** Home units of one unit of a foreign currency; absent or null where it is not known. */
  readonly exchangeRate?: Decimal | null;
  readonly lines: readonly FingerprintLine[];
}

export type FingerprintLine = Pick<BooksLine, 'itemId' | 'accountId' | 'classId' | 'taxCode' | 'quantity' | 'amount'>;

export const fingerprintFields = [
  'date',
  'due',
  'customer',
  'number',
  'currency',
  'rate',
  'lines',
  'item',
  'account',
  'class',
  'tax_code',
  'quantity',
  'amount',
] as const;
export type FingerprintField = (typeof fingerprintFields)[number];

/** One thing that is another one now; `line` counts from 1 and is null for the document itself. */
export interface FingerprintChange {
  readonly field: FingerprintField;
  readonly line: number | null;
  readonly before: string | null;
  readonly after: string | null;
}

export const fingerprintOf = (document: BooksDocument): Fingerprint => ({
  datedOn: document.datedOn,
  dueOn: document.dueOn,
  partyId: document.party.id,
  number: document.number,
  currency: document.currency,
  exchangeRate: document.exchangeRate,
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
 * Changes between two states of one document, in the order of its members. Lines are compared by their place; when one
 * was added or removed, that alone is told, with the count.
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
    // A class that was added afterwards is a change as well: none is said as none.
    if ((was.classId ?? '') !== (is.classId ?? ''))
      changes.push({ field: 'class', line, before: was.classId, after: is.classId });
    note('tax_code', line, was.taxCode, is.taxCode);
    noteAmount('quantity', line, was.quantity, is.quantity);
    noteAmount('amount', line, was.amount, is.amount);
  }
  return changes;
}
