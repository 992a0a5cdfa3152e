import type { Accounting } from '#core/ports/accounting.ts';
import type { Clock } from '#core/ports/clock.ts';
import type { Logger } from '#core/ports/logger.ts';
import type { ReadMeter } from '#core/ports/metered-reads.ts';
import { ServiceError } from '#core/service-error.ts';
import type { CalendarDate, Instant } from '#core/values/dates.ts';
import { type Decimal, isPositive } from '#core/values/decimal.ts';
import type { JsonObject } from '#core/values/json.ts';
import { shownNumber } from '../exact-json.ts';
import type { CallRecord } from '../http-client.ts';
import { createSharedCache, type RateLimits } from '../rate-limiter.ts';
import { quickbooksApi, type QuickbooksApi } from './api.ts';
import { maxItems } from './batch.ts';
import { areReadsBlocked, type Tokens } from './calls.ts';
import { quickbooksDescriptor } from './descriptor.ts';
import { bodyFingerprint, listChangedDocuments, listDocuments, readDocuments } from './documents.ts';
import { isRecord, type JsonRecord } from './errors.ts';
import { findNumbered, listPaidInvoices, listSales, listTouched, readChanges, readDates, readSales } from './feed.ts';
import { findByOrigin, findRecord, findRecords } from './find.ts';
import { mergeUpdate } from './merge-update.ts';
import { listSources } from './lists.ts';
import { configuredUrl } from './oauth.ts';
import { readOpenMoney } from './open-money.ts';
import { unreadableIds } from './query.ts';
import {
  identify,
  mailInvoice,
  post,
  postAll,
  rawCompanyInfo,
  rawPreferences,
  readAccounts,
  readClasses,
  readCompany,
  readList,
  readListRecords,
  readListsSince,
  readLocations,
  readMailed,
  readPreferences,
  readRecord,
  readReferenceData,
  readTaxCodes,
} from './read-lists.ts';
import { readAccountLedger, readReport } from './reports.ts';
import { readTaxes } from './taxes.ts';
import { plannedBody, toBody } from './translate.ts';
import { qboExchangeRate, readShape } from './wire.ts';

/** A rate that a user corrects is used within minutes; it is also read again with the lists. */
const cachedSeconds = 300;
const cache = createSharedCache<Decimal>(cachedSeconds);

/** Not cached, because a user is asked to enter the rate. */
class NoRate extends Error {}

interface ExchangeRateSource {
  readonly api: QuickbooksApi;
  readonly realmId: string;
  readonly rateLimits: RateLimits;
  readonly now: () => Instant;
}

/**
 * Returns QuickBooks' exchange rate of a day (quickbooks reference 5.16).
 *
 * @returns home units per unit of the currency; null if QuickBooks has none.
 */
async function readExchangeRate(
  source: ExchangeRateSource,
  currency: string,
  on: CalendarDate,
): Promise<Decimal | null> {
  const operation = 'read ExchangeRate';
  try {
    return await cache.get(source.rateLimits, `${source.realmId} ${currency} ${on}`, source.now, async () => {
      const answer = await source.api.read({
        operation,
        path: 'exchangerate',
        query: { sourcecurrencycode: currency, asofdate: on },
      });
      if (!isRecord(answer['ExchangeRate'])) throw new NoRate();
      const { Rate: rate } = readShape(operation, qboExchangeRate, answer['ExchangeRate']);
      if (rate === null || rate === undefined || !isPositive(rate)) throw new NoRate();
      return rate;
    });
  } catch (error) {
    // With `refuse`, QuickBooks does not know the currency.
    if (error instanceof NoRate || (error instanceof ServiceError && error.about.next === 'refuse')) return null;
    throw error;
  }
}

/** Reads lists, and forgets the exchange rates of the company, so that they are read again. */
function withNewRates<Value>({ rateLimits, realmId }: ExchangeRateSource, read: () => Promise<Value>): Promise<Value> {
  cache.forget(rateLimits, `${realmId} `);
  return read();
}

