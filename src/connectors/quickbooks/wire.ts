/**
 * The shapes of QuickBooks' answers that we rely on. Unknown members and unimportant missing members are accepted; ids
 * and amounts are checked strictly. Ids are text: they may have 19 digits (quickbooks reference 2.2).
 */
import { z } from 'zod';
import { instant } from '#core/values/dates.ts';
import { toDecimal } from '../exact-json.ts';
import { memberPath } from '../unexpected.ts';
import { wrongShape } from './errors.ts';

export const idText = z.union([z.string().min(1), z.number()]).transform(String);
export const text = z
  .union([z.string(), z.number()])
  .nullish()
  .transform((value) => (value === undefined || value === null || value === '' ? null : String(value)));
const flag = z
  .union([z.boolean(), z.string()])
  .nullish()
  .transform((value) => value === true || value === 'true');
/** Name-list records are active unless marked otherwise. */
const active = z
  .union([z.boolean(), z.string()])
  .nullish()
  .transform((value) => value !== false && value !== 'false');
export const number = z
  .union([z.number(), z.string()])
  .refine((value) => value !== '' && Number.isFinite(Number(value)))
  .transform((value) => toDecimal(value));
export const reference = z
  .object({ value: idText, name: text })
  .nullish()
  .transform((value) => value ?? null);
export const listOf = <T extends z.ZodType>(shape: T) =>
  z
    .array(shape)
    .nullish()
    .transform((value) => value ?? []);

const address = z
  .object({
    Line1: text,
    Line2: text,
    City: text,
    CountrySubDivisionCode: text,
    PostalCode: text,
    Country: text,
  })
  .nullish()
  .transform((value) => value ?? null);

export const qboAccount = z.object({
  Id: idText,
  Name: text,
  FullyQualifiedName: text,
  Classification: text,
  AccountSubType: text,
  CurrencyRef: reference,
  Active: active,
});
export const qboClass = z.object({ Id: idText, Name: text, FullyQualifiedName: text, Active: active });
export const qboTerm = z.object({ Id: idText, Name: text });
export const qboTaxRate = z.object({
  Id: idText,
  Name: text,
  RateValue: number.nullish(),
  AgencyRef: reference,
  EffectiveTaxRate: listOf(z.object({ RateValue: number.nullish(), EffectiveDate: text, EndDate: text })),
});
export const qboTaxCode = z.object({
  Id: idText,
  Name: text,
  Active: active,
  SalesTaxRateList: z.object({ TaxRateDetail: listOf(z.object({ TaxRateRef: reference })) }).nullish(),
});
export const qboCustomer = z.object({
  Id: idText,
  DisplayName: text,
  FullyQualifiedName: text,
  CompanyName: text,
  Active: active,
  PrimaryEmailAddr: z.object({ Address: text }).nullish(),
  PrimaryPhone: z.object({ FreeFormNumber: text }).nullish(),
  BillAddr: address,
  ShipAddr: address,
  CurrencyRef: reference,
  Taxable: z.union([z.boolean(), z.string()]).nullish(),
  ParentRef: reference,
});
export const qboVendor = z.object({
  Id: idText,
  DisplayName: text,
  CompanyName: text,
  Active: active,
  PrimaryEmailAddr: z.object({ Address: text }).nullish(),
  PrimaryPhone: z.object({ FreeFormNumber: text }).nullish(),
  CurrencyRef: reference,
});
export const qboItem = z.object({
  Id: idText,
  Name: text,
  FullyQualifiedName: text,
  Type: text,
  Sku: text,
  Active: active,
  IncomeAccountRef: reference,
  ExpenseAccountRef: reference,
});

const nameValue = z.object({ Name: z.string(), BooleanValue: flag, StringValue: text });
export const qboPreferences = z.object({
  AccountingInfoPrefs: z
    .object({ ClassTrackingPerTxn: flag, ClassTrackingPerTxnLine: flag, TrackDepartments: flag, BookCloseDate: text })
    .nullish(),
  SalesFormsPrefs: z
    .object({ CustomTxnNumbers: flag, CustomField: listOf(z.object({ CustomField: listOf(nameValue) })) })
    .nullish(),
  CurrencyPrefs: z.object({ MultiCurrencyEnabled: flag, HomeCurrency: reference }).nullish(),
  TaxPrefs: z.object({ UsingSalesTax: flag, PartnerTaxEnabled: flag }).nullish(),
  /** Values are strings, such as `true`. */
  OtherPrefs: z.object({ NameValue: listOf(z.object({ Name: text, Value: text })) }).nullish(),
});
export const qboCompanyInfo = z.object({
  CompanyName: text,
  Country: text,
  /** Includes `SubscriptionStatus` and `OfferingSku`, the name of the plan. */
  NameValue: listOf(z.object({ Name: text, Value: text })),
});

