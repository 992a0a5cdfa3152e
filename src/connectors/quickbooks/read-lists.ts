import type { Posted } from '#core/attempt.ts';
import type { AccountingChange, ListChanges, ListRecord } from '#core/documents/accounting-change.ts';
import type { AccountingLists } from '#core/documents/reference-data.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { Command } from '#core/planning/plan.ts';
import type { Accounting } from '#core/ports/accounting.ts';
import type { Logger } from '#core/ports/logger.ts';
import { isPlanLimit, ServiceError } from '#core/service-error.ts';
import type { Instant } from '#core/values/dates.ts';
import type { JsonObject } from '#core/values/json.ts';
import { sentNumber } from '../exact-json.ts';
import type { QuickbooksApi } from './api.ts';
import { postBatch } from './batch.ts';
import { isRecord, type JsonRecord, readOnlyCompany, withPlan, wrongShape } from './errors.ts';
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
import { idLists, isUnreadable, select, type Unreadable, unreadableRecord } from './query.ts';
import {
  entityOf,
  isVoided,
  planName,
  readOnlyStatus,
  toBody,
  toCompanyInfo,
  toPosted,
  toPreferences,
  verbOf,
} from './translate.ts';
import { qboCompanyInfo, qboPreferences, qboRecord, readShape } from './wire.ts';

async function readSingle(
  api: QuickbooksApi,
  entity: 'Preferences' | 'CompanyInfo',
  path: string,
): Promise<JsonRecord> {
  const operation = `read ${entity}`;
  const object = (await api.read({ operation, path }))[entity];
  if (!isRecord(object)) throw wrongShape(operation, `QuickBooks returned no ${entity}.`);
  return object;
}
/** Returns the preferences as QuickBooks sends them. */
export const rawPreferences = (api: QuickbooksApi) => readSingle(api, 'Preferences', 'preferences');

/** Returns the company as QuickBooks sends it. */
export const rawCompanyInfo = (api: QuickbooksApi) => readSingle(api, 'CompanyInfo', 'companyinfo/{realm}');

/** Returns the preferences that decide what can be posted. */
export const readPreferences = async (api: QuickbooksApi) =>
  toPreferences(readShape('read Preferences', qboPreferences, await rawPreferences(api)));

const companyInfo = async (api: QuickbooksApi) =>
  readShape('read CompanyInfo', qboCompanyInfo, await rawCompanyInfo(api));

/** Returns the company. */
export const readCompany = async (api: QuickbooksApi) => toCompanyInfo(await companyInfo(api));

/** Returns the name of the QuickBooks plan; null if it cannot be read. */
const readPlanName = (api: QuickbooksApi) => companyInfo(api).then(planName, () => null);

/** Returns the name of the company. @throws ServiceError if the company is read-only. */
export async function identify(api: QuickbooksApi): Promise<string> {
  const company = await companyInfo(api);
  const status = readOnlyStatus(company);
  if (status !== null) throw readOnlyCompany('identify the company', status);
  return toCompanyInfo(company).name;
}

/** Adds the name of the plan to a refusal that depends on it. */
async function namingPlan(api: QuickbooksApi, error: unknown): Promise<unknown> {
  if (!(error instanceof ServiceError) || !isPlanLimit(error.about)) return error;
  const plan = await readPlanName(api);
  return plan === null ? error : withPlan(error, plan);
}

/** Posts one command. */
export async function post(
  api: QuickbooksApi,
  command: Command,
  answers: readonly Posted[],
  requestId: string,
): Promise<Posted> {
  try {
    return await postAlone(api, command, answers, requestId);
  } catch (error) {
    throw await namingPlan(api, error);
  }
}

/** Posts commands in one call; a refusal that depends on the plan names it. */
export async function postAll(api: QuickbooksApi, ...of: Parameters<Accounting['postBatch']>) {
  const outcomes = await postBatch(api, ...of);
  const limit = outcomes.find((one) => one instanceof ServiceError && isPlanLimit(one.about));
  const named = limit === undefined ? undefined : await namingPlan(api, limit);
  return outcomes.map((one) =>
    named instanceof ServiceError && one instanceof ServiceError && isPlanLimit(one.about) ? named : one,
  );
}

