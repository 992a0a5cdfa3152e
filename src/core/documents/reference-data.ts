import type { CalendarDate } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';
import type { Address } from './party.ts';

/** PSA lists that documents refer to; read together and cached, never read per line. */
export interface PsaReferenceData {
  readonly billingCodes: readonly BillingCode[];
  readonly taxCategories: readonly { readonly id: number; readonly name: string }[];
  /** Tax categories with a rate above 0 in at least one region (domain reference 6.7). */
  readonly taxableCategoryIds: readonly number[];
  readonly paymentTerms: readonly { readonly id: number; readonly name: string }[];
  /** Empty when the API user cannot read roles. */
  readonly roles: readonly { readonly id: number; readonly name: string }[];
  readonly contracts: readonly Contract[];
  readonly products: readonly { readonly id: number; readonly name: string; readonly sku: string | null }[];
  readonly linesOfBusiness: readonly LineOfBusiness[];
  /** Absent in lists that an earlier version cached; empty when the API user cannot read them. */
  readonly departments?: readonly { readonly id: number; readonly name: string; readonly number: string | null }[];
  readonly currencies: readonly PsaCurrency[];
  readonly modules: PsaModules;
}

/** Unit of a prepaid contract: hours of a block, money of a retainer, or tickets. */
export type PrepaidUnit = 'hours' | 'money' | 'tickets';

export interface Contract {
  readonly id: number;
  readonly name: string;
  /** Unit in which the contract's work is prepaid. Null or undefined if not prepaid. */
  readonly prepaid?: PrepaidUnit | null;
  readonly lineOfBusinessId?: number | null;
}

export interface BillingCode {
  readonly id: number;
  readonly name: string;
  /** 1 work types, 2 expense, 4 material, 5 service, 6 milestone. */
  readonly useType: number;
  readonly taxCategoryId: number | null;
  readonly externalNumber: string | null;
  readonly departmentId?: number | null;
}

export interface LineOfBusiness {
  readonly id: number;
  readonly fullyQualifiedName: string;
}

export interface PsaCurrency {
  readonly id: number;
  /** ISO 4217 code. */
  readonly code: string;
  readonly isInternal: boolean;
  readonly isActive: boolean;
}

export interface PsaModules {
  readonly procurement: boolean;
  readonly multiCurrency: boolean;
}

/** QuickBooks lists that documents refer to. Ids are text, because they may have 19 digits. */
export interface AccountingLists {
  readonly preferences: AccountingPreferences;
  readonly company: AccountingCompany;
  readonly accounts: readonly Account[];
  readonly classes: readonly AccountingClass[];
  /** Includes inactive ones; absent while QuickBooks does not track locations. */
  readonly locations?: readonly AccountingLocation[];
  readonly terms: readonly { readonly id: string; readonly name: string }[];
  readonly taxCodes: readonly TaxCode[];
  /** Includes inactive ones, so that errors can name the record of a stale mapping. */
  readonly customers: readonly Customer[];
  /** Includes inactive ones. */
  readonly vendors: readonly Vendor[];
  /** Includes inactive ones. */
  readonly items: readonly Item[];
}

export interface AccountingCompany {
  readonly name: string;
  /** ISO 3166 code, e.g. `US`. */
  readonly country: string;
}

export interface AccountingPreferences {
  /** True: QuickBooks uses the number that we send and generates none (`CustomTxnNumbers`). */
  readonly customTransactionNumbers: boolean;
  /** The same for purchase orders (`UseCustomTxnNumbers`). */
  readonly customOrderNumbers: boolean;
  readonly classPerTransaction: boolean;
  readonly classPerLine: boolean;
  /** QuickBooks `TrackDepartments`: a document may name a location. */
  readonly tracksLocations?: boolean;
  readonly multiCurrency: boolean;
  readonly homeCurrency: string;
  readonly usesSalesTax: boolean;
  /** QuickBooks computes sales tax from addresses (`PartnerTaxEnabled` is true). */
  readonly automatedSalesTax: boolean;
  /** QuickBooks rejects documents dated on or before this day; null when no period is closed. */
  readonly closedThrough: CalendarDate | null;
  readonly customFields: readonly { readonly definitionId: string; readonly name: string }[];
}

export interface Account {
  readonly id: string;
  readonly fullyQualifiedName: string;
  /** QuickBooks `Classification`: Asset, Equity, Expense, Liability, Revenue. */
  readonly classification: string;
  /** QuickBooks `AccountSubType`, e.g. `AccountsPayable`. */
  readonly subType: string;
  /** ISO 4217; absent or null when QuickBooks uses a single currency, and in lists that an earlier version cached. */
  readonly currency?: string | null;
  readonly isActive: boolean;
}

export interface AccountingClass {
  readonly id: string;
  readonly fullyQualifiedName: string;
  readonly isActive: boolean;
}

/** QuickBooks calls it Location on its screens and Department in its API. */
export type AccountingLocation = AccountingClass;

export interface TaxCode {
  readonly id: string;
  readonly name: string;
  readonly isActive: boolean;
  /** Total of the code's sales rates in percent; null when unknown. */
  readonly salesRate: Decimal | null;
  /** Its sales rates; absent when one is unknown, and in lists that an earlier version cached. */
  readonly salesRates?: readonly SalesRate[];
}

/** One rate of a tax code; its agency receives the tax. */
export interface SalesRate {
  readonly id: string;
  readonly name: string;
  /** Null when QuickBooks names none. */
  readonly agencyId: string | null;
  /** The percentage of today. */
  readonly percent: Decimal;
  /** Percentages by date, oldest first. Undefined means that `percent` always applies. */
  readonly periods?: readonly RatePeriod[];
}

/** The percentage of a tax rate between two days. */
export interface RatePeriod {
  /** First day; null: since ever. */
  readonly from: CalendarDate | null;
  /** Last day; null: without end. */
  readonly through: CalendarDate | null;
  readonly percent: Decimal;
}

export interface Customer {
  readonly id: string;
  readonly displayName: string;
  readonly companyName: string | null;
  readonly isActive: boolean;
  readonly email: string | null;
  /** Absent in lists that an earlier version cached. */
  readonly phone?: string | null;
  readonly billingAddress: Address | null;
  readonly shippingAddress: Address | null;
  readonly currency: string | null;
  /** Parent of a sub-customer. Null or undefined if there is none, or the list was cached by an earlier version. */
  readonly parentId?: string | null;
  /**
   * False: QuickBooks charges no sales tax. Absent when it does not return the flag, and in lists that an earlier
   * version cached.
   */
  readonly isTaxable?: boolean;
}

/** A payee: a supplier, or an employee who is reimbursed. */
export interface Vendor {
  readonly id: string;
  readonly displayName: string;
  readonly companyName: string | null;
  readonly isActive: boolean;
  readonly currency: string | null;
  /** Absent in lists that an earlier version cached. */
  readonly email?: string | null;
  readonly phone?: string | null;
}

export interface Item {
  readonly id: string;
  readonly name: string;
  readonly fullyQualifiedName: string;
  /** Service, NonInventory, Inventory, Group or Category. */
  readonly type: string;
  readonly sku: string | null;
  readonly isActive: boolean;
  readonly incomeAccountId: string | null;
  readonly expenseAccountId: string | null;
}
