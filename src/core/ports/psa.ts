import type { ExpenseItem, ExpenseReport, ExpenseReportHead } from '../documents/expense-report.ts';
import type { Invoice, InvoiceHead } from '../documents/invoice.ts';
import type { Company } from '../documents/party.ts';
import type { PurchaseOrder, PurchaseOrderHead, Receipt } from '../documents/purchase-order.ts';
import type { PrepaidPurchase } from '../documents/prepaid-purchase.ts';
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
  /** Fields of the credentials, in the order of the form; includes `userName` and `secret`. */
  readonly credentials: readonly CredentialField[];
  readonly menus: PsaMenus;
  /** How to create the API user in the PSA, one sentence each; empty if the screens do not explain it. */
  readonly apiUserSteps: readonly string[];
}

/** Places on the PSA's screens, as remedies name them, from the menu to the last click. */
export interface PsaMenus {
  readonly invoice: string;
  readonly voidInvoice: string;
  /** Where approved work becomes an invoice. */
  readonly processInvoices: string;
  readonly companyTax: string;
  readonly taxRates: string;
}

/** Returns the PSA's label and menus, as the facts of the rules have them. */
export const psaNames = ({ describe }: Pick<Psa, 'describe'>) => ({
  psaLabel: describe.label,
  psaMenus: describe.menus,
});

/** One field of the form that connects a PSA. */
export interface CredentialField {
  /** Key of the field in {@link PsaCredentials}. */
  readonly name: string;
  /** Name of the field in the form. */
  readonly input: string;
  readonly label: string;
  readonly help: string;
  /** Never shown again, and stored exactly as typed, including spaces. */
  readonly isSecret: boolean;
}

/**
 * Port to a professional-services automation system, bound to one tenant's credentials. Every method may throw a
 * `ServiceError`. The connector retries reads and writes of fixed values.
 */
export interface Psa {
  readonly describe: PsaDescriptor;

  /** Verifies the credentials and returns the tenant's own company and its database. */
  identify(): Promise<PsaIdentity>;

  /**
   * Finds the active resource with exactly this name and email address; null when there is none. For registration only.
   */
  findResource(person: PsaPerson): Promise<PsaResource | null>;

  /**
   * Finds invoice heads that match at least one of the searches, in ascending id, all pages. A search by ids cannot be
   * combined with others.
   */
  findInvoices(search: InvoiceSearch, ...more: readonly InvoiceSearch[]): Promise<readonly InvoiceHead[]>;

  /** Reads invoices with their lines, in ascending id and as few calls as possible; unknown ids are left out. */
  readInvoices(ids: readonly number[]): Promise<readonly Invoice[]>;

  /**
   * Finds heads of purchase orders that were submitted, with any current status, in ascending id, all pages. A
   * search by ids includes every status.
   */
  findPurchaseOrders(
    search: PurchaseSearch & { readonly createdFrom?: Instant },
  ): Promise<readonly PurchaseOrderHead[]>;

  /** Reads purchase orders of any status with their lines, in ascending id; unknown ids are left out. */
  readPurchaseOrders(ids: readonly number[]): Promise<readonly PurchaseOrder[]>;

  /**
   * Finds matching heads of expense reports that are approved for payment, in ascending id, all pages. A search by ids
   * includes every status.
   */
  findExpenseReports(
    search: PurchaseSearch & { readonly submittedFrom?: Instant },
  ): Promise<readonly ExpenseReportHead[]>;

  /** Reads expense reports of any status with items and submitter, in ascending id; unknown ids are left out. */
  readExpenseReports(ids: readonly number[]): Promise<readonly ExpenseReport[]>;

  /** Reads the reimbursable expenses of these reports: day and amount of each, in one call for up to 500 reports. */
  readReimbursedExpenses(
    reportIds: readonly number[],
  ): Promise<readonly (Pick<ExpenseItem, 'spentOn' | 'amount'> & { readonly reportId: number })[]>;

  /**
   * Returns number and amount of the billing items that are approved, posted through this day, and on no invoice, in
   * the tenant's own currency; null when the API user cannot see them.
   */
  readUnbilled(through: CalendarDate): Promise<{ readonly count: number; readonly amount: Decimal } | null>;

