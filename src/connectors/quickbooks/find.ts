import type { Posted } from '#core/attempt.ts';
import { isSameOrigin } from '#core/documents/origin.ts';
import type { Command, Reference, SalesDocument } from '#core/planning/plan.ts';
import type { Accounting, SameOrigin, Wanted } from '#core/ports/accounting.ts';
import { compareFingerprints, fingerprintOf } from '#core/reconciliation/fingerprint.ts';
import { isUnreadableRecord, ServiceError } from '#core/service-error.ts';
import { never } from '#core/values/assert.ts';
import type { Instant } from '#core/values/dates.ts';
import type { JsonObject } from '#core/values/json.ts';
import { chunked } from '#core/in-parallel.ts';
import { shownNumber } from '../exact-json.ts';
import type { RateLimits } from '../rate-limiter.ts';
import type { QuickbooksApi } from './api.ts';
import { isApplied } from './applied-payment.ts';
import { bodyFingerprint, toAccountingDocument } from './documents.ts';
import { isRecord, type JsonRecord } from './errors.ts';
import {
  equalText,
  idLists,
  isPartial,
  quote,
  select,
  type Unreadable,
  unreadableIds,
  unreadableRecord,
  valuesPerQuery,
} from './query.ts';
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

/** The record of a search; null if there is none; an error if it may be a record that QuickBooks cannot return. */
type Found = Posted | ServiceError | null;

/**
 * Searches for the records that commands would have created, with few queries: one per entity and kind of search.
 *
 * @param read reads one document, including whether it is voided.
 * @returns the records found, in the order given. A void is found if its document is voided, a change if its document
 *   matches the change.
 * @throws ServiceError if QuickBooks cannot be reached.
 */
export async function findRecords(
  sources: FindSources,
  wanted: readonly Wanted[],
  read: Accounting['read'],
  onUnreadable?: (record: Unreadable) => void,
): Promise<readonly Found[]> {
  const found = new Map<Wanted, Exclude<Found, null>>();
  const searches: SearchOf<Wanted>[] = [];
  for (const one of wanted) {
    if (one.command.do === 'update') {
      const existing = await readOrError(read, entityOf(one.command), one.command.id);
      if (existing instanceof ServiceError) found.set(one, existing);
      if (existing === null || existing instanceof ServiceError) continue;
      if (existing.isVoided || !isChangedTo(one, existing)) continue;
      const { isVoided: _, ...record } = existing;
      found.set(one, record);
    } else if (one.command.do === 'apply_payment') {
      const { applied } = one.command;
      const existing = await readOrError(read, 'Payment', applied.id);
      if (existing instanceof ServiceError) found.set(one, existing);
      if (existing === null || existing instanceof ServiceError) continue;
      if (existing.isVoided || !isApplied(existing.document, applied)) continue;
      const { isVoided: _, ...record } = existing;
      found.set(one, record);
    } else if (one.command.do === 'void') {
      const existing = await readOrError(read, one.command.type, one.command.id);
      if (existing instanceof ServiceError) found.set(one, existing);
      if (existing === null || existing instanceof ServiceError || !existing.isVoided) continue;
      const { isVoided: _, ...record } = existing;
      found.set(one, record);
    } else {
      const search = searchFor(one.command, one.answers);
      if (search !== null) searches.push({ of: one, search });
    }
  }
  for (const [of, record] of await searchAll(sources, searches, onUnreadable)) found.set(of, record);
  return wanted.map((one) => found.get(one) ?? null);
}

/**
 * Searches for the record that one command would have created.
 *
 * @throws ServiceError `QBO_UNREADABLE` if it may be a record that QuickBooks cannot return.
 */
export async function findRecord(
  sources: FindSources,
  read: Accounting['read'],
  ...[command, answers, sentAt]: Parameters<Accounting['find']>
): Promise<Posted | null> {
  const [found = null] = await findRecords(sources, [{ command, answers, sentAt }], read);
  if (found instanceof ServiceError) throw found;
  return found;
}

