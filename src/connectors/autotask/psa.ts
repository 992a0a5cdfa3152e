import type { Clock } from '#core/ports/clock.ts';
import type { Logger } from '#core/ports/logger.ts';
import type { Psa, PsaFieldInfoEntity, PsaQuery, PsaQueryEntity } from '#core/ports/psa.ts';
import { checkedPsaQuery } from '#core/psa-query.ts';
import type { PsaCredentials } from '#core/tenant.ts';
import type { JsonObject } from '#core/values/json.ts';
import type { CallRecord } from '../http-client.ts';
import type { RateLimits } from '../rate-limiter.ts';
import { autotaskApi, type AutotaskApi } from './api.ts';
import { identify, findResource, readCompanies, readCompanyNames } from './companies.ts';
import { readUnbilled, readPrepaid } from './contract-balances.ts';
import { autotaskDescriptor } from './descriptor.ts';
import type { JsonRecord } from './errors.ts';
import { fieldsOf, type Fields } from './fields.ts';
import { expenseReports, purchaseOrders } from './purchasing.ts';
import { toWrittenFields, findInvoices, readInvoices, readContractInvoices } from './invoices.ts';
import { readMappingSources } from './mapping-sources.ts';
import { readLinesOfBusiness, readModules, readReferenceData, type ModuleKeys } from './reference-data.ts';
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
    readPrepaid: (through, units) => readPrepaid(sources, through, units),
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
