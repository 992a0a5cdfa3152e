import type { ListRecord, ListRow } from '#core/documents/accounting-change.ts';
import type { Instant } from '#core/values/dates.ts';
import type { JsonRecord } from './errors.ts';
import { toAccount, toClass, toCustomer, toItem, toTaxCode, toVendor } from './translate.ts';
import {
  qboAccount,
  qboChanged,
  qboClass,
  qboCustomer,
  qboItem,
  qboTaxCode,
  qboTaxRate,
  qboTerm,
  qboVendor,
  readShape,
} from './wire.ts';

/** Condition that also finds inactive records. */
export const activeAndNot = 'Active IN (true, false)';

export const readAccount = (row: JsonRecord) => toAccount(readShape('read Account', qboAccount, row));
export const readClass = (row: JsonRecord) => toClass(readShape('read Class', qboClass, row));
export const readLocation = (row: JsonRecord) => toClass(readShape('read Department', qboClass, row));
export const readCustomer = (row: JsonRecord) => toCustomer(readShape('read Customer', qboCustomer, row));
export const readVendor = (row: JsonRecord) => toVendor(readShape('read Vendor', qboVendor, row));
export const readItem = (row: JsonRecord) => toItem(readShape('read Item', qboItem, row));
export function readTerm(row: JsonRecord) {
  const { Id, Name } = readShape('read Term', qboTerm, row);
  return { id: Id, name: Name ?? '' };
}

export function toTaxCodes(codes: readonly JsonRecord[], rates: readonly JsonRecord[]) {
  const taxRates = rates.map((row) => readShape('read TaxRate', qboTaxRate, row));
  return codes.map((row) => toTaxCode(readShape('read TaxCode', qboTaxCode, row), taxRates));
}

const changedAtOf = (row: JsonRecord): Instant | null =>
  readShape('read changes', qboChanged, row).MetaData?.LastUpdatedTime ?? null;

/** A list whose changes QuickBooks reports, and how to read its records. */
export interface ListSource {
  readonly record: ListRecord;
  readonly entity: string;
  readonly withInactive: readonly string[];
  readonly toRow: (row: JsonRecord) => ListRow;
}

/** The lists whose changes QuickBooks reports. */
export const listSources: readonly ListSource[] = [
  {
    record: 'account',
    entity: 'Account',
    withInactive: [activeAndNot],
    toRow: (row) => ({ list: 'account', row: readAccount(row), changedAt: changedAtOf(row) }),
  },
  {
    record: 'class',
    entity: 'Class',
    withInactive: [activeAndNot],
    toRow: (row) => ({ list: 'class', row: readClass(row), changedAt: changedAtOf(row) }),
  },
  {
    record: 'term',
    entity: 'Term',
    withInactive: [],
    toRow: (row) => ({ list: 'term', row: readTerm(row), changedAt: changedAtOf(row) }),
  },
  {
    record: 'customer',
    entity: 'Customer',
    withInactive: [activeAndNot],
    toRow: (row) => ({ list: 'customer', row: readCustomer(row), changedAt: changedAtOf(row) }),
  },
  {
    record: 'vendor',
    entity: 'Vendor',
    withInactive: [activeAndNot],
    toRow: (row) => ({ list: 'vendor', row: readVendor(row), changedAt: changedAtOf(row) }),
  },
  {
    record: 'item',
    entity: 'Item',
    withInactive: [activeAndNot],
    toRow: (row) => ({ list: 'item', row: readItem(row), changedAt: changedAtOf(row) }),
  },
];