/** Tax of one rate in a document. */
export const qboTaxLine = z.object({
  Amount: number.nullish(),
  TaxLineDetail: z.object({ TaxRateRef: reference }).nullish(),
});

/** Fields in every answer to a write or a look-up: enough to reference and verify the record. */
export const qboRecord = z.object({
  Id: idText,
  SyncToken: z.union([z.string(), z.number()]).transform(String),
  DocNumber: text,
  DisplayName: text,
  Name: text,
  DueDate: text,
  PrivateNote: text,
  CustomerRef: reference,
  VendorRef: reference,
  TotalAmt: number.nullish(),
  ExchangeRate: number.nullish(),
  TxnTaxDetail: z.object({ TotalTax: number.nullish(), TaxLine: listOf(qboTaxLine) }).nullish(),
  Line: listOf(z.object({ DetailType: text, Amount: number.nullish() })),
});

export const qboExchangeRate = z.object({ Rate: number.nullish() });

/** A sales document with the members that show how far it is paid. */
export const qboSales = z.object({
  ...qboRecord.shape,
  TxnDate: z.string().transform((value) => value.slice(0, 10)),
  TotalAmt: number,
  Balance: number.nullish(),
  RemainingCredit: number.nullish(),
  CurrencyRef: reference,
  EmailStatus: text,
  LinkedTxn: listOf(z.object({ TxnId: idText, TxnType: z.string() })),
  MetaData: z.object({ LastUpdatedTime: z.string() }),
});

const links = listOf(z.object({ TxnId: idText, TxnType: z.string() }));
const when = z
  .string()
  .refine((value) => !Number.isNaN(Date.parse(value)))
  .transform((value) => instant(value));
const changed = z.object({ Id: idText, MetaData: z.object({ LastUpdatedTime: when }).nullish() });
export const qboPayment = z.object({ ...changed.shape, status: text, Line: listOf(z.object({ LinkedTxn: links })) });
/** The documents that a payment is applied to, with their amounts. */
/** A record of the change feed: a record reported as deleted has only its id and this status. */
export const qboChanged = z.object({ ...changed.shape, status: text });
/** A transaction of the change feed. */
export const qboTouched = z.object({
  Id: idText,
  status: text,
  TxnDate: z.string().nullish(),
  MetaData: z.object({ CreateTime: when.nullish() }).nullish(),
});
/** A transaction of the change feed with its private note. */
export const qboNoted = z.object({
  Id: idText,
  status: text,
  PrivateNote: text,
  MetaData: z.object({ CreateTime: when.nullish().catch(null) }).nullish(),
});
/** The change feed: blocks of records by entity, and other members. */
export const qboChanges = z.object({
  CDCResponse: z.array(z.object({ QueryResponse: listOf(z.record(z.string(), z.unknown())) })),
  time: when.nullish(),
});
export const qboDated = z.object({
  Id: idText,
  TxnDate: z.string().transform((value) => value.slice(0, 10)),
  UnappliedAmt: number.nullish(),
  TotalAmt: number.nullish(),
});

export type QboPreferences = z.infer<typeof qboPreferences>;
export type QboCompanyInfo = z.infer<typeof qboCompanyInfo>;
export type QboAccount = z.infer<typeof qboAccount>;
export type QboClass = z.infer<typeof qboClass>;
export type QboTaxCode = z.infer<typeof qboTaxCode>;
export type QboTaxLine = z.infer<typeof qboTaxLine>;
export type QboTaxRate = z.infer<typeof qboTaxRate>;
export type QboCustomer = z.infer<typeof qboCustomer>;
export type QboVendor = z.infer<typeof qboVendor>;
export type QboItem = z.infer<typeof qboItem>;
export type QboAddress = z.infer<typeof address>;
export type QboRecord = z.infer<typeof qboRecord>;
export type QboPayment = z.infer<typeof qboPayment>;
export type QboSales = z.infer<typeof qboSales>;

/**
 * Parses one object by its shape.
 *
 * @throws ServiceError with outcome unknown if it does not match; the message names the member, never its value.
 */
export function readShape<T>(operation: string, shape: z.ZodType<T>, value: unknown): T {
  const read = shape.safeParse(value);
  if (read.success) return read.data;
  const members = read.error.issues.map((issue) => issue.path.join('.') || 'the object').join(', ');
  const name = [...new Set(read.error.issues.map(({ path }) => memberPath(path)))].join(', ');
  throw wrongShape(operation, `QuickBooks responded in an unknown format: ${members}.`, { name, answer: value });
}
