import type { Instant } from '#core/values/dates.ts';
import { type Decimal, isDecimal, zero } from '#core/values/decimal.ts';
import { z } from 'zod';
import { toDecimal } from '../exact-json.ts';
import { createSharedCache, type RateLimits } from '../rate-limiter.ts';
import type { AutotaskApi } from './api.ts';
import { type JsonRecord, wrongShape } from './errors.ts';
import { memberPath } from '../unexpected.ts';

/** Field information of one entity: the PSA's answer, and the part that we use. */
export interface Fields {
  readonly answer: JsonRecord;
  readonly list: readonly AtField[];
}

interface Sources {
  readonly api: AutotaskApi;
  readonly rateLimits: RateLimits;
  readonly now: () => Instant;
}

/** Fields and their choices change only when an administrator changes them, which is rare. */
const cacheSeconds = 3_600;

const cache = createSharedCache<Fields>(cacheSeconds);

/** Returns the fields of an entity, cached for an hour per PSA database. */
export async function fieldsOf({ api, rateLimits, now }: Sources, entity: string): Promise<Fields> {
  return cache.get(rateLimits, `${await api.databaseId()} ${entity}`, now, async () => {
    const operation = `read the fields of ${entity}`;
    const answer = await api.call({ operation, method: 'GET', path: `${entity}/entityInformation/fields` });
    if (!Array.isArray(answer.fields)) throw wrongShape(operation, 'no fields');
    return { answer, list: readRows(operation, atField, answer.fields) };
  });
}

/**
 * The shapes of Autotask's answers that we rely on. Unknown fields and unimportant missing fields are accepted; ids and
 * amounts are checked strictly. An absent reference or text may be null, 0 or `''` (reference section 7).
 */

/**
 * Returns a schema that parses a field in one step, because a row has dozens of fields, and a job thousands of rows.
 *
 * @param read returns undefined for an invalid value.
 */
const field = <T>(read: (value: unknown) => T | undefined) =>
  z.transform((value, { issues }): T => {
    const found = read(value);
    if (found !== undefined) return found;
    issues.push({ code: 'custom', input: value });
    return z.NEVER;
  });

const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null;
const isTextOrNumber = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number';

function toId(value: unknown): number | undefined {
  const found = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(found) ? Number(found) : undefined;
}
const toTime = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}/.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined;
const toAmount = (value: unknown): Decimal | undefined =>
  isTextOrNumber(value) && isDecimal(String(value)) ? toDecimal(value) : undefined;

const id = field(toId);
const anyText = field((value) => (isTextOrNumber(value) ? String(value) : undefined));
/** Text; null if absent or empty. */
const text = field((value) =>
  isAbsent(value) || value === '' ? null : isTextOrNumber(value) ? String(value) : undefined,
);
const time = field(toTime);
/** A date-time; null if absent or empty. */
const when = field((value) => (isAbsent(value) || value === '' ? null : toTime(value)));
/** A reference; 0 means none, except where company 0 is allowed. */
const reference = field((value) => (isAbsent(value) ? null : toId(value) === 0 ? null : toId(value)));
const flag = field((value) =>
  isAbsent(value)
    ? false
    : isTextOrNumber(value) || typeof value === 'boolean'
      ? value === true || value === 1 || value === '1' || String(value).toLowerCase() === 'true'
      : undefined,
);
const number = field(toAmount);
/** An amount that is 0 if the service leaves it out, e.g. for users who may not see costs. */
const amount = field((value) => (isAbsent(value) ? zero : toAmount(value)));

export const atInvoice = z.object({
  id,
  companyID: id,
  invoiceNumber: text,
  invoiceDateTime: time,
  createDateTime: time,
  dueDate: when,
  invoiceTotal: number,
  totalTaxValue: amount,
  isVoided: flag,
  voidedDate: when,
  webServiceDate: when,
  paidDate: when,
  paymentTerm: reference,
  taxRegionName: text,
  invoiceStatus: field((value) => toId(value) ?? null),
  invoiceTaxMethodExternalCode: text,
  orderNumber: text,
  comments: text,
});

