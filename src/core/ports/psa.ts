import type { ExpenseItem, ExpenseReport, ExpenseReportHead } from '../documents/expense-report.ts';
import type { Invoice, InvoiceHead } from '../documents/invoice.ts';
import type { Company } from '../documents/party.ts';
import type { PurchaseOrder, PurchaseOrderHead } from '../documents/purchase-order.ts';
import type { LineOfBusiness, PrepaidUnit, PsaModules, PsaReferenceData } from '../documents/reference-data.ts';
import type { MappingSources } from '../mapping/sources.ts';
import type { CalendarDate, Instant } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';
import type { JsonObject } from '../values/json.ts';

/** Names of a PSA on screens, and the fields of its credentials. */
export interface PsaDescriptor {
  /** Service key, e.g. `autotask`. */
  readonly key: string;
  readonly label: string;
  /**
   * Fields of the credentials, in the order in which the form asks for them; `userName` and `secret` are among them.
   */
  readonly credentials: readonly CredentialField[];
}

/** One field of the form that connects a PSA. */
export interface CredentialField {
  /** Under which it is kept among the {@link PsaCredentials}. */
  readonly name: string;
  /** Name of the field in the form. */
  readonly input: string;
  readonly label: string;
  readonly help: string;
  /** Never shown again, and kept as it was typed, blanks included. */
  readonly isSecret: boolean;
}

/**
 * Port to a professional-services automation system, bound to one tenant's credentials. Every method may throw a
 * `ServiceError`; reads are repeated inside the connector, writes of a fixed value are too.
 */
export interface Psa {
  readonly describe: PsaDescriptor;

  /** Proves that the credentials work and names the tenant's own company and its database. */
  identify(): Promise<PsaIdentity>;

  /** The active resource with exactly this name and email address; null when there is none. For registration only. */
  findResource(person: PsaPerson): Promise<PsaResource | null>;

  /** Invoice heads that match at least one of the searches, in ascending id, all pages; ids are asked for alone. */
  findInvoices(search: InvoiceSearch, ...more: readonly InvoiceSearch[]): Promise<readonly InvoiceHead[]>;

  /** Invoices with their lines, in ascending id; ids that do not exist are left out. Fewest calls for many ids. */
  readInvoices(ids: readonly number[]): Promise<readonly Invoice[]>;

  /**
   * Heads of purchase orders that were submitted, whatever became of them since, in ascending id, all pages; of any
   * status when ids are asked for.
   */
  findPurchaseOrders(
    search: PurchaseSearch & { readonly createdFrom?: Instant },
  ): Promise<readonly PurchaseOrderHead[]>;

  /** Purchase orders of any status with their lines, in ascending id; ids that do not exist are left out. */
  readPurchaseOrders(ids: readonly number[]): Promise<readonly PurchaseOrder[]>;

  /**
   * Heads of expense reports that are approved for payment and match, in ascending id, all pages; of any status when ids
   * are asked for.
   */
  findExpenseReports(
    search: PurchaseSearch & { readonly submittedFrom?: Instant },
  ): Promise<readonly ExpenseReportHead[]>;

  /** Expense reports of any status with items and submitter, in ascending id; ids that do not exist are left out. */
  readExpenseReports(ids: readonly number[]): Promise<readonly ExpenseReport[]>;

  /** Expenses of these reports that the employee gets back: day and amount of each, in one call for up to 500 reports. */
  readReimbursedExpenses(
    reportIds: readonly number[],
  ): Promise<readonly (Pick<ExpenseItem, 'spentOn' | 'amount'> & { readonly reportId: number })[]>;

  /**
   * Number and amount of the billing items that are approved and posted up to a day, included, and on no invoice, in
   * the tenant's own currency; null when the PSA does not let us see them.
   */
  readUnbilled(through: CalendarDate): Promise<{ readonly count: number; readonly amount: Decimal } | null>;

  /**
   * Reads all invoices with lines of these contracts, each with only those lines, in any order. Void invoices are left
   * out.
   */
  readContractInvoices(contractIds: readonly number[]): Promise<readonly Invoice[]>;

  /**
   * Remainder of blocks, retainers and tickets that were bought up to a day, included, by contract: what was sold less what was
   * used up to now. Null when the PSA does not let us see it.
   *
   * @param units units of the tenant's prepaid contracts; other purchases are not read
   */
  readPrepaid(
    through: CalendarDate,
    units: ReadonlySet<PrepaidUnit>,
  ): Promise<readonly { readonly contractId: number; readonly amount: Decimal }[] | null>;

  /**
   * How much was received of lines of purchase orders up to a day, included, by line; lines that nothing was received of
   * are left out, and all are when the PSA does not let us see it.
   */
  readReceipts(orderLineIds: readonly number[], through: CalendarDate): Promise<ReadonlyMap<number, Decimal>>;

