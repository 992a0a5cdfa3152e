import type { Posted } from '#core/attempt.ts';
import { isSameOrigin } from '#core/documents/origin.ts';
import type { Command, Reference, SalesDocument } from '#core/planning/plan.ts';
import type { Accounting, SameOrigin, Wanted } from '#core/ports/accounting.ts';
import { compareFingerprints, fingerprintOf } from '#core/reconciliation/fingerprint.ts';
import { never } from '#core/values/assert.ts';
import type { Instant } from '#core/values/dates.ts';
import type { JsonObject } from '#core/values/json.ts';
import { chunked } from '#core/in-parallel.ts';
import { shownNumber } from '../exact-json.ts';
import type { QuickbooksApi } from './api.ts';
import { bodyFingerprint, toAccountingDocument } from './documents.ts';
import { isRecord, type JsonRecord } from './errors.ts';
import { equalText, quote, select, valuesPerQuery } from './query.ts';
import { entityOf, hasNote, referredId, toBody, toPosted } from './translate.ts';
import { qboRecord, readShape, type QboRecord } from './wire.ts';

/** Search for the record that a command would have created. */
interface Search {
  readonly entity: string;
  /** Field to search by; the values of several searches are combined into one list. */
  readonly field: 'DocNumber' | 'DisplayName' | 'Name' | 'TxnDate';
  readonly value: string;
  /** Returns true if a found row is the record. */
  readonly isIt: (wire: QboRecord, row: JsonRecord) => boolean;
}

/**
 * Searches for the records that commands would have created, with few queries: one per entity and kind of search.
 *
 * @param read reads one document, including whether it is voided.
 * @returns the records found, in the order given. A void is found if its document is voided, a change if its document
 *   matches the change.
 * @throws ServiceError if QuickBooks cannot be reached.
 */
export async function findRecords(
  api: QuickbooksApi,
  wanted: readonly Wanted[],
  read: Accounting['read'],
): Promise<readonly (Posted | null)[]> {
  const found = new Map<Wanted, Posted>();
  const searches: SearchOf<Wanted>[] = [];
  for (const one of wanted) {
    if (one.command.do === 'update') {
      const existing = await read(entityOf(one.command), one.command.id);
      if (existing === null || existing.isVoided || !isChangedTo(one, existing)) continue;
      const { isVoided: _, ...record } = existing;
      found.set(one, record);
    } else if (one.command.do === 'void') {
      const existing = await read(one.command.type, one.command.id);
      if (existing?.isVoided !== true) continue;
      const { isVoided: _, ...record } = existing;
      found.set(one, record);
    } else {
      const search = searchFor(one.command, one.answers);
      if (search !== null) searches.push({ of: one, search });
    }
  }
  for (const [of, record] of await searchAll(api, searches)) found.set(of, record);
  return wanted.map((one) => found.get(one) ?? null);
}

/**
 * Searches for documents whose private note names the source of a command, with few queries.
 *
 * @returns the documents in QuickBooks, in the order given; null if there is none, and for commands without a document.
 * @throws ServiceError if QuickBooks cannot be reached.
 */
export async function findByOrigin(
  api: QuickbooksApi,
  wanted: readonly SameOrigin[],
): Promise<readonly (Posted | null)[]> {
  const searches = wanted.flatMap((of): SearchOf<SameOrigin>[] => {
    const document = documentOf(of.command);
    if (document === null) return [];
    const isIt = (wire: QboRecord, row: JsonRecord) =>
      isSameOrigin(wire.PrivateNote ?? null, document.privateNote) &&
      (of.madeSince === null || (!of.madeSince.except.includes(wire.Id) && wasMadeSince(row, of.madeSince.from)));
    const common = { entity: entityOf(of.command), isIt };
    if (document.number !== null) return [{ of, search: { ...common, field: 'DocNumber', value: document.number } }];
    const days = new Set([document.datedOn, of.sourceDatedOn ?? document.datedOn]);
    return [...days].map((value) => ({ of, search: { ...common, field: 'TxnDate', value } }));
  });
  const found = await searchAll(api, searches);
  return wanted.map((one) => found.get(one) ?? null);
}

/** Returns true if a document was created at or after a time; false if its creation time is missing. */
function wasMadeSince({ MetaData: metaData }: JsonRecord, from: Instant): boolean {
  const made = isRecord(metaData) ? metaData['CreateTime'] : undefined;
  return typeof made === 'string' && Date.parse(made) >= Date.parse(from);
}

/** Returns the document that a command creates; null if it creates another record. */
function documentOf(command: Command): Pick<SalesDocument, 'number' | 'datedOn' | 'privateNote'> | null {
  switch (command.do) {
    case 'create_invoice':
    case 'create_credit_memo':
      return command.document;
    case 'create_purchase_order':
      return command.order;
    case 'create_bill':
      return command.bill;
    case 'create_customer':
    case 'create_vendor':
    case 'create_item':
    case 'create_payment':
    case 'void':
    case 'update':
      return null;
    default:
      return never(command);
  }
}