interface QuickbooksOptions {
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

/**
 * Creates QuickBooks Online's implementation of the {@link Accounting} port, bound to one company.
 *
 * @throws Error if the API's address is not allowed, which is a configuration error.
 */
export function quickbooksAccounting(options: QuickbooksOptions): Accounting {
  const { clock, realmId, tokens, rateLimits, logger } = options;
  const now = () => clock.now();
  const api = quickbooksApi({
    apiUrl: configuredUrl(options.apiUrl, options.allowedHosts),
    realmId,
    tokens,
    rateLimits,
    egress: {
      allowedHosts: options.allowedHosts,
      logger,
      now,
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

  const sources = { api, realmId, rateLimits, logger, now };
  const read = (type: string, id: string) => readRecord(api, type, id);

  return {
    describe: quickbooksDescriptor,
    identify: async () => ({ companyName: await identify(api), companyId: realmId }),
    readReferenceData: (onUnreadable) => withNewRates(sources, () => readReferenceData({ ...sources, onUnreadable })),
    readPreferences: () => readPreferences(api),
    readAccounts: () => readAccounts(sources),
    readClasses: () => readClasses(sources),
    readLocations: () => readLocations(sources),
    preview: (command, answers) => toBody(command, answers, shownNumber),
    post: (command, answers, requestId) => post(api, command, answers, requestId),
    get areReadsBlocked() {
      return areReadsBlocked(rateLimits, now());
    },
    get maxPerBatch() {
      return areReadsBlocked(rateLimits, now()) ? 1 : maxItems;
    },
    postBatch: (...batch) => postAll(api, ...batch),
    find: (...of) => findRecord(sources, read, ...of),
    findAll: (wanted, onUnreadable) => findRecords(sources, wanted, read, onUnreadable),
    findByOrigin: (wanted, onUnreadable) => findByOrigin(sources, wanted, onUnreadable),
    read,
    readMailed: (id) => readMailed(api, id),
    mailInvoice: (id, address, requestId) => mailInvoice(api, id, address, requestId),
    readExchangeRate: (currency, on) => readExchangeRate(sources, currency, on),
    readSales: (references, onUnreadable) => readSales(sources, references, onUnreadable),
    listSales: (days) => listSales(api, days),
    readListRecords: (named) => readListRecords(sources, named),
    readListsSince: (since, lists) => withNewRates(sources, () => readListsSince(sources, since, lists)),
    readCompany: () => readCompany(api),
    readTaxCodes: () => readTaxCodes(sources),
    readCdc: (since) => readChanges({ ...sources, lists: listSources }, since, now()),
    listPaidInvoices: (paymentIds) => listPaidInvoices(api, paymentIds),
    readDates: (references, onUnreadable) => readDates(sources, references, onUnreadable),
    readOpenMoney: (customerIds, through) => readOpenMoney(api, customerIds, through),
    findNumbered: (numbers, among) => findNumbered(api, numbers, among),
    listChangedDocuments: (since, types, onUnreadable) => listChangedDocuments(api, since, types, onUnreadable),
    listTouched: (since) => listTouched(api, since),
    listDocuments: (days, types, customerId) => listDocuments(api, days, types, customerId),
    readDocuments: (references, onUnreadable) =>
      readDocuments(api, references, (type, wanted) => unreadableIds(sources, type, wanted, now(), onUnreadable)),
    fingerprintOfBody: bodyFingerprint,
    mergeUpdate: (to, base, nameOf) => mergeUpdate(plannedBody(to, [], shownNumber), base, nameOf),
    readAccountLedger: (accountId, through) => readAccountLedger(api, accountId, through),
    readTaxes: (period, rateIds) => readTaxes(api, period, rateIds),
    readReport: (name, period) => readReport(api, name, period),
    ...rawReads(api, sources),
  };
}

/** Returns the reads whose rows are passed on as received. */
const rawReads = (
  api: QuickbooksApi,
  sources: Parameters<typeof readList>[0],
): Pick<Accounting, 'rawAccounts' | 'rawClasses' | 'rawPreferences' | 'rawCompanyInfo'> => ({
  rawAccounts: async () => (await readList(sources, 'Account')).map(toJson),
  rawClasses: async () => (await readList(sources, 'Class')).map(toJson),
  rawPreferences: async () => toJson(await rawPreferences(api)),
  rawCompanyInfo: async () => toJson(await rawCompanyInfo(api)),
});

// A row parsed from JSON is JSON.
const toJson = (row: JsonRecord): JsonObject => row as JsonObject;