  /**
   * Reads all invoices with lines of these contracts, each with only those lines, in any order. Void invoices are left
   * out.
   */
  readContractInvoices(contractIds: readonly number[]): Promise<readonly Invoice[]>;

  /**
   * Returns the blocks, retainers and tickets that clients bought, with what is left of them now. Null when the API
   * user cannot see one of the lists.
   *
   * @param units units of the tenant's prepaid contracts; other purchases are not read
   * @param contractIds reads only purchases of these contracts; undefined means all
   */
  readPurchases(
    units: ReadonlySet<PrepaidUnit>,
    contractIds?: readonly number[],
  ): Promise<readonly PrepaidPurchase[] | null>;

  /** Returns the receipts of purchase order lines; none when the API user cannot see receipts. */
  readReceipts(orderLineIds: readonly number[]): Promise<readonly Receipt[]>;

  /** Reads companies with addresses and the primary contact's email; unknown ids are left out. */
  readCompanies(ids: readonly number[]): Promise<readonly Company[]>;

  /**
   * Reads only names and currencies of companies, in fewer calls than {@link readCompanies}; unknown ids are left out.
   */
  readCompanyNames(ids: readonly number[]): Promise<readonly Pick<Company, 'id' | 'name' | 'currencyId'>[]>;

  /**
   * Reads the present names of employees, also of inactive ones; unknown ids and employees without a name are left out,
   * and all of them when the API user cannot see employees.
   */
  readEmployeeNames(ids: readonly number[]): Promise<readonly { readonly id: number; readonly name: string }[]>;

  /** Reads every list that documents refer to. */
  readReferenceData(): Promise<PsaReferenceData>;

  readLinesOfBusiness(): Promise<readonly LineOfBusiness[]>;
  readModules(): Promise<PsaModules>;
  /** Reads the records that can be mapped: more than documents refer to, and by name only. */
  readMappingSources(): Promise<MappingSources>;

  /** Writes only the given fields. Repeating the same write has no further effect. */
  writeInvoice(id: number, change: InvoiceChange): Promise<void>;

  /** Writes our reference or a sentinel; `''` clears it. Repeating the same write has no further effect. */
  writePurchaseOrder(id: number, change: { readonly externalNumber: string }): Promise<void>;

  /** Like {@link writePurchaseOrder}, for an expense report. */
  writeExpenseReport(id: number, change: { readonly reference: string }): Promise<void>;

  /**
   * Runs a query of one of the entities that screens may see; other entities are rejected. Entities and fields have the
   * names of the HTTP contract (specification 3), which are Autotask's: another PSA uses the same names.
   */
  query(entity: PsaQueryEntity, query: PsaQuery): Promise<JsonObject>;
  count(entity: PsaQueryEntity, query: PsaQuery): Promise<JsonObject>;
  fieldInfo(entity: PsaFieldInfoEntity): Promise<JsonObject>;
}

export interface PsaIdentity {
  /** Id of the tenant's own company in its database. */
  readonly companyId: number;
  readonly companyName: string;
  /** Identifies the PSA database, e.g. the zone's customer number; detects a reconnect to a different one. */
  readonly databaseId: string;
}

/** A person as the PSA names them. */
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
  /** Only voided or only not voided invoices. Undefined means both. */
  readonly voided?: boolean;
  /** Requires `voided`. Inclusive. */
  readonly voidedFrom?: Instant;
  /** Only invoices with a paid date on or after this day. */
  readonly paidFrom?: CalendarDate;
  /** Only invoices dated in these days, inclusive; may return one more day at either end. */
  readonly dated?: { readonly from: CalendarDate; readonly through: CalendarDate };
  /** Only invoices dated on or before this day, and not paid by then; may return one more day. */
  readonly unpaidThrough?: CalendarDate;
  /** Only invoices that no integration has exported yet (empty web service date). */
  readonly notExported?: boolean;
  /** Only invoices that an integration exported since this time (web service date). Inclusive. */
  readonly exportedFrom?: Instant;
}

/** Search for purchase orders or expense reports; other filters are ignored when ids are given. */
export interface PurchaseSearch {
  readonly ids?: readonly number[];
}

/** Empty text and null clear a field; an absent key leaves it unchanged. */
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
  // SQL `like`: checkedPsaQuery replaces it, because no PSA supports it.
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