/** Id and amount of a billing item that is on no invoice. */
export const atUnbilledItem = z.object({ id, internalCurrencyTotalAmount: number });
export const atBillingItem = z.object({
  id,
  invoiceID: id,
  companyID: reference,
  sortOrderID: id.nullish().transform((value) => value ?? null),
  billingItemType: reference,
  subType: reference,
  itemName: text,
  description: text,
  lineItemFullDescription: text,
  lineItemGroupDescription: text,
  itemDate: when,
  quantity: amount,
  rate: amount,
  extendedPrice: amount,
  totalAmount: number,
  internalCurrencyTotalAmount: number,
  internalCurrencyRate: amount,
  taxDollars: amount,
  internalCurrencyTaxDollars: amount,
  taxCategoryID: reference,
  billingCodeID: reference,
  roleID: reference,
  contractID: reference,
  organizationalLevelAssociationID: reference,
  timeEntryID: reference,
  ticketChargeID: reference,
  projectChargeID: reference,
  contractChargeID: reference,
  expenseItemID: reference,
  configurationItemID: reference,
  serviceID: reference,
  contractServiceID: reference,
  contractServicePeriodID: reference,
  contractServiceAdjustmentID: reference,
  serviceBundleID: reference,
  contractServiceBundleID: reference,
  contractServiceBundlePeriodID: reference,
  contractServiceBundleAdjustmentID: reference,
  milestoneID: reference,
  contractBlockID: reference,
  ticketID: reference,
});

export const atPurchaseOrder = z.object({
  id,
  vendorID: id,
  purchaseForCompanyID: reference,
  purchaseOrderNumber: text,
  externalPONumber: text,
  status: id,
  createDateTime: time,
  submitDateTime: when,
  latestEstimatedArrivalDate: when,
  freight: amount,
  internalCurrencyFreight: number.nullish(),
  paymentTerm: reference,
  generalMemo: text,
  shipToName: text,
  shipToAddress1: text,
  shipToAddress2: text,
  shipToCity: text,
  shipToState: text,
  shipToPostalCode: text,
});

/** Costs are absent for a user who may not see them. Such an order is refused: its cost is not zero. */
export const atPurchaseOrderItem = z.object({
  id,
  orderID: id,
  productID: reference,
  contractID: reference,
  quantity: number,
  unitCost: number.nullish(),
  internalCurrencyUnitCost: number.nullish(),
  memo: text,
});

export const atReceipt = z.object({ id, purchaseOrderItemID: id, quantityNowReceiving: number, receiveDate: when });

export const atResource = z.object({ id, firstName: text, lastName: text, email: text });
export const atEmployee = z.object({ id, firstName: text, lastName: text, isActive: flag });

export const atExpenseReport = z.object({
  id,
  name: text,
  status: id,
  submitterID: id,
  submitDate: when,
  approvedDate: when,
  weekEnding: when,
  departmentNumber: text,
  organizationalLevelAssociationID: reference,
  amountDue: number.nullish(),
  internalCurrencyCashAdvanceAmount: amount,
  reimbursementCurrencyID: reference,
  reimbursementCurrencyAmountDue: number.nullish(),
  quickBooksReferenceNumber: text,
});

export const atExpenseItem = z.object({
  id,
  expenseReportID: id,
  expenseDate: time,
  expenseCategory: id,
  description: text,
  isBillableToCompany: flag,
  isReimbursable: flag,
  isRejected: flag,
  companyID: reference,
  internalCurrencyExpenseAmount: number.nullish(),
  internalCurrencyReimbursementAmount: number.nullish(),
});

