import { lineItemTypes } from '#core/planning/reference-index.ts';
import type { AccountingChange, ListRecord } from '#core/documents/accounting-change.ts';
import type { ListChanges } from '#core/documents/list-changes.ts';
import type { AccountingLists } from '#core/documents/reference-data.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { Logger } from '#core/ports/logger.ts';
import type { Instant } from '#core/values/dates.ts';
import type { QuickbooksApi } from './api.ts';
import { readPreferences, readCompany } from './company.ts';
import type { JsonRecord } from './errors.ts';
import { folded } from './find.ts';
import {
  activeAndNot,
  listSources,
  readAccount,
  readClass,
  readCustomer,
  readItem,
  readLocation,
  readTerm,
  readVendor,
  toTaxCodes,
} from './lists.ts';
import { idLists, like, quote, select } from './query.ts';
import type { Unreadable } from './unreadable.ts';

interface Sources {
  readonly api: QuickbooksApi;
  readonly logger: Logger;
}

/** Maximum rows for a type-ahead. */
const maxFound = 100;

/** Returns the rows of a list. A customer or vendor that QuickBooks cannot read is logged. */
export const readList = ({ api, logger }: Sources, entity: string, where: readonly string[] = []) =>
  select(api, entity, {
    operation: `read ${entity}`,
    where,
    ...((entity === 'Customer' || entity === 'Vendor') && {
      onUnreadable: (record: Unreadable) => logger.warn({ ...record }, 'QuickBooks cannot read a record'),
    }),
  });

/** Returns all accounts. */
export const readAccounts = async (sources: Sources) =>
  (await readList(sources, 'Account', [activeAndNot])).map(readAccount);

/** Returns all classes. */
export const readClasses = async (sources: Sources) =>
  (await readList(sources, 'Class', [activeAndNot])).map(readClass);

/** Returns all locations. */
export const readLocations = async (sources: Sources) =>
  (await readList(sources, 'Department', [activeAndNot])).map(readLocation);

/** Returns every list that documents refer to. */
export async function readReferenceData(sources: Sources): Promise<AccountingLists> {
  const preferencesRead = readPreferences(sources.api);
  // A QuickBooks plan without locations may not support the list.
  const locationsRead = preferencesRead.then((read) => (read.tracksLocations === true ? readLocations(sources) : []));
  const [preferences, locations, company, accounts, classes, terms, taxCodes, customers, vendors, items] =
    await inParallel([
      preferencesRead,
      locationsRead,
      readCompany(sources.api),
      readAccounts(sources),
      readClasses(sources),
      readList(sources, 'Term'),
      readTaxCodes(sources),
      readList(sources, 'Customer', [activeAndNot]),
      readList(sources, 'Vendor', [activeAndNot]),
      readList(sources, 'Item', [activeAndNot]),
    ]);
  return {
    preferences,
    company,
    accounts,
    classes,
    locations,
    terms: terms.map(readTerm),
    taxCodes,
    customers: customers.map(readCustomer),
    vendors: vendors.map(readVendor),
    items: items.map(readItem),
  };
}

/** Returns the named records of lists, and which of them are gone. */
export async function readListRecords(sources: Sources, named: readonly AccountingChange[]): Promise<ListChanges> {
  const read = await inParallel(
    listSources.map(async (source) => {
      const wanted = named.flatMap(({ record, id }) => (record === source.record ? [id] : []));
      const rows = await inParallel(
        idLists(wanted).map((where) => readList(sources, source.entity, [where, ...source.withInactive])),
      );
      const found = rows.flat().map((row) => source.toRow(row));
      const known = new Set(found.map(({ row }) => row.id));
      const gone = wanted.filter((id) => !known.has(id));
      return { found, gone: gone.map((id) => ({ list: source.record, id, changedAt: null })) };
    }),
  );
  return { found: read.flatMap(({ found }) => found), gone: read.flatMap(({ gone }) => gone) };
}

/** Returns the records of lists that changed. */
export async function readListsSince(
  sources: Sources,
  since: Instant,
  lists: readonly ListRecord[],
): Promise<ListChanges> {
  const changedSince = `MetaData.LastUpdatedTime >= '${since}'`;
  const changed = listSources.filter(({ record }) => lists.includes(record));
  const read = await inParallel(
    changed.map(async ({ entity, withInactive, toRow }) =>
      (await readList(sources, entity, [changedSince, ...withInactive])).map((row) => toRow(row)),
    ),
  );
  return { found: read.flat(), gone: [] };
}

/** Returns the tax codes with their rates. */
export async function readTaxCodes(sources: Sources): Promise<AccountingLists['taxCodes']> {
  const [codes, rates] = await inParallel([readList(sources, 'TaxCode'), readList(sources, 'TaxRate')]);
  return toTaxCodes(codes, rates);
}

/**
 * Returns rows whose field contains a text. The query language compares loosely, so the rows are compared again here.
 */
export async function searchList(
  api: QuickbooksApi,
  entity: string,
  field: string,
  contains: string,
  conditions: readonly string[] = [],
): Promise<JsonRecord[]> {
  const operation = `search ${entity}`;
  const where = [...conditions, ...(contains === '' ? [] : [`${field} LIKE ${like(contains, 'anywhere')}`])];
  const rows = await select(api, entity, { operation, where, limit: maxFound, orderBy: field });
  return rows.filter((row) => folded(row[field]).includes(folded(contains)));
}

/** Returns items usable on a line by full name, which contains the name, and by SKU; the query language has no "or". */
export async function searchItems(api: QuickbooksApi, contains: string): Promise<JsonRecord[]> {
  const fields = contains === '' ? ['FullyQualifiedName'] : ['FullyQualifiedName', 'Sku'];
  // Excludes categories and bundles, which would displace selectable items.
  const usable = [`Type IN (${[...lineItemTypes].map(quote).join(', ')})`];
  const found = (await inParallel(fields.map((field) => searchList(api, 'Item', field, contains, usable)))).flat();
  return [...new Map(found.map((row) => [row['Id'], row])).values()].slice(0, maxFound);
}