  /** Companies with addresses and the primary contact's email; ids that do not exist are left out. */
  readCompanies(ids: readonly number[]): Promise<readonly Company[]>;

  /** Names and currencies of companies alone, in fewer calls than whole ones; ids that do not exist are left out. */
  readCompanyNames(ids: readonly number[]): Promise<readonly Pick<Company, 'id' | 'name' | 'currencyId'>[]>;

  /** Every list that documents refer to. */
  readReferenceData(): Promise<PsaReferenceData>;

  readLinesOfBusiness(): Promise<readonly LineOfBusiness[]>;
  readModules(): Promise<PsaModules>;
  /** Records that can be mapped to records of the books: more than documents refer to, and by name only. */
  readMappingSources(): Promise<MappingSources>;

  /** Writes the fields given and no others; the same value any number of times has the same effect as once. */
  writeInvoice(id: number, change: InvoiceChange): Promise<void>;

  /** Writes our reference, or a sentinel; `''` clears it. The same value any number of times has the effect of once. */
  writePurchaseOrder(id: number, change: { readonly externalNumber: string }): Promise<void>;

  /** The same for an expense report. */
  writeExpenseReport(id: number, change: { readonly reference: string }): Promise<void>;

  /**
   * A query of one of the entities that screens may see, checked against the closed list. Entities and fields have the
   * names of the HTTP contract (specification 3), which are Autotask's: another PSA answers under the same names.
   */
  query(entity: PsaQueryEntity, query: PsaQuery): Promise<JsonObject>;
  count(entity: PsaQueryEntity, query: PsaQuery): Promise<JsonObject>;
  fieldInfo(entity: PsaFieldInfoEntity): Promise<JsonObject>;
}

export interface PsaIdentity {
  /** Id of the tenant's own company among the companies of its database. */
  readonly companyId: number;
  readonly companyName: string;
  /** Tells one PSA database from another, e.g. the zone's customer number; reconnecting to a different one is noticed. */
  readonly databaseId: string;
}

/** A person by the words in which the PSA knows them. */
export interface PsaPerson {
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
}

/** A person who works in the PSA. */
export interface PsaResource extends PsaPerson {
  readonly id: number;
}

export interface InvoiceSearch {
  readonly ids?: readonly number[];
  /** Inclusive. */
  readonly createdFrom?: Instant;
  /** Only those that are voided, or only those that are not; absent: both. */
  readonly voided?: boolean;
  /** Only with `voided`. Inclusive. */
  readonly voidedFrom?: Instant;
  /** Only invoices with a paid date, from this day on. */
  readonly paidFrom?: CalendarDate;
  /** Only invoices that are dated in these days, both included; may answer one more day at either end. */
  readonly dated?: { readonly from: CalendarDate; readonly through: CalendarDate };
  /** Only invoices without a paid date that are dated on or before this day; may answer one more day. */
  readonly unpaidThrough?: CalendarDate;
  /** Only invoices that no integration has exported yet (empty web service date). */
  readonly notExported?: boolean;
  /** Only invoices that an integration has exported since (web service date). Inclusive. */
  readonly exportedFrom?: Instant;
}

/** Purchase orders or expense reports; nothing else narrows them down when ids are given. */
export interface PurchaseSearch {
  readonly ids?: readonly number[];
}

/** Text `''` and null clear a field; an absent key leaves it alone. */
export interface InvoiceChange {
  readonly number?: string;
  readonly exportedAt?: Instant | null;
  readonly paidOn?: CalendarDate | null;
}

export const psaQueryEntities = [
  'BillingCodes',
  'TaxCategories',
  'Currencies',
  'Products',
  'Companies',
  'ExpenseReports',
  'Invoices',
  'PurchaseOrders',
] as const;
export type PsaQueryEntity = (typeof psaQueryEntities)[number];

export const psaFieldInfoEntities = ['Products', 'ExpenseItems'] as const;
export type PsaFieldInfoEntity = (typeof psaFieldInfoEntities)[number];

export const psaOperators = [
  'eq',
  'noteq',
  'gt',
  'gte',
  'lt',
  'lte',
  'beginsWith',
  'endsWith',
  'contains',
  // As in SQL: checkedPsaQuery replaces it, because no PSA knows it.
  'like',
  'exist',
  'notExist',
  'in',
  'notIn',
] as const;
export type PsaOperator = (typeof psaOperators)[number];

export type PsaScalar = string | number | boolean | null;

export interface PsaCondition {
  readonly field: string;
  readonly op: PsaOperator;
  readonly value?: PsaScalar | readonly PsaScalar[];
}

export interface PsaQuery {
  readonly filter: readonly PsaCondition[];
  readonly includeFields?: readonly string[];
  /** 1 to 500. */
  readonly maxRecords?: number;
}
