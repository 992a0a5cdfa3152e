import type { Invoice, InvoiceHead } from '#core/documents/invoice.ts';
import type { Company } from '#core/documents/party.ts';
import type { PrepaidUnit } from '#core/documents/reference-data.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { RateLimits } from '../rate-limiter.ts';
import type { Clock } from '#core/ports/clock.ts';
import type { Logger } from '#core/ports/logger.ts';
import type {
  InvoiceChange,
  InvoiceSearch,
  Psa,
  PsaFieldInfoEntity,
  PsaQuery,
  PsaQueryEntity,
} from '#core/ports/psa.ts';
import { checkedPsaQuery } from '#core/psa-query.ts';
import type { PsaCredentials } from '#core/tenant.ts';
import { addDays, type CalendarDate } from '#core/values/dates.ts';
import { isNegative, minus, plus, round2, sum, times, zero, type Decimal } from '#core/values/decimal.ts';
import type { JsonObject } from '#core/values/json.ts';
import type { CallRecord } from '../http-client.ts';
import { createSharedCache } from '../shared-cache.ts';
import { autotaskDescriptor } from './descriptor.ts';
import { autotaskApi } from './api.ts';
import { isRecord, wrongShape, type JsonRecord } from './errors.ts';
import { fieldsOf } from './fields.ts';
import { expenseReports, purchaseOrders } from './purchasing.ts';
import { queryAll, queryIn, type Condition, type Filter } from './query.ts';
import {
  orEmpty,
  orNull,
  readLinesOfBusiness,
  readModules,
  readReferenceData,
  type ModuleKeys,
} from './reference-data.ts';
import { readMappingSources } from './mapping-sources.ts';
import {
  toBillingLabels,
  toCompany,
  toDate,
  toInvoice,
  toInvoiceHead,
  toInvoiceLine,
  toResource,
} from './translate.ts';
import {
  atBillingItem,
  atUnbilledItem,
  atCharge,
  atContractBlock,
  atContractRetainer,
  atContractTicketPurchase,
  atCompany,
  atNamedCompany,
  atContact,
  atCountry,
  atInvoice,
  atResource,
  readRows,
  type AtContact,
} from './wire.ts';
import { recordWriter } from './write.ts';
import { zoneFinder, type Zone } from './zone.ts';

export interface AutotaskOptions {
  readonly credentials: PsaCredentials;
  /** Identifies the integration to the vendor; part of every call. */
  readonly integrationCode: string;
  /** Address where zone discovery starts, e.g. `https://webservices.autotask.net`. */
  readonly zoneUrl: string;
  /** `host:port` of services that may be called besides the vendor's: sandboxes, by explicit configuration only. */
  readonly allowedHosts: readonly string[];
  /** IANA name of the time zone in which the PSA dates its documents. */
  readonly timeZone: string;
  /** Call limits; connectors with the same limits also share zones, field information and concurrency permits. */
  readonly rateLimits: RateLimits;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly moduleKeys?: ModuleKeys;
  readonly onZone?: (zone: Zone) => void;
  readonly onCall?: ((call: CallRecord) => void) | undefined;
  /** Aborted when the process stops. */
  readonly stopping?: AbortSignal | undefined;
  /** Returns whether writes are still allowed, checked right before the first byte is sent; default: true. */
  readonly mayWrite?: (() => boolean) | undefined;
  /** Calls end a pause that the service requested, because a user asked for them. */
  readonly endsPause?: boolean | undefined;
  /** Deadline of one call; default 30 s. */
  readonly timeoutMs?: number;
  /** Waits for a pause; replaced in tests. */
  readonly sleep?: (ms: number) => Promise<unknown>;
}

const defaultTimeoutMs = 30_000;

/** ISO codes of countries by id, per PSA database. */
const countryCache = createSharedCache<ReadonlyMap<number, string>>(24 * 3_600);

