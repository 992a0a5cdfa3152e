import type { Company } from '#core/documents/party.ts';
import type { PrepaidPurchase } from '#core/documents/prepaid-purchase.ts';
import type { PrepaidUnit } from '#core/documents/reference-data.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { MappingSources, SourceRecord } from '#core/mapping/sources.ts';
import type { Clock } from '#core/ports/clock.ts';
import type { Logger } from '#core/ports/logger.ts';
import type { Psa, PsaFieldInfoEntity, PsaQuery, PsaQueryEntity } from '#core/ports/psa.ts';
import { checkedPsaQuery } from '#core/psa-query.ts';
import type { PsaCredentials } from '#core/tenant.ts';
import type { CalendarDate, Instant } from '#core/values/dates.ts';
import { type Decimal, decimal, isNegative, minus, round2, sum, times, zero } from '#core/values/decimal.ts';
import type { JsonObject } from '#core/values/json.ts';
import type { CallRecord } from '../http-client.ts';
import { createSharedCache, type RateLimits } from '../rate-limiter.ts';
import { autotaskApi, type AutotaskApi, type Condition, queryAll, queryIn, recordWriter } from './api.ts';
import { type Zone, zoneFinder } from './calls.ts';
import { autotaskDescriptor } from './descriptor.ts';
import {
  expenseReports,
  findInvoices,
  purchaseOrders,
  readContractInvoices,
  readInvoices,
  toWrittenFields,
} from './documents.ts';
import { isRecord, type JsonRecord, wrongShape } from './errors.ts';
import {
  type ModuleKeys,
  orEmpty,
  orNull,
  readLinesOfBusiness,
  readModules,
  readReferenceData,
} from './reference-data.ts';
import { toCompany, toDate, toResource } from './translate.ts';
import {
  atCompany,
  atCompanyName,
  atContact,
  type AtContact,
  atContractBlock,
  atContractRetainer,
  atContractTicketPurchase,
  type AtPurchase,
  atCountry,
  atEmployee,
  atMappedCode,
  atMappedProduct,
  atNamed,
  atNamedCompany,
  atResource,
  atUnbilledItem,
  type Fields,
  fieldsOf,
  readRows,
} from './wire.ts';

interface CompanyAccess {
  readonly api: AutotaskApi;
  readonly logger: Logger;
  readonly rateLimits: RateLimits;
  readonly now: () => Instant;
}

/** ISO codes of countries by id, per PSA database. */
const countryCache = createSharedCache<ReadonlyMap<number, string>>(24 * 3_600);

/** Returns the company and the database of the API user. */
async function identify(api: AutotaskApi) {
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
}

/** Returns the active user with exactly this name and email address. */
async function findResource(api: AutotaskApi, { firstName, lastName, email }: Parameters<Psa['findResource']>[0]) {
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
}

async function countryCodes(sources: CompanyAccess): Promise<ReadonlyMap<number, string>> {
  const { api, rateLimits, now } = sources;
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

/** Returns the names and currencies of companies. */
async function readCompanyNames(api: AutotaskApi, ids: readonly number[]) {
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

/** Returns companies with the email address of their primary contact. */
async function readCompanies(sources: CompanyAccess, ids: readonly number[]): Promise<Company[]> {
  if (ids.length === 0) return [];
  const { api } = sources;
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
    countryCodes(sources),
  ]);
  const byCompany = new Map<number, AtContact>();
  for (const contact of readRows('read contacts', atContact, contacts))
    if (contact.emailAddress !== null && !byCompany.has(contact.companyID)) byCompany.set(contact.companyID, contact);
  return readRows(operation, atCompany, companies).map((one) =>
    toCompany(one, byCompany.get(one.id) ?? null, countries),
  );
}

interface ContractAccess {
  readonly api: AutotaskApi;
  readonly logger: Logger;
  /** IANA name of the time zone in which the PSA dates its documents. */
  readonly timeZone: string;
}