/** Returns true if a document was changed since, and matches the change of a command. */
function isChangedTo({ command, answers }: Wanted, { syncToken, document }: Posted): boolean {
  if (command.do !== 'update' || syncToken === command.syncToken) return false;
  const entity = entityOf(command);
  const wanted = bodyFingerprint(entity, toBody(command, answers, shownNumber));
  return (
    wanted !== null && compareFingerprints(wanted, fingerprintOf(toAccountingDocument(entity, document))).length === 0
  );
}

/** A search, and the item it is for. */
interface SearchOf<Of> {
  readonly of: Of;
  readonly search: Search;
}

/** Returns the first matching record of each search. */
async function searchAll<Of>(api: QuickbooksApi, searches: readonly SearchOf<Of>[]): Promise<ReadonlyMap<Of, Posted>> {
  const found = new Map<Of, Posted>();
  for (const alike of Map.groupBy(searches, ({ search }) => `${search.entity} ${search.field}`).values()) {
    const rows = await rowsOf(
      api,
      alike.map(({ search }) => search),
    );
    for (const row of rows) {
      // Each row is parsed once: hundreds of searches check a thousand rows of one day.
      const wire = readShape(`find ${alike[0]?.search.entity ?? 'record'}`, qboRecord, row);
      for (const { of, search } of alike)
        // A row parsed from JSON is JSON.
        if (!found.has(of) && search.isIt(wire, row)) found.set(of, toPosted(search.entity, wire, row as JsonObject));
    }
  }
  return found;
}

/** Returns candidate rows for searches of one entity and one field. */
async function rowsOf(api: QuickbooksApi, searches: readonly Search[]): Promise<JsonRecord[]> {
  const [first, ...others] = searches;
  if (first === undefined) return [];
  const { entity, field } = first;
  const operation = `find ${entity}`;
  const alone = ({ value }: Search) => [field === 'TxnDate' ? `TxnDate = '${value}'` : equalText(field, value)];
  if (others.length === 0) return select(api, entity, { operation, where: alone(first) });
  const rows: JsonRecord[] = [];
  const quoted = new Set<string>();
  for (const search of searches) {
    const value = quote(search.value);
    // A value that cannot be quoted is searched by a pattern.
    if (value === null) rows.push(...(await select(api, entity, { operation, where: alone(search) })));
    else quoted.add(value);
  }
  for (const values of chunked([...quoted], valuesPerQuery)) {
    const where = [`${field} IN (${values.join(', ')})`];
    rows.push(...(await select(api, entity, { operation, where })));
  }
  return rows;
}

/** Returns the search for a command's record; null if the command cannot have been sent. */
function searchFor(command: Exclude<Command, { do: 'void' | 'update' }>, answers: readonly Posted[]): Search | null {
  const entity = entityOf(command);
  const named = (name: string): Search => ({
    entity,
    field: 'DisplayName',
    value: name,
    isIt: (wire) => folded(wire.DisplayName) === folded(name),
  });
  switch (command.do) {
    case 'create_customer':
      return named(command.customer.displayName);
    case 'create_vendor':
      return named(command.vendor.displayName);
    case 'create_item': {
      const { name } = command.item;
      // A sub-item may have the same name under its parent.
      const isIt = (_wire: QboRecord, row: JsonRecord) => folded(row.FullyQualifiedName ?? row.Name) === folded(name);
      return { entity, field: 'Name', value: name, isIt };
    }
    case 'create_purchase_order':
      return searchForDocument(entity, command.order, command.order.vendor, answers);
    case 'create_bill':
      return searchForDocument(entity, command.bill, command.bill.vendor, answers);
    case 'create_payment': {
      const { customerId, paidOn, privateNote } = command.payment;
      return searchForDocument(entity, { number: null, datedOn: paidOn, privateNote }, { id: customerId }, answers);
    }
    case 'create_invoice':
    case 'create_credit_memo':
      return searchForDocument(entity, command.document, command.document.customer, answers);
    default:
      return never(command);
  }
}

/** Finds a document by its note, among those with its number or its date. Vendors of orders cannot be filtered [Q61]. */
function searchForDocument(
  entity: string,
  { number, datedOn, privateNote }: Pick<SalesDocument, 'number' | 'datedOn' | 'privateNote'>,
  party: Reference,
  answers: readonly Posted[],
): Search | null {
  const isIt = (wire: QboRecord) => hasNote(wire, privateNote);
  if (number !== null) return { entity, field: 'DocNumber', value: number, isIt };
  // If the customer or vendor was never created, the document was never sent.
  return referredId(party, answers) === undefined ? null : { entity, field: 'TxnDate', value: datedOn, isIt };
}

/** Normalizes names as QuickBooks compares them: ignoring case and outer spaces. */
export const folded = (value: unknown): string => (typeof value === 'string' ? value.trim().toLowerCase() : '');