/** Creates Autotask's implementation of the {@link Psa} port, bound to one tenant's API user. */
export function autotaskPsa(options: AutotaskOptions): Psa {
  const { credentials, rateLimits, clock, logger, timeZone, moduleKeys = {} } = options;
  const now = () => clock.now();
  const egress = {
    allowedHosts: options.allowedHosts,
    logger,
    now,
    mayWrite: options.mayWrite,
    onCall: options.onCall,
    stopping: options.stopping,
  };
  const zones = zoneFinder({
    zoneUrl: options.zoneUrl,
    userName: credentials.userName,
    egress,
    rateLimits,
    onZone: options.onZone,
  });
  const api = autotaskApi({
    credentials,
    integrationCode: options.integrationCode,
    zones,
    rateLimits,
    egress,
    timeoutMs: options.timeoutMs ?? defaultTimeoutMs,
    endsPause: options.endsPause,
    sleep: options.sleep,
  });
  const fields = (entity: string) => fieldsOf({ api, rateLimits, now }, entity);
  const write = recordWriter({ api, credentials, rateLimits, now });
  const sources = { api, logger, moduleKeys, fields, write };

  /** Returns products by charge: charges reference the product sold, and billing items reference only the charge. */
  async function productsByCharge(entity: string, chargeIds: readonly (number | null)[]): Promise<Map<number, number>> {
    const ids = chargeIds.filter((id) => id !== null);
    if (ids.length === 0) return new Map();
    const operation = `read ${entity}`;
    const columns = { operation, filter: [], fields: ['id', 'productID'] };
    const rows = await orEmpty(sources, entity, () => queryIn(api, entity, 'id', ids, columns));
    return new Map(
      readRows(operation, atCharge, rows).flatMap(({ id, productID }) => (productID === null ? [] : [[id, productID]])),
    );
  }

  async function readInvoices(ids: readonly number[]): Promise<Invoice[]> {
    if (ids.length === 0) return [];
    const operation = 'read invoices';
    const [heads, items, billingFields] = await inParallel([
      queryIn(api, 'Invoices', 'id', ids, { operation, filter: [] }),
      queryIn(api, 'BillingItems', 'invoiceID', ids, { operation: 'read invoice lines', filter: [] }),
      fields('BillingItems'),
    ]);
    const wire = readRows('read invoice lines', atBillingItem, items);
    const labels = toBillingLabels(billingFields.list);
    const [ticket, project, contract] = await inParallel([
      productsByCharge(
        'TicketCharges',
        wire.map((item) => item.ticketChargeID),
      ),
      productsByCharge(
        'ProjectCharges',
        wire.map((item) => item.projectChargeID),
      ),
      productsByCharge(
        'ContractCharges',
        wire.map((item) => item.contractChargeID),
      ),
    ]);
    const lines = Map.groupBy(wire, (item) => item.invoiceID);
    return readRows(operation, atInvoice, heads).map((head) => {
      const own = lines.get(head.id) ?? [];
      const translated = own.map((item) => toInvoiceLine(item, labels, { ticket, project, contract }, timeZone));
      return toInvoice(head, translated, timeZone);
    });
  }

  /** Lines that are only read for their contract need no products. */
  const noProducts = { ticket: new Map(), project: new Map(), contract: new Map() };

  async function readContractInvoices(contractIds: readonly number[]): Promise<Invoice[]> {
    if (contractIds.length === 0) return [];
    const operation = 'read invoices of contracts';
    const filter = [{ op: 'gt', field: 'invoiceID', value: 0 }];
    const [items, billingFields] = await inParallel([
      queryIn(api, 'BillingItems', 'contractID', contractIds, { operation, filter }),
      fields('BillingItems'),
    ]);
    const labels = toBillingLabels(billingFields.list);
    const lines = Map.groupBy(readRows(operation, atBillingItem, items), (item) => item.invoiceID);
    const heads =
      lines.size === 0
        ? []
        : await queryIn(api, 'Invoices', 'id', [...lines.keys()], {
            operation,
            filter: searchFilter({ voided: false }),
          });
    return readRows(operation, atInvoice, heads).map((head) => {
      const own = lines.get(head.id) ?? [];
      const translated = own.map((item) => toInvoiceLine(item, labels, noProducts, timeZone));
      return toInvoice(head, translated, timeZone);
    });
  }

  async function readUnbilled(through: CalendarDate) {
    const operation = 'read unbilled items';
    // While an item is on no invoice, its invoiceID is 0, not null (autotask reference section 5).
    const filter: Condition[] = [
      { op: 'eq', field: 'invoiceID', value: 0 },
      { op: 'lte', field: 'itemDate', value: `${through}T23:59:59.999Z` },
    ];
    const rows = await orEmpty(sources, 'BillingItems', () =>
      queryAll(api, 'BillingItems', { operation, filter, fields: ['id', 'internalCurrencyTotalAmount'] }),
    );
    const items = readRows(operation, atUnbilledItem, rows);
    return { count: items.length, amount: sum(items.map((item) => round2(item.internalCurrencyTotalAmount))) };
  }

  async function readPrepaid(through: CalendarDate, units: ReadonlySet<PrepaidUnit>) {
    const read = (unit: PrepaidUnit, entity: string) =>
      units.has(unit)
        ? orNull(sources, entity, () => queryAll(api, entity, { operation: `read ${entity}`, filter: [] }))
        : [];
    const [blocks, retainers, tickets] = await inParallel([
      read('hours', 'ContractBlocks'),
      read('money', 'ContractRetainers'),
      read('tickets', 'ContractTicketPurchases'),
    ]);
    if (blocks === null || retainers === null || tickets === null) return null;
    const isBought = ({ datePurchased }: { readonly datePurchased: string | null }) => {
      const on = toDate(datePurchased, timeZone);
      return on !== null && on <= through;
    };
    const left = new Map<number, Decimal>();
    const add = (contractId: number, amount: Decimal) =>
      // Use beyond the purchase does not give the client a negative balance.
      left.set(contractId, plus(left.get(contractId) ?? zero, isNegative(amount) ? zero : round2(amount)));
    for (const block of readRows('read ContractBlocks', atContractBlock, blocks).filter(isBought))
      add(block.contractID, times(minus(block.hours, block.hoursApproved ?? zero), block.hourlyRate));
    for (const one of readRows('read ContractRetainers', atContractRetainer, retainers).filter(isBought))
      add(one.contractID, minus(one.amount, one.amountApproved ?? zero));
    for (const one of readRows('read ContractTicketPurchases', atContractTicketPurchase, tickets).filter(isBought))
      add(one.contractID, times(minus(one.ticketsPurchased, one.ticketsUsed ?? zero), one.perTicketRate));
    return [...left].map(([contractId, amount]) => ({ contractId, amount }));
  }

  async function countryCodes(): Promise<ReadonlyMap<number, string>> {
    return countryCache.get(rateLimits, await api.databaseId(), now, async () => {
      const operation = 'read countries';
      const rows = await orEmpty(sources, 'Countries', () => queryAll(api, 'Countries', { operation, filter: [] }));
      return new Map(
        readRows(operation, atCountry, rows).flatMap(({ id, countryCode }) =>
          countryCode === null ? [] : [[id, countryCode]],
        ),
      );
    });
  }

  async function readCompanyNames(ids: readonly number[]) {
    if (ids.length === 0) return [];
    const operation = 'read company names';
    const fields = ['id', 'companyName', 'currencyID'];
    const rows = await queryIn(api, 'Companies', 'id', ids, { operation, filter: [], fields });
    return readRows(operation, atNamedCompany, rows).map(({ id, companyName, currencyID }) => ({
      id,
      name: companyName ?? '',
      currencyId: currencyID,
    }));
  }

  async function readCompanies(ids: readonly number[]): Promise<Company[]> {
    if (ids.length === 0) return [];
    const operation = 'read companies';
    const [companies, contacts, countries] = await inParallel([
      queryIn(api, 'Companies', 'id', ids, { operation, filter: [] }),
      orEmpty(sources, 'Contacts', () =>
        queryIn(api, 'Contacts', 'companyID', ids, {
          operation: 'read contacts',
          // Only Contacts uses an integer here (autotask reference section 4).
          filter: [
            { op: 'eq', field: 'isActive', value: 1 },
            { op: 'eq', field: 'primaryContact', value: true },
          ],
          fields: ['id', 'companyID', 'emailAddress', 'firstName', 'lastName'],
        }),
      ),
      countryCodes(),
    ]);
    const byCompany = new Map<number, AtContact>();
    for (const contact of readRows('read contacts', atContact, contacts))
      if (contact.emailAddress !== null && !byCompany.has(contact.companyID)) byCompany.set(contact.companyID, contact);
    return readRows(operation, atCompany, companies).map((one) =>
      toCompany(one, byCompany.get(one.id) ?? null, countries),
    );
  }

  async function queryForScreen(entity: PsaQueryEntity, query: PsaQuery, path: string): Promise<JsonRecord> {
    const checked = checkedPsaQuery(query, (await fields(entity)).list);
    // Every query needs a filter, so an empty one is written as “has an id”.
    const filter = checked.filter.length > 0 ? checked.filter : [{ op: 'gte', field: 'id', value: 0 }];
    return api.call({
      operation: `query ${entity}`,
      method: 'POST',
      path: `${entity}/${path}`,
      body: {
        filter,
        ...(checked.includeFields !== undefined && { IncludeFields: checked.includeFields }),
        ...(checked.maxRecords !== undefined && { MaxRecords: checked.maxRecords }),
      },
    });
  }

  return {
    describe: autotaskDescriptor,

    async identify() {
      const operation = 'read the own company';
      // Company 0 is the tenant's own company (autotask reference section 7).
      const answer = await api.call({ operation, method: 'GET', path: 'Companies/0' });
      if (!isRecord(answer.item)) throw wrongShape(operation, 'no company');
      const [company] = readRows(operation, atCompany, [answer.item]);
      return {
        companyId: company?.id ?? 0,
        companyName: company?.companyName ?? '',
        databaseId: await api.databaseId(),
      };
    },

    async findResource({ firstName, lastName, email }) {
      const operation = 'find the resource';
      const rows = await queryAll(api, 'Resources', {
        operation,
        filter: [
          // Some people have no first name in Autotask, and a query for empty text finds nothing.
          ...(firstName === '' ? [] : [{ op: 'eq', field: 'firstName', value: firstName }]),
          { op: 'eq', field: 'lastName', value: lastName },
          { op: 'eq', field: 'email', value: email },
          { op: 'eq', field: 'isActive', value: true },
        ],
        fields: ['id', 'firstName', 'lastName', 'email'],
      });
      const people = readRows(operation, atResource, rows).map(toResource);
      return people.find((one) => (firstName === '') === (one.firstName === '')) ?? null;
    },

    async findInvoices(search: InvoiceSearch, ...more: readonly InvoiceSearch[]): Promise<InvoiceHead[]> {
      const query = { operation: 'find invoices', filter: anyFilter([search, ...more]) };
      const rows =
        search.ids === undefined
          ? await queryAll(api, 'Invoices', query)
          : await queryIn(api, 'Invoices', 'id', search.ids, query);
      return readRows(query.operation, atInvoice, rows).map((row) => toInvoiceHead(row, timeZone));
    },

    readInvoices,
    readContractInvoices,
    readUnbilled,
    readPrepaid,
    ...purchaseOrders({ ...sources, timeZone }),
    ...expenseReports({ ...sources, timeZone, fields }),
    readCompanies,
    readCompanyNames,
    readReferenceData: () => readReferenceData(sources),
    readLinesOfBusiness: () => readLinesOfBusiness(sources),
    readModules: () => readModules(sources),
    readMappingSources: () => readMappingSources({ ...sources, fields }),

    writeInvoice: (id, change) => write({ entity: 'Invoices', noun: 'invoice', id }, toWrittenFields(change)),

    query: async (entity, query) => toJson(await queryForScreen(entity, query, 'query')),
    count: async (entity, query) => toJson(await queryForScreen(entity, query, 'query/count')),
    fieldInfo: async (entity: PsaFieldInfoEntity) => toJson((await fields(entity)).answer),
  };
}