export const atNamedCompany = z.object({ id, companyName: text, currencyID: reference });
export const atCompany = z.object({
  id,
  companyName: text,
  companyType: id.nullish(),
  isActive: flag,
  isTaxExempt: flag,
  taxID: text,
  phone: text,
  address1: text,
  address2: text,
  city: text,
  state: text,
  postalCode: text,
  countryID: reference,
  billingAddress1: text,
  billingAddress2: text,
  billToCity: text,
  billToState: text,
  billToZipCode: text,
  billToCountryID: reference,
  currencyID: reference,
});

export const atContact = z.object({ id, companyID: id, emailAddress: text, firstName: text, lastName: text });
export const atCountry = z.object({ id, countryCode: text });
export const atNamed = z.object({ id, name: text, isActive: flag });
export const atContract = z.object({
  id,
  contractName: text,
  contractType: reference,
  organizationalLevelAssociationID: reference,
});
const atPurchase = { id, contractID: id, datePurchased: when, startDate: when, endDate: when, status: reference };
export type AtPurchase = z.infer<z.ZodObject<typeof atPurchase>>;
export const atContractBlock = z.object({
  ...atPurchase,
  hours: number,
  hoursApproved: number.nullish(),
  hourlyRate: number,
});
export const atContractRetainer = z.object({
  ...atPurchase,
  amount: number,
  amountApproved: number.nullish(),
});
export const atContractTicketPurchase = z.object({
  ...atPurchase,
  ticketsPurchased: number,
  ticketsUsed: number.nullish(),
  perTicketRate: number,
});
export const atProduct = z.object({ id, name: text, sku: text });
export const atMappedProduct = z.object({ id, name: text, sku: text, productCategory: reference, isActive: flag });
export const atMappedCode = z.object({
  id,
  name: text,
  useType: id.nullish(),
  externalNumber: text,
  isActive: flag,
});
export const atCompanyName = z.object({ id, companyName: text, companyType: id.nullish(), isActive: flag, city: text });
export const atCharge = z.object({ id, productID: reference });
export const atTax = z.object({ id, taxCategoryID: reference, taxRate: amount });
export const atCurrency = z.object({ id, name: text, isInternalCurrency: flag, isActive: flag });
export const atDepartment = z.object({ id, name: text, number: text });
export const atBillingCode = z.object({
  id,
  name: text,
  useType: id.nullish(),
  department: reference,
  taxCategoryID: reference,
  externalNumber: text,
});
export const atLevelPair = z.object({
  id,
  organizationalLevel1ID: reference,
  organizationalLevel2ID: reference,
  isActive: flag,
});
const atField = z.object({
  name: z.string(),
  dataType: z.string(),
  isQueryable: flag,
  picklistValues: z
    .array(z.object({ value: anyText, label: z.string() }))
    .nullish()
    .transform((values) => values ?? []),
});

export type AtInvoice = z.infer<typeof atInvoice>;
export type AtBillingItem = z.infer<typeof atBillingItem>;
export type AtPurchaseOrder = z.infer<typeof atPurchaseOrder>;
export type AtPurchaseOrderItem = z.infer<typeof atPurchaseOrderItem>;
export type AtResource = z.infer<typeof atResource>;
export type AtExpenseReport = z.infer<typeof atExpenseReport>;
export type AtExpenseItem = z.infer<typeof atExpenseItem>;
export type AtCompany = z.infer<typeof atCompany>;
export type AtContact = z.infer<typeof atContact>;
export type AtField = z.infer<typeof atField>;

/**
 * Parses rows by their shape.
 *
 * @throws ServiceError with outcome unknown if a row does not match; the message names the field, never its value.
 */
export function readRows<T>(operation: string, shape: z.ZodType<T>, rows: readonly unknown[]): T[] {
  return rows.map((row) => {
    const read = shape.safeParse(row);
    if (read.success) return read.data;
    const name = [...new Set(read.error.issues.map(({ path }) => memberPath(path)))].join(', ');
    throw wrongShape(operation, read.error.issues.map((issue) => issue.path.join('.')).join(', '), {
      name,
      answer: row,
    });
  });
}