/** Returns the number and the amount of the items that are on no invoice. */
async function readUnbilled(sources: ContractAccess, through: CalendarDate) {
  const operation = 'read unbilled items';
  // While an item is on no invoice, its invoiceID is 0, not null (autotask reference section 5).
  const filter: Condition[] = [
    { op: 'eq', field: 'invoiceID', value: 0 },
    { op: 'lte', field: 'itemDate', value: `${through}T23:59:59.999Z` },
  ];
  const rows = await orEmpty(sources, 'BillingItems', () =>
    queryAll(sources.api, 'BillingItems', { operation, filter, fields: ['id', 'internalCurrencyTotalAmount'] }),
  );
  const items = readRows(operation, atUnbilledItem, rows);
  return { count: items.length, amount: sum(items.map((item) => round2(item.internalCurrencyTotalAmount))) };
}

/** Number of the status `Inactive` of a purchase [A56]. */
const inactive = 0;

/** Returns blocks, retainers and tickets; null if one of the lists is not readable. */
async function readPurchases(
  sources: ContractAccess,
  units: ReadonlySet<PrepaidUnit>,
  contractIds?: readonly number[],
): Promise<readonly PrepaidPurchase[] | null> {
  const { api, timeZone } = sources;
  const read = (unit: PrepaidUnit, entity: string) => {
    const options = { operation: `read ${entity}`, filter: [] };
    const query = () =>
      contractIds === undefined
        ? queryAll(api, entity, options)
        : queryIn(api, entity, 'contractID', contractIds, options);
    return units.has(unit) ? orNull(sources, entity, query) : [];
  };
  const [blocks, retainers, tickets] = await inParallel([
    read('hours', 'ContractBlocks'),
    read('money', 'ContractRetainers'),
    read('tickets', 'ContractTicketPurchases'),
  ]);
  if (blocks === null || retainers === null || tickets === null) return null;
  const toPurchase = (unit: PrepaidUnit, of: AtPurchase, price: Decimal, bought: Decimal, used: Decimal | null) => {
    const left = minus(bought, used ?? zero);
    return {
      id: of.id,
      contractId: of.contractID,
      unit,
      purchasedOn: toDate(of.datePurchased, timeZone),
      startsOn: toDate(of.startDate, timeZone),
      endsOn: toDate(of.endDate, timeZone),
      isActive: of.status !== inactive,
      amount: round2(times(bought, price)),
      // Use beyond the purchase does not give the client a negative balance.
      left: isNegative(left) ? zero : round2(times(left, price)),
    };
  };
  return [
    ...readRows('read ContractBlocks', atContractBlock, blocks).map((one) =>
      toPurchase('hours', one, one.hourlyRate, one.hours, one.hoursApproved ?? null),
    ),
    ...readRows('read ContractRetainers', atContractRetainer, retainers).map((one) =>
      toPurchase('money', one, decimal(1), one.amount, one.amountApproved ?? null),
    ),
    ...readRows('read ContractTicketPurchases', atContractTicketPurchase, tickets).map((one) =>
      toPurchase('tickets', one, one.perTicketRate, one.ticketsPurchased, one.ticketsUsed ?? null),
    ),
  ];
}

interface MappingAccess {
  readonly api: AutotaskApi;
  readonly logger: Logger;
  readonly fields: (entity: string) => Promise<Fields>;
}

/** Company types (specification 1, section 9). */
const customerType = 1;
const vendorType = 7;