async function postAlone(
  api: QuickbooksApi,
  command: Command,
  answers: readonly Posted[],
  requestId: string,
): Promise<Posted> {
  const entity = entityOf(command);
  const operation = `${verbOf(command)} ${entity}`;
  const body = JSON.stringify(toBody(command, answers, sentNumber));
  const how = command.do === 'void' ? { action: 'void' as const } : {};
  const answer = await api.write({ operation, path: entity.toLowerCase(), body, requestId, ...how });
  const row = answer[entity];
  if (!isRecord(row)) throw wrongShape(operation, `QuickBooks returned no ${entity}.`);
  return toPosted(entity, readShape(operation, qboRecord, row), toJson(row));
}

/** Returns whether QuickBooks mailed the invoice; null if it does not exist or is voided. */
export async function readMailed(api: QuickbooksApi, id: string): Promise<boolean | null> {
  const found = await readRecord(api, 'Invoice', id);
  if (found === null || found.isVoided) return null;
  return found.document['EmailStatus'] === 'EmailSent';
}

/** Lets QuickBooks mail an invoice. */
export async function mailInvoice(api: QuickbooksApi, id: string, address: string, requestId: string): Promise<void> {
  const path = `invoice/${encodeURIComponent(id)}/send`;
  await api.write({ operation: 'mail Invoice', path, query: { sendTo: address }, requestId });
}

/**
 * Returns a record; null if it was deleted or never existed.
 *
 * @throws ServiceError `QBO_UNREADABLE` if QuickBooks has it and cannot return it.
 */
export async function readRecord(api: QuickbooksApi, type: string, id: string) {
  const operation = `read ${type}`;
  // Both come from our ledger, but they become part of a URL.
  if (!/^[A-Za-z]+$/.test(type) || !/^\d+$/.test(id)) throw new RangeError(`No record of QuickBooks: ${type} ${id}`);
  try {
    const row = (await api.read({ operation, path: `${type.toLowerCase()}/${id}` }))[type];
    if (!isRecord(row)) throw wrongShape(operation, `QuickBooks returned no ${type}.`);
    const wire = readShape(operation, qboRecord, row);
    return { ...toPosted(type, wire, toJson(row)), isVoided: isVoided(wire) };
  } catch (error) {
    // Deleted, or it never existed (quickbooks reference 4.2).
    if (error instanceof ServiceError && error.about.vendorCode === '610') return null;
    throw isUnreadable(error) ? unreadableRecord(operation, { type, id, number: null }) : error;
  }
}

// A row parsed from JSON is JSON.
const toJson = (row: JsonRecord): JsonObject => row as JsonObject;

interface Sources {
  readonly api: QuickbooksApi;
  readonly logger: Logger;
  /** Receives records that QuickBooks cannot return as a whole. */
  readonly onUnreadable?: ((record: Unreadable) => void) | undefined;
}

/** Returns the rows of a list. A record that QuickBooks cannot read as a whole is logged. */
export const readList = ({ api, logger, onUnreadable }: Sources, entity: string, where: readonly string[] = []) =>
  select(api, entity, {
    operation: `read ${entity}`,
    where,
    onUnreadable(record) {
      logger.warn({ ...record }, 'QuickBooks cannot read a record');
      onUnreadable?.(record);
    },
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
export async function readListRecords(of: Sources, named: readonly AccountingChange[]): Promise<ListChanges> {
  const unreadable: Unreadable[] = [];
  const sources = { ...of, onUnreadable: (record: Unreadable) => unreadable.push(record) };
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
  return { found: read.flatMap(({ found }) => found), gone: read.flatMap(({ gone }) => gone), unreadable };
}

/** Returns the records of lists that changed. */
export async function readListsSince(of: Sources, since: Instant, lists: readonly ListRecord[]): Promise<ListChanges> {
  const unreadable: Unreadable[] = [];
  const sources = { ...of, onUnreadable: (record: Unreadable) => unreadable.push(record) };
  const changedSince = `MetaData.LastUpdatedTime >= '${since}'`;
  const changed = listSources.filter(({ record }) => lists.includes(record));
  const read = await inParallel(
    changed.map(async ({ entity, withInactive, toRow }) =>
      (await readList(sources, entity, [changedSince, ...withInactive])).map((row) => toRow(row)),
    ),
  );
  return { found: read.flat(), gone: [], unreadable };
}

/** Returns the tax codes with their rates. */
export async function readTaxCodes(sources: Sources): Promise<AccountingLists['taxCodes']> {
  const [codes, rates] = await inParallel([readList(sources, 'TaxCode'), readList(sources, 'TaxRate')]);
  return toTaxCodes(codes, rates);
}
