import type { Posted } from '#core/attempt.ts';
import type { AccountingChange, ListRecord } from '#core/documents/accounting-change.ts';
import type { ListChanges } from '#core/documents/list-changes.ts';
import type { AccountingLists } from '#core/documents/reference-data.ts';
import type { AppliedPayment, SalesReference, SalesState } from '#core/documents/sales-state.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { Command } from '#core/planning/plan.ts';
import { lineItemTypes } from '#core/planning/reference-index.ts';
import type { Accounting, CdcReading, NumberedDocument, Wanted } from '#core/ports/accounting.ts';
import type { ReadMeter } from '#core/ports/metered-reads.ts';
import type { RateLimits } from '../rate-limiter.ts';
import type { Clock } from '#core/ports/clock.ts';
import type { Logger } from '#core/ports/logger.ts';
import { isPlanLimit, ServiceError } from '#core/service-error.ts';
import { calendarDate, type CalendarDate, type Instant } from '#core/values/dates.ts';
import { isZero, zero } from '#core/values/decimal.ts';
import type { JsonObject } from '#core/values/json.ts';
import { chunked } from '#core/values/chunked.ts';
import { sentNumber, shownNumber } from '../exact-json.ts';
import type { CallRecord } from '../http-client.ts';
import { quickbooksDescriptor } from './descriptor.ts';
import { quickbooksApi } from './api.ts';
import type { Tokens } from './calls/tokens.ts';
import { maxItems, postBatch } from './batch.ts';
import { paidInvoices, readChanges } from './feed.ts';
import { unreadableIds, type Unreadable } from './unreadable.ts';
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
import { isRecord, readOnlyCompany, withPlan, wrongShape, type JsonRecord } from './errors.ts';
import { readExchangeRate } from './exchange-rate.ts';
import { findByOrigin, findRecords, folded } from './find.ts';
import { bodyFingerprint, listChangedDocuments, listDocuments, readDocuments } from './documents.ts';
import { configuredUrl } from './oauth.ts';
import { readAccountLedger, readReport } from './reports.ts';
import { readTaxes } from './taxes.ts';
import { idLists, like, quote, select, valuesPerQuery } from './query.ts';
import {
  entityOf,
  isVoided,
  planName,
  readOnlyStatus,
  toBody,
  toCompanyInfo,
  toPosted,
  toPreferences,
  toSalesState,
  verbOf,
} from './translate.ts';
import { qboCompanyInfo, qboPreferences, qboDated, qboPayment, qboRecord, qboSales, readShape } from './wire.ts';

export interface QuickbooksOptions {
  /** E.g. `https://quickbooks.api.intuit.com`. */
  readonly apiUrl: string;
  /** `host:port` of services that may be called besides the vendor's: sandboxes, by explicit configuration only. */
  readonly allowedHosts: readonly string[];
  /** The company that the connector is bound to (quickbooks reference 1.2). */
  readonly realmId: string;
  /** The connection's tokens; their provider holds the lock under which they are refreshed and stored. */
  readonly tokens: Tokens;
  readonly rateLimits: RateLimits;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly onCall?: (call: CallRecord) => void;
  /** Aborted when the process stops. */
  readonly stopping?: AbortSignal | undefined;
  /** Returns whether writes are still allowed, checked right before the first byte is sent; default: true. */
  readonly mayWrite?: (() => boolean) | undefined;
  /** Deadline of a read; default 30 s. */
  readonly readTimeoutMs?: number;
  /**
   * Deadline of a write; default 60 s. If a call ends later, its record is searched for; the call is not sent again.
   */
  readonly writeTimeoutMs?: number;
  /** Counts the read calls. */
  readonly meter?: ReadMeter | undefined;
  /** Reads are tried even if they were blocked recently. */
  readonly endsPause?: boolean | undefined;
  /** Waits for a pause; replaced in tests. */
  readonly sleep?: (ms: number) => Promise<unknown>;
}

/** Maximum rows for a type-ahead. */
const maxFound = 100;
/** Document types that share a numbering. */
const sharedNumbering = { sales: ['Invoice', 'CreditMemo'], purchase_orders: ['PurchaseOrder'] } as const;

/**
 * Creates QuickBooks Online's implementation of the {@link Accounting} port, bound to one company.
 *
 * @throws Error if the API's address is not allowed, which is a configuration error.
 */