/** Returns a filter that matches every row that one of the searches wants. */
function anyFilter(searches: readonly InvoiceSearch[]): readonly Filter[] {
  const filters = searches.map(searchFilter);
  const [only] = filters;
  if (filters.length === 1 && only !== undefined) return only;
  return [{ op: 'or', items: filters.map((items) => ({ op: 'and', items })) }];
}

function searchFilter(search: InvoiceSearch): Condition[] {
  return [
    ...(search.voided === undefined ? [] : [{ op: search.voided ? 'eq' : 'noteq', field: 'isVoided', value: true }]),
    ...(search.createdFrom === undefined ? [] : [{ op: 'gte', field: 'createDateTime', value: search.createdFrom }]),
    ...(search.voidedFrom === undefined ? [] : [{ op: 'gte', field: 'voidedDate', value: search.voidedFrom }]),
    ...(search.paidFrom === undefined
      ? []
      : [{ op: 'gte', field: 'paidDate', value: `${search.paidFrom}T00:00:00.000Z` }]),
    ...(search.dated === undefined ? [] : datedWithin(search.dated)),
    ...(search.unpaidThrough === undefined
      ? []
      : [{ op: 'notExist', field: 'paidDate' }, ...datedWithin({ through: search.unpaidThrough })]),
    ...(search.notExported === true ? [{ op: 'notExist', field: 'webServiceDate' }] : []),
    ...(search.exportedFrom === undefined ? [] : [{ op: 'gte', field: 'webServiceDate', value: search.exportedFrom }]),
  ];
}

/**
 * A timestamp may fall on the previous or next day in another time zone, so the range includes one more day on each
 * side.
 */
const datedWithin = ({ from, through }: { from?: CalendarDate; through: CalendarDate }): Condition[] => [
  ...(from === undefined ? [] : [{ op: 'gte', field: 'invoiceDateTime', value: `${addDays(from, -1)}T00:00:00.000Z` }]),
  { op: 'lte', field: 'invoiceDateTime', value: `${addDays(through, 1)}T23:59:59.999Z` },
];

/** Texts are cleared by `''`, dates by null (autotask reference section 6). */
const toWrittenFields = (change: InvoiceChange) => ({
  ...(change.number !== undefined && { invoiceNumber: change.number }),
  ...(change.exportedAt !== undefined && { webServiceDate: change.exportedAt }),
  ...(change.paidOn !== undefined && { paidDate: change.paidOn === null ? null : `${change.paidOn}T00:00:00.000Z` }),
});

// A value parsed from JSON is JSON.
const toJson = (answer: JsonRecord): JsonObject => answer as JsonObject;