/** Reads the lists for the mapping screens in parallel, with only the columns that they show. */
async function readMappingSources(sources: MappingAccess): Promise<MappingSources> {
  const { api, fields } = sources;
  const [companies, people, codes, products, regions, lines, expenseFields, productFields] = await inParallel([
    read(api, 'Companies', companyFields, [{ op: 'in', field: 'companyType', value: [customerType, vendorType] }]),
    orEmpty(sources, 'Resources', () => read(api, 'Resources', ['id', 'firstName', 'lastName', 'isActive'])),
    read(api, 'BillingCodes', ['id', 'name', 'useType', 'externalNumber', 'isActive']),
    orEmpty(sources, 'Products', () => read(api, 'Products', ['id', 'name', 'sku', 'productCategory', 'isActive'])),
    orEmpty(sources, 'TaxRegions', () => read(api, 'TaxRegions', ['id', 'name', 'isActive'])),
    readLinesOfBusiness({ api, logger: sources.logger, moduleKeys: {} }),
    fields('ExpenseItems'),
    fields('Products'),
  ]);
  const rows = readRows('read Companies', atCompanyName, companies);
  const ofType = (type: number): SourceRecord[] =>
    rows
      .filter(({ companyType }) => companyType === type)
      .map(({ id, companyName, isActive, city }) => ({ value: String(id), name: companyName ?? '', isActive, city }));
  return {
    customers: ofType(customerType),
    vendors: ofType(vendorType),
    employees: readRows('read Resources', atEmployee, people).map(({ id, firstName, lastName, isActive }) => ({
      value: String(id),
      name: [firstName, lastName].filter((part) => part !== null && part !== '').join(' ') || `Resource ${id}`,
      isActive,
    })),
    billingCodes: readRows('read BillingCodes', atMappedCode, codes).map((code) => ({
      value: String(code.id),
      name: code.name ?? '',
      isActive: code.isActive,
      number: code.externalNumber,
      group: String(code.useType ?? 0),
    })),
    products: readRows('read Products', atMappedProduct, products).map((product) => ({
      value: String(product.id),
      name: product.name ?? '',
      isActive: product.isActive,
      number: product.sku,
      group: product.productCategory === null ? null : String(product.productCategory),
    })),
    productCategories: choicesOf(productFields, 'productCategory'),
    expenseCategories: choicesOf(expenseFields, 'expenseCategory').map(({ value, text }) => ({
      value,
      name: text,
      isActive: true,
    })),
    linesOfBusiness: lines.map(({ id, fullyQualifiedName }) => ({
      value: String(id),
      name: fullyQualifiedName,
      isActive: true,
    })),
    taxRegions: readRows('read TaxRegions', atNamed, regions).map(({ name, isActive }) => ({
      value: name ?? '',
      name: name ?? '',
      isActive,
    })),
  };
}

const companyFields = ['id', 'companyName', 'companyType', 'isActive', 'city'];

const read = (api: AutotaskApi, entity: string, fields: readonly string[], filter: readonly Condition[] = []) =>
  queryAll(api, entity, { operation: `read ${entity}`, filter, fields });

/** Returns the choices of a field by name, ignoring case. */
function choicesOf({ list }: Fields, name: string) {
  const field = list.find((one) => one.name.toLowerCase() === name.toLowerCase());
  return (field?.picklistValues ?? []).map(({ value, label }) => ({ value, text: label }));
}

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
  const sources = { api, rateLimits, now, timeZone, logger, moduleKeys, fields, write };

  return {
    describe: autotaskDescriptor,

    identify: () => identify(api),
    findResource: (person) => findResource(api, person),
    findInvoices: (...searches) => findInvoices(sources, searches),
    readInvoices: (ids) => readInvoices(sources, ids),
    readContractInvoices: (contractIds) => readContractInvoices(sources, contractIds),
    readUnbilled: (through) => readUnbilled(sources, through),
    readPurchases: (units, contractIds) => readPurchases(sources, units, contractIds),
    ...purchaseOrders(sources),
    ...expenseReports(sources),
    readCompanies: (ids) => readCompanies(sources, ids),
    readCompanyNames: (ids) => readCompanyNames(api, ids),
    readReferenceData: () => readReferenceData(sources),
    readLinesOfBusiness: () => readLinesOfBusiness(sources),
    readModules: () => readModules(sources),
    readMappingSources: () => readMappingSources(sources),

    writeInvoice: (id, change) => write({ entity: 'Invoices', noun: 'invoice', id }, toWrittenFields(change)),

    query: async (entity, query) => toJson(await queryForScreen(sources, entity, query, 'query')),
    count: async (entity, query) => toJson(await queryForScreen(sources, entity, query, 'query/count')),
    fieldInfo: async (entity: PsaFieldInfoEntity) => toJson((await fields(entity)).answer),
  };
}

async function queryForScreen(
  { api, fields }: { readonly api: AutotaskApi; readonly fields: (entity: string) => Promise<Fields> },
  entity: PsaQueryEntity,
  query: PsaQuery,
  path: string,
): Promise<JsonRecord> {
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

// A value parsed from JSON is JSON.
const toJson = (answer: JsonRecord): JsonObject => answer as JsonObject;