export function quickbooksAccounting(options: QuickbooksOptions): Accounting {
  const { clock, realmId, tokens } = options;
  const api = quickbooksApi({
    apiUrl: configuredUrl(options.apiUrl, options.allowedHosts),
    realmId,
    tokens,
    rateLimits: options.rateLimits,
    egress: {
      allowedHosts: options.allowedHosts,
      logger: options.logger,
      now: () => clock.now(),
      mayWrite: options.mayWrite,
      onCall: options.onCall,
      stopping: options.stopping,
    },
    readTimeoutMs: options.readTimeoutMs ?? 30_000,
    writeTimeoutMs: options.writeTimeoutMs ?? 60_000,
    meter: options.meter,
    endsPause: options.endsPause,
    sleep: options.sleep,
  });

  const list = (entity: string, where: readonly string[] = []) =>
    select(api, entity, {
      operation: `read ${entity}`,
      where,
      ...((entity === 'Customer' || entity === 'Vendor') && {
        onUnreadable: (record: Unreadable) => options.logger.warn({ ...record }, 'QuickBooks cannot read a record'),
      }),
    });

  async function readSingle(entity: 'Preferences' | 'CompanyInfo', path: string): Promise<JsonRecord> {
    const operation = `read ${entity}`;
    const object = (await api.read({ operation, path }))[entity];
    if (!isRecord(object)) throw wrongShape(operation, `QuickBooks returned no ${entity}.`);
    return object;
  }
  const rawPreferences = () => readSingle('Preferences', 'preferences');
  const rawCompanyInfo = () => readSingle('CompanyInfo', 'companyinfo/{realm}');
  const readPreferences = async () =>
    toPreferences(readShape('read Preferences', qboPreferences, await rawPreferences()));
  const companyInfo = async () => readShape('read CompanyInfo', qboCompanyInfo, await rawCompanyInfo());
  const readCompany = async () => toCompanyInfo(await companyInfo());
  const readAccounts = async () => (await list('Account', [activeAndNot])).map(readAccount);
  const readClasses = async () => (await list('Class', [activeAndNot])).map(readClass);

  const readLocations = async () => (await list('Department', [activeAndNot])).map(readLocation);

  async function readReferenceData(): Promise<AccountingLists> {
    const preferencesRead = readPreferences();
    // A QuickBooks plan without locations may not support the list.
    const locationsRead = preferencesRead.then((read) => (read.tracksLocations === true ? readLocations() : []));
    const [preferences, locations, company, accounts, classes, terms, taxCodes, customers, vendors, items] =
      await inParallel([
        preferencesRead,
        locationsRead,
        readCompany(),
        readAccounts(),
        readClasses(),
        list('Term'),
        readTaxCodes(),
        list('Customer', [activeAndNot]),
        list('Vendor', [activeAndNot]),
        list('Item', [activeAndNot]),
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

  /** Adds the name of the plan to a refusal that depends on it. */
  async function namingPlan(error: unknown): Promise<unknown> {
    if (!(error instanceof ServiceError) || !isPlanLimit(error.about)) return error;
    const plan = await companyInfo().then(planName, () => null);
    return plan === null ? error : withPlan(error, plan);
  }

  async function post(command: Command, answers: readonly Posted[], requestId: string): Promise<Posted> {
    try {
      return await postAlone(command, answers, requestId);
    } catch (error) {
      throw await namingPlan(error);
    }
  }

  async function postAll(...of: Parameters<Accounting['postBatch']>) {
    const outcomes = await postBatch(api, ...of);
    const limit = outcomes.find((one) => one instanceof ServiceError && isPlanLimit(one.about));
    const named = limit === undefined ? undefined : await namingPlan(limit);
    return outcomes.map((one) =>
      named instanceof ServiceError && one instanceof ServiceError && isPlanLimit(one.about) ? named : one,
    );
  }

  async function postAlone(command: Command, answers: readonly Posted[], requestId: string): Promise<Posted> {
    const entity = entityOf(command);
    const operation = `${verbOf(command)} ${entity}`;
    const body = JSON.stringify(toBody(command, answers, sentNumber));
    const how = command.do === 'void' ? { action: 'void' as const } : {};
    const answer = await api.write({ operation, path: entity.toLowerCase(), body, requestId, ...how });
    const row = answer[entity];
    if (!isRecord(row)) throw wrongShape(operation, `QuickBooks returned no ${entity}.`);
    return toPosted(entity, readShape(operation, qboRecord, row), toJson(row));
  }

  async function readMailed(id: string): Promise<boolean | null> {
    const found = await read('Invoice', id);
    if (found === null || found.isVoided) return null;
    return found.document['EmailStatus'] === 'EmailSent';
  }

  async function mailInvoice(id: string, address: string, requestId: string): Promise<void> {
    const path = `invoice/${encodeURIComponent(id)}/send`;
    await api.write({ operation: 'mail Invoice', path, query: { sendTo: address }, requestId });
  }

  const findAll = (wanted: readonly Wanted[]) => findRecords(api, wanted, read);

  async function read(type: string, id: string) {
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
      throw error;
    }
  }

  const around = (
    type: string,
    wanted: readonly SalesReference[],
    onUnreadable: ((record: SalesReference) => void) | undefined,
  ) => unreadableIds(options, type, wanted, clock.now(), onUnreadable);

  async function readSales(
    references: readonly SalesReference[],
    onUnreadable?: (record: SalesReference) => void,
  ): Promise<SalesState[]> {
    const found: SalesState[] = [];
    for (const [type, wanted] of Map.groupBy(references, (one) => one.type)) {
      const operation = `read ${type}`;
      const { ids, options: reading } = around(type, wanted, onUnreadable);
      for (const where of idLists(ids)) {
        for (const row of await select(api, type, { operation, where: [where], ...reading }))
          found.push(toSalesState(type, readShape(operation, qboSales, row), toJson(row)));
      }
    }
    return found;
  }

  async function listSales({ from, through }: { readonly from: CalendarDate; readonly through: CalendarDate }) {
    const found: SalesState[] = [];
    const where = [`TxnDate >= '${from}'`, `TxnDate <= '${through}'`];
    for (const type of sharedNumbering.sales) {
      const operation = `list ${type}`;
      for (const row of await select(api, type, { operation, where }))
        found.push(toSalesState(type, readShape(operation, qboSales, row), toJson(row)));
    }
    return found;
  }

  async function readListRecords(named: readonly AccountingChange[]): Promise<ListChanges> {
    const read = await inParallel(
      listSources.map(async (source) => {
        const wanted = named.flatMap(({ record, id }) => (record === source.record ? [id] : []));
        const rows = await inParallel(
          idLists(wanted).map((where) => list(source.entity, [where, ...source.withInactive])),
        );
        const found = rows.flat().map((row) => source.toRow(row));
        const known = new Set(found.map(({ row }) => row.id));
        const gone = wanted.filter((id) => !known.has(id));
        return { found, gone: gone.map((id) => ({ list: source.record, id, changedAt: null })) };
      }),
    );
    return { found: read.flatMap(({ found }) => found), gone: read.flatMap(({ gone }) => gone) };
  }

  async function readListsSince(since: Instant, lists: readonly ListRecord[]): Promise<ListChanges> {
    const changedSince = `MetaData.LastUpdatedTime >= '${since}'`;
    const sources = listSources.filter(({ record }) => lists.includes(record));
    const read = await inParallel(
      sources.map(async ({ entity, withInactive, toRow }) =>
        (await list(entity, [changedSince, ...withInactive])).map((row) => toRow(row)),
      ),
    );
    return { found: read.flat(), gone: [] };
  }

  async function readTaxCodes(): Promise<AccountingLists['taxCodes']> {
    const [codes, rates] = await inParallel([list('TaxCode'), list('TaxRate')]);
    return toTaxCodes(codes, rates);
  }

  const readCdc = (since: Instant): Promise<CdcReading> =>
    readChanges({ api, logger: options.logger, lists: listSources }, since, clock.now());

  async function listPaidInvoices(paymentIds: readonly string[]): Promise<Map<string, readonly string[]>> {
    const operation = 'read Payment';
    const found = new Map<string, readonly string[]>();
    for (const where of idLists(paymentIds))
      for (const row of await select(api, 'Payment', { operation, where: [where], onUnreadable: () => undefined })) {
        const payment = readShape(operation, qboPayment, row);
        found.set(payment.Id, paidInvoices(payment));
      }
    return found;
  }

  async function readDates(references: readonly SalesReference[], onUnreadable?: (record: SalesReference) => void) {
    const found: AppliedPayment[] = [];
    for (const [type, wanted] of Map.groupBy(references, (one) => one.type)) {
      const operation = `read ${type}`;
      const { ids, options: reading } = around(type, wanted, onUnreadable);
      for (const where of idLists(ids)) {
        for (const row of await select(api, type, { operation, where: [where], ...reading })) {
          const { Id, TxnDate, UnappliedAmt, TotalAmt } = readShape(operation, qboDated, row);
          const isCredit = type === 'CreditMemo' || (type === 'Payment' && isZero(TotalAmt ?? zero));
          found.push({ type, id: Id, datedOn: calendarDate(TxnDate), unapplied: UnappliedAmt ?? zero, isCredit });
        }
      }
    }
    return found;
  }

  async function findNumbered(
    numbers: readonly string[],
    among: keyof typeof sharedNumbering = 'sales',
  ): Promise<NumberedDocument[]> {
    const operation = 'find documents by number';
    const quoted = [...new Set(numbers)].flatMap((number) => quote(number) ?? []);
    const searches = chunked(quoted, valuesPerQuery).flatMap((values) =>
      sharedNumbering[among].map(async (type): Promise<NumberedDocument[]> => {
        const where = [`DocNumber IN (${values.join(', ')})`];
        // A number is taken even if QuickBooks cannot read its document.
        const unreadable: NumberedDocument[] = [];
        const onUnreadable = ({ id, number }: Unreadable) =>
          unreadable.push({ type, id: id ?? '', number: number ?? '', customerName: '', privateNote: null });
        const readable = (await select(api, type, { operation, where, onUnreadable })).map((row) => {
          const wire = readShape(operation, qboRecord, row);
          return {
            type,
            id: wire.Id,
            number: wire.DocNumber ?? '',
            customerName: (wire.CustomerRef ?? wire.VendorRef)?.name ?? '',
            privateNote: wire.PrivateNote,
          };
        });
        return [...readable, ...unreadable];
      }),
    );
    return (await inParallel(searches)).flat();
  }

  /**
   * Finds rows whose field contains a text. The query language compares loosely, so the rows are compared again here.
   */
  async function search(
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

  /** Finds items usable on a line by full name, which contains the name, and by SKU; the query language has no "or". */
  async function searchItemRows(contains: string): Promise<JsonRecord[]> {
    const fields = contains === '' ? ['FullyQualifiedName'] : ['FullyQualifiedName', 'Sku'];
    // Excludes categories and bundles, which would displace selectable items.
    const usable = [`Type IN (${[...lineItemTypes].map(quote).join(', ')})`];
    const found = (await inParallel(fields.map((field) => search('Item', field, contains, usable)))).flat();
    return [...new Map(found.map((row) => [row['Id'], row])).values()].slice(0, maxFound);
  }

  return {
    describe: quickbooksDescriptor,
    async identify() {
      const company = await companyInfo();
      const status = readOnlyStatus(company);
      if (status !== null) throw readOnlyCompany('identify the company', status);
      return { companyName: toCompanyInfo(company).name, companyId: realmId };
    },
    readReferenceData,
    readPreferences,
    readAccounts,
    readClasses,
    readLocations,
    preview: (command, answers) => toBody(command, answers, shownNumber),
    post,
    maxPerBatch: maxItems,
    postBatch: postAll,
    find: async (command, answers, sentAt) => (await findAll([{ command, answers, sentAt }]))[0] ?? null,
    findAll,
    findByOrigin: (wanted) => findByOrigin(api, wanted),
    read,
    readMailed,
    mailInvoice,
    readExchangeRate: (currency, on) =>
      readExchangeRate({ api, realmId, rateLimits: options.rateLimits, now: () => clock.now() }, currency, on),
    readSales,
    listSales,
    readListRecords,
    readListsSince,
    readCompany,
    readTaxCodes,
    readCdc,
    listPaidInvoices,
    readDates,
    findNumbered,
    listChangedDocuments: (since, types) => listChangedDocuments(api, since, types),
    listDocuments: (days, types, customerId) => listDocuments(api, days, types, customerId),
    readDocuments: (references, onUnreadable) =>
      readDocuments(api, references, (type, wanted) => around(type, wanted, onUnreadable)),
    fingerprintOfBody: bodyFingerprint,
    readAccountLedger: (accountId, through) => readAccountLedger(api, accountId, through),
    readTaxes: (period, rateIds) => readTaxes(api, period, rateIds),
    readReport: (name, period) => readReport(api, name, period),
    rawAccounts: async () => (await list('Account')).map(toJson),
    rawClasses: async () => (await list('Class')).map(toJson),
    rawPreferences: async () => toJson(await rawPreferences()),
    rawCompanyInfo: async () => toJson(await rawCompanyInfo()),
    searchCustomers: async (contains) => (await search('Customer', 'DisplayName', contains)).map(toJson),
    searchVendors: async (contains) => (await search('Vendor', 'DisplayName', contains)).map(toJson),
    searchItems: async (contains, attributes) =>
      (await searchItemRows(contains)).map((row) =>
        attributes.length === 0
          ? toJson(row)
          : toJson(Object.fromEntries(Object.entries(row).filter(([name]) => attributes.includes(name)))),
      ),
  };
}

// A row parsed from JSON is JSON.
const toJson = (row: JsonRecord): JsonObject => row as JsonObject;