/**
 * Searches for documents whose private note names the source of a command, with few queries.
 *
 * @returns the documents in QuickBooks, in the order given; null if there is none, and for commands without a document.
 * @throws ServiceError if QuickBooks cannot be reached.
 */
export async function findByOrigin(
  sources: FindSources,
  wanted: readonly SameOrigin[],
  onUnreadable?: (record: Unreadable) => void,
): Promise<readonly Found[]> {
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
  const found = await searchAll(sources, searches, onUnreadable);
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
    case 'apply_payment':
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

interface FindSources {
  readonly api: QuickbooksApi;
  readonly rateLimits: RateLimits;
  readonly realmId: string;
  readonly now: () => Instant;
}

/** A search, and the item it is for. */
interface SearchOf<Of> {
  readonly of: Of;
  readonly search: Search;
}

/** Returns the document; the error if QuickBooks cannot return it, because others must not fail with it. */
const readOrError = (read: Accounting['read'], type: string, id: string) =>
  read(type, id).catch((error: unknown) => {
    if (isUnreadableRecord(error)) return error;
    throw error;
  });

/**
 * Returns the first matching record of each search. One record that QuickBooks cannot return, or that has an unknown
 * shape, affects only the searches that may be for it.
 */
async function searchAll<Of>(
  sources: FindSources,
  searches: readonly SearchOf<Of>[],
  onUnreadable: (record: Unreadable) => void = () => undefined,
): Promise<ReadonlyMap<Of, Posted | ServiceError>> {
  const { api } = sources;
  const found = new Map<Of, Posted | ServiceError>();
  for (const alike of Map.groupBy(searches, ({ search }) => `${search.entity} ${search.field}`).values()) {
    const [first] = alike;
    if (first === undefined) continue;
    const { entity } = first.search;
    const operation = `find ${entity}`;
    const { rows, unknown } = await rowsOf(
      api,
      alike.map(({ search }) => search),
    );
    /** Rows that were read partly, with what they are for. */
    const partial: { readonly of: Of; readonly wire: QboRecord }[] = [];
    for (const row of rows) {
      // Each row is parsed once: hundreds of searches check a thousand rows of one day.
      const wire = parsed(operation, row);
      if (wire === null) {
        unknown.push(recordOf(entity, row));
        continue;
      }
      for (const { of, search } of alike) {
        if (found.has(of) || !search.isIt(wire, row)) continue;
        if (isPartial(row)) partial.push({ of, wire });
        // A row parsed from JSON is JSON.
        else found.set(of, toPosted(entity, wire, row as JsonObject));
      }
    }
    for (const [of, record] of await readWhole(api, entity, partial)) if (!found.has(of)) found.set(of, record);
    for (const record of unknown) onUnreadable(record);
    await nameUnreadable(sources, entity, rows.filter(isPartial), onUnreadable);
    for (const { of, search } of alike) {
      const mayBe = found.has(of) ? undefined : unknown.find((one) => mayBeIt(search, one));
      if (mayBe !== undefined) found.set(of, unreadableRecord(operation, mayBe));
    }
  }
  return found;
}

/**
 * Names the records that made QuickBooks refuse a page, among its partly read rows. A record that was named recently is
 * not searched again, because that takes several queries.
 */
async function nameUnreadable(
  sources: FindSources,
  entity: string,
  rows: readonly JsonRecord[],
  onUnreadable: (record: Unreadable) => void,
): Promise<void> {
  const records = new Map(rows.map((row) => [textOf(row['Id']) ?? '', recordOf(entity, row)]));
  const references = [...records.keys()].map((id) => ({ type: entity, id }));
  const named: string[] = [];
  const { ids, options } = unreadableIds(sources, entity, references, sources.now(), ({ id }) => named.push(id));
  if (named.length === 0)
    for (const where of idLists(ids))
      await select(sources.api, entity, { operation: `find ${entity}`, where: [where], ...options });
  for (const id of named) onUnreadable(records.get(id) ?? { type: entity, id, number: null });
}

/** Returns whether an unreadable record may be the one that is searched: it has the same number or name, or none. */
const mayBeIt = ({ field, value }: Search, { number }: Unreadable): boolean =>
  field === 'TxnDate' || number === null || folded(number) === folded(value);

/** Reads the whole records of rows that were read partly; an error for those that QuickBooks cannot return. */
async function readWhole<Of>(
  api: QuickbooksApi,
  entity: string,
  partial: readonly { readonly of: Of; readonly wire: QboRecord }[],
): Promise<ReadonlyMap<Of, Posted | ServiceError>> {
  const operation = `find ${entity}`;
  const whole = new Map<string, Posted>();
  const onUnreadable = () => undefined;
  for (const where of idLists(partial.map(({ wire }) => wire.Id)))
    for (const row of await select(api, entity, { operation, where: [where], onUnreadable })) {
      const wire = parsed(operation, row);
      if (wire !== null) whole.set(wire.Id, toPosted(entity, wire, row as JsonObject));
    }
  return new Map(
    partial.map(({ of, wire }) => {
      const record = { type: entity, id: wire.Id, number: wire.DocNumber ?? wire.DisplayName ?? wire.Name };
      return [of, whole.get(wire.Id) ?? unreadableRecord(operation, record)];
    }),
  );
}

/** Returns the record; null if its shape is unknown. */
function parsed(operation: string, row: JsonRecord): QboRecord | null {
  try {
    return readShape(operation, qboRecord, row);
  } catch (error) {
    if (error instanceof ServiceError) return null;
    throw error;
  }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

const recordOf = (type: string, row: JsonRecord): Unreadable => ({
  type,
  id: textOf(row['Id']),
  number: textOf(row['DocNumber']) ?? textOf(row['DisplayName']) ?? textOf(row['Name']),
});

/** Members that identify the source of a document, or the record of a name. Email addresses may be unreadable. */
const documentMembers = 'Id, SyncToken, DocNumber, TotalAmt, PrivateNote, MetaData.CreateTime';
const partyMembers = 'Id, SyncToken, DisplayName';
const searchedMembers: Readonly<Record<string, string>> = {
  Customer: partyMembers,
  Vendor: partyMembers,
  Item: 'Id, SyncToken, Name, FullyQualifiedName',
  Payment: 'Id, SyncToken, TotalAmt, PrivateNote, MetaData.CreateTime',
};

/** Returns candidate rows for searches of one entity and one field, and records that QuickBooks cannot return. */
async function rowsOf(
  api: QuickbooksApi,
  searches: readonly Search[],
): Promise<{ readonly rows: readonly JsonRecord[]; readonly unknown: Unreadable[] }> {
  const rows: JsonRecord[] = [];
  const unknown: Unreadable[] = [];
  const [first, ...others] = searches;
  if (first === undefined) return { rows, unknown };
  const { entity, field } = first;
  const members = searchedMembers[entity] ?? documentMembers;
  const operation = `find ${entity}`;
  const search = async (where: readonly string[]) => {
    const onUnreadable = (record: Unreadable) => unknown.push(record);
    rows.push(...(await select(api, entity, { operation, where, members, onUnreadable, isDecisive: true })));
  };
  const alone = ({ value }: Search) => [field === 'TxnDate' ? `TxnDate = '${value}'` : equalText(field, value)];
  if (others.length === 0) {
    await search(alone(first));
    return { rows, unknown };
  }
  const quoted = new Set<string>();
  for (const one of searches) {
    const value = quote(one.value);
    // A value that cannot be quoted is searched by a pattern.
    if (value === null) await search(alone(one));
    else quoted.add(value);
  }
  for (const values of chunked([...quoted], valuesPerQuery)) await search([`${field} IN (${values.join(', ')})`]);
  return { rows, unknown };
}

/** Returns the search for a command's record; null if the command cannot have been sent. */
function searchFor(
  command: Exclude<Command, { do: 'void' | 'update' | 'apply_payment' }>,
  answers: readonly Posted[],
): Search | null {
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
