/** Converts between core records and QuickBooks' records; pure. */
import type { Posted } from '#core/attempt.ts';
import type { AccountingDocument } from '#core/documents/accounting-document.ts';
import type { Address } from '#core/documents/party.ts';
import type {
  Account,
  AccountingClass,
  AccountingCompany,
  AccountingPreferences,
  Customer,
  Item,
  SalesRate,
  TaxCode,
  Vendor,
} from '#core/documents/reference-data.ts';
import type { SalesState } from '#core/documents/sales-state.ts';
import {
  type Command,
  coveredBy,
  type DocumentCommand,
  type NewCustomer,
  type NewItem,
  type NewPayment,
  type Reference,
  type SalesDocument,
  type SalesLine,
} from '#core/planning/plan.ts';
import { never } from '#core/values/assert.ts';
import { calendarDate, instant, isCalendarDate } from '#core/values/dates.ts';
import { isZero, minus, sum, zero } from '#core/values/decimal.ts';
import type { JsonObject } from '#core/values/json.ts';
import { noteUnexpected } from '../unexpected.ts';
import { shownNumber } from '../exact-json.ts';
import { appliedBody } from './applied-payment.ts';
import { addressBody, valueOf, withoutGaps, type Refer, type SetNumber } from './body-parts.ts';
import { toBeCreated } from './merge-fields.ts';
import { mergeUpdate } from './merge-update.ts';
import { billBody, purchaseOrderBody, vendorBody } from './purchase-bodies.ts';
import type {
  QboAccount,
  QboAddress,
  QboClass,
  QboCompanyInfo,
  QboCustomer,
  QboItem,
  QboPreferences,
  QboRecord,
  QboSales,
  QboTaxCode,
  QboTaxLine,
  QboTaxRate,
  QboVendor,
} from './wire.ts';

const madeBy = {
  create_customer: 'Customer',
  create_item: 'Item',
  create_invoice: 'Invoice',
  create_credit_memo: 'CreditMemo',
  create_vendor: 'Vendor',
  create_purchase_order: 'PurchaseOrder',
  create_bill: 'Bill',
  create_payment: 'Payment',
  apply_payment: 'Payment',
} as const satisfies Record<Exclude<Command['do'], 'void' | 'update'>, string>;

/** Returns the entity that a command creates or changes; its lower-case name is its path. */
export function entityOf(command: Command): string {
  if (command.do === 'void') return command.type;
  return madeBy[command.do === 'update' ? command.to.do : command.do];
}

/** Returns the verb for a command in operation names. */
export const verbOf = (command: Command): 'create' | 'update' | 'void' =>
  command.do === 'void' || command.do === 'update' ? command.do : command.do === 'apply_payment' ? 'update' : 'create';

/**
 * Returns the body of the request that carries out a command (domain reference 6.3, 6.5, 9 and 10). Members without a
 * value are left out, and QuickBooks sets defaults.
 */
export function toBody(command: Command, answers: readonly Posted[], number: SetNumber): JsonObject {
  const refer: Refer = (reference) => toReference(reference, answers);
  switch (command.do) {
    case 'create_customer':
      return customerBody(command.customer, refer);
    case 'create_vendor':
      return vendorBody(command.vendor);
    case 'create_item':
      return itemBody(command.item, number);
    case 'create_purchase_order':
      return purchaseOrderBody(command.order, refer, number);
    case 'create_bill':
      return billBody(command.bill, refer, number);
    case 'create_invoice':
    case 'create_credit_memo':
      return salesBody(command.document, refer, number);
    case 'create_payment':
      return paymentBody(command.payment, number);
    case 'apply_payment':
      return appliedBody(command.applied, number);
    case 'void':
      return { Id: command.id, SyncToken: command.syncToken };
    case 'update': {
      const { id: Id, syncToken: SyncToken, emailStatus: EmailStatus } = command;
      // A plan of an earlier version replaces the whole document.
      if (command.merge === undefined)
        return withoutGaps({ ...toBody(command.to, answers, number), Id, SyncToken, EmailStatus });
      const { body, clears } = mergeUpdate(plannedBody(command.to, answers, number), command.merge, () => null);
      // All members are sent, so nothing is lost if QuickBooks treats the update as a full one. Only a full update clears
      // members; it would also clear members that reads do not return (quickbooks reference 2.5).
      const isSparse = !clears && sparseEntities.has(entityOf(command));
      return { ...body, Id, SyncToken, ...(isSparse && { sparse: true }) };
    }
    default:
      return never(command);
  }
}

/** Entities for which sparse updates are documented or recorded (quickbooks reference 2.5). */
const sparseEntities: ReadonlySet<string> = new Set(['Invoice', 'Bill']);

/** Returns the body of a planned document for display and with the numbers as they are sent. */
export const plannedBody = (to: DocumentCommand, answers: readonly Posted[], number: SetNumber) => ({
  shown: toBody(to, answers, shownNumber),
  values: toBody(to, answers, number),
});

/** Returns the id of a record that a command refers to; undefined if it was not created yet. */
export const referredId = (reference: Reference, answers: readonly Posted[]): string | undefined =>
  'id' in reference ? reference.id : answers[reference.fromCommand]?.id;

const toReference = (reference: Reference, answers: readonly Posted[]): JsonObject => ({
  value: referredId(reference, answers) ?? toBeCreated,
});

/** A payment of one invoice, up to its amount (domain reference 8.3). */
const paymentBody = (payment: NewPayment, number: SetNumber): JsonObject =>
  withoutGaps({
    CustomerRef: { value: payment.customerId },
    TotalAmt: number(payment.amount),
    TxnDate: payment.paidOn,
    PaymentRefNum: payment.reference,
    PrivateNote: payment.privateNote,
    DepositToAccountRef: valueOf(payment.depositAccountId),
    CurrencyRef: valueOf(payment.currency),
    ExchangeRate: payment.exchangeRate === undefined ? null : number(payment.exchangeRate),
    Line: coveredBy(payment).map(({ type, id, amount }) => ({
      Amount: number(amount),
      LinkedTxn: [{ TxnId: id, TxnType: type }],
    })),
  });

function salesBody(document: SalesDocument, refer: Refer, number: SetNumber): JsonObject {
  const { email, onlinePayment, customFields } = document;
  return withoutGaps({
    CustomerRef: refer(document.customer),
    DocNumber: document.number,
    TxnDate: document.datedOn,
    SalesTermRef: valueOf(document.termId),
    DueDate: document.dueOn,
    BillAddr: addressBody(document.billingAddress),
    ShipAddr: addressBody(document.shippingAddress),
    CustomerMemo: valueOf(document.customerMessage),
    PrivateNote: document.privateNote,
    BillEmail: email === null || email.address === null ? null : { Address: email.address },
    // Mailing is a separate command after the totals were compared, so that no unchecked document is sent.
    EmailStatus: email === null ? null : 'NotSet',
    AllowOnlineCreditCardPayment: onlinePayment?.card ?? null,
    AllowOnlineACHPayment: onlinePayment?.bank ?? null,
    CurrencyRef: valueOf(document.currency),
    ExchangeRate: document.exchangeRate === undefined ? null : number(document.exchangeRate),
    ClassRef: valueOf(document.classId),
    DepartmentRef: valueOf(document.locationId ?? null),
    CustomField:
      customFields.length === 0
        ? null
        : customFields.map(({ definitionId, name, value }) => ({
            DefinitionId: definitionId,
            Name: name,
            Type: 'StringType',
            StringValue: value,
          })),
    TxnTaxDetail: taxBody(document, number),
    GlobalTaxCalculation: document.taxExcluded ? 'TaxExcluded' : null,
    Line: document.lines.map((line, index) => lineBody(line, index + 1, refer, number)),
  });
}

/**
 * Returns the tax of a document: its code and, with automated sales tax, the billed tax amount if the tenant chose
 * that. QuickBooks is reported to accept an amount only with a code (quickbooks reference 6.3, unconfirmed).
 */
const taxBody = ({ taxCodeId, taxOverride }: SalesDocument, number: SetNumber): JsonObject | null =>
  taxCodeId === null && (taxOverride ?? null) === null
    ? null
    : withoutGaps({
        TxnTaxCodeRef: valueOf(taxCodeId),
        TotalTax: taxOverride === undefined || taxOverride === null ? null : number(taxOverride),
      });

const lineBody = (line: SalesLine, position: number, refer: Refer, number: SetNumber): JsonObject => ({
  LineNum: position,
  DetailType: 'SalesItemLineDetail',
  Amount: number(line.amount),
  Description: line.description,
  SalesItemLineDetail: withoutGaps({
    ItemRef: refer(line.item),
    Qty: number(line.quantity),
    UnitPrice: number(line.unitPrice),
    ServiceDate: line.servedOn,
    ClassRef: valueOf(line.classId),
    TaxCodeRef: valueOf(line.taxCode),
  }),
});

const customerBody = ({ parent = null, ...customer }: NewCustomer, refer: Refer): JsonObject =>
  withoutGaps({
    DisplayName: customer.displayName,
    CompanyName: customer.companyName,
    // The parent owes the child's bills (quickbooks reference 5.7).
    ...(parent === null ? {} : { ParentRef: refer(parent), Job: true, BillWithParent: true }),
    BillAddr: addressBody(customer.billingAddress),
    ShipAddr: addressBody(customer.shippingAddress),
    PrimaryPhone: customer.phone === null ? null : { FreeFormNumber: customer.phone },
    PrimaryEmailAddr: customer.email === null ? null : { Address: customer.email },
    Taxable: customer.isTaxable,
    ResaleNum: customer.resaleNumber,
    SalesTermRef: valueOf(customer.termId),
    CurrencyRef: valueOf(customer.currency),
  });

const itemBody = (item: NewItem, number: SetNumber): JsonObject =>
  withoutGaps({
    Name: item.name,
    Type: 'NonInventory',
    IncomeAccountRef: valueOf(item.incomeAccountId),
    ExpenseAccountRef: valueOf(item.expenseAccountId),
    PurchaseCost: item.purchaseCost === undefined ? null : number(item.purchaseCost),
    Sku: item.sku,
    Taxable: item.isTaxable,
  });

/** Converts an answer of QuickBooks to a posted record. */
export function toPosted(entity: string, wire: QboRecord, document: JsonObject): Posted {
  const total = wire.TotalAmt ?? null;
  // A document without tax lacks this member.
  const tax = total === null ? null : (wire.TxnTaxDetail?.TotalTax ?? zero);
  const subtotalLine = wire.Line.find((line) => line.DetailType === 'SubTotalLineDetail');
  const derived = total === null || tax === null ? null : minus(total, tax);
  return {
    type: entity,
    id: wire.Id,
    syncToken: wire.SyncToken,
    number: wire.DocNumber,
    total,
    tax,
    ...toTaxes(wire.TxnTaxDetail?.TaxLine ?? []),
    subtotal: total === null ? null : (subtotalLine?.Amount ?? derived),
    ...(total === null ? {} : { lines: lineAmounts(wire) }),
    ...(wire.ExchangeRate === undefined || wire.ExchangeRate === null ? {} : { exchangeRate: wire.ExchangeRate }),
    dueOn: wire.DueDate,
    name: wire.DisplayName ?? wire.Name,
    document,
  };
}

/** Returns the tax by rate, without rates whose amount is zero. */
export function toTaxes(lines: readonly QboTaxLine[]): Pick<AccountingDocument, 'taxes'> {
  const taxes = lines.flatMap(({ Amount, TaxLineDetail }) => {
    const rateId = TaxLineDetail?.TaxRateRef?.value;
    if (Amount === null || Amount === undefined || isZero(Amount) || rateId === undefined) return [];
    return [{ rateId, amount: Amount }];
  });
  return taxes.length === 0 ? {} : { taxes };
}

/** Line types that we send; other lines, such as sub-totals, are QuickBooks' own. */
const sentLines: ReadonlySet<unknown> = new Set([
  'SalesItemLineDetail',
  'ItemBasedExpenseLineDetail',
  'AccountBasedExpenseLineDetail',
]);

const lineAmounts = ({ Line }: QboRecord) =>
  Line.flatMap(({ DetailType, Amount }) => (sentLines.has(DetailType) ? [Amount ?? zero] : []));

/** Returns the current state of a sales document; its links show payments and credits. */
export const toSalesState = (type: string, wire: QboSales, document: JsonObject): SalesState => ({
  type,
  id: wire.Id,
  syncToken: wire.SyncToken,
  number: wire.DocNumber,
  customer: { id: wire.CustomerRef?.value ?? '', name: wire.CustomerRef?.name ?? null },
  datedOn: calendarDate(wire.TxnDate),
  total: wire.TotalAmt,
  tax: wire.TxnTaxDetail?.TotalTax ?? zero,
  // A credit memo has its remaining amount in a separate member.
  balance: (type === 'CreditMemo' ? wire.RemainingCredit : undefined) ?? wire.Balance ?? zero,
  currency: wire.CurrencyRef?.value ?? null,
  ...(wire.ExchangeRate !== undefined && wire.ExchangeRate !== null && { exchangeRate: wire.ExchangeRate }),
  isVoided: isVoided(wire),
  isMailed: wire.EmailStatus === 'EmailSent',
  privateNote: wire.PrivateNote,
  changedAt: instant(wire.MetaData.LastUpdatedTime),
  applied: wire.LinkedTxn.flatMap(({ TxnId, TxnType }) =>
    appliedTypes.has(TxnType) ? [{ type: TxnType, id: TxnId }] : [],
  ),
  document,
});

/** Links of other types (estimates, time) show a document's origin, not what was applied to it. */
const appliedTypes: ReadonlySet<string> = new Set(['Payment', 'CreditMemo', 'JournalEntry']);

/** A void sets no flag: all amounts are 0, and the note begins with "Voided", followed by the old note. */
export const isVoided = (wire: Pick<QboRecord, 'TotalAmt' | 'PrivateNote'>): boolean =>
  wire.TotalAmt !== undefined &&
  wire.TotalAmt !== null &&
  isZero(wire.TotalAmt) &&
  /^voided\b/i.test(wire.PrivateNote ?? '');

/** Returns true if a record has this note; a void adds a prefix to it. */
export const hasNote = (wire: QboRecord, note: string): boolean => {
  const found = (wire.PrivateNote ?? '').trim();
  return found === note.trim() || (isVoided(wire) && found.endsWith(note.trim()));
};

export function toPreferences(wire: QboPreferences): AccountingPreferences {
  const { AccountingInfoPrefs: accounting, SalesFormsPrefs: sales, CurrencyPrefs: currency, TaxPrefs: tax } = wire;
  const others = wire.OtherPrefs?.NameValue ?? [];
  const closed = accounting?.BookCloseDate?.slice(0, 10);
  return {
    customTransactionNumbers: sales?.CustomTxnNumbers ?? false,
    customOrderNumbers: others.some(
      ({ Name, Value }) => Name === 'VendorAndPurchasesPrefs.UseCustomTxnNumbers' && Value === 'true',
    ),
    classPerTransaction: accounting?.ClassTrackingPerTxn ?? false,
    classPerLine: accounting?.ClassTrackingPerTxnLine ?? false,
    tracksLocations: accounting?.TrackDepartments ?? false,
    multiCurrency: currency?.MultiCurrencyEnabled ?? false,
    homeCurrency: currency?.HomeCurrency?.value ?? 'USD',
    usesSalesTax: tax?.UsingSalesTax ?? false,
    automatedSalesTax: tax?.PartnerTaxEnabled ?? false,
    closedThrough: closed !== undefined && isCalendarDate(closed) ? calendarDate(closed) : null,
    customFields: toCustomFields(sales?.CustomField.flatMap((group) => group.CustomField) ?? []),
  };
}

/** Switches and names of the three fields are unordered; the digit is the field's id (quickbooks reference 5.15). */
function toCustomFields(
  entries: readonly { readonly Name: string; readonly BooleanValue: boolean; readonly StringValue: string | null }[],
): AccountingPreferences['customFields'] {
  const find = (name: string) => entries.find((entry) => entry.Name === `SalesFormsPrefs.${name}`);
  return ['1', '2', '3'].flatMap((digit) => {
    const name = find(`SalesCustomName${digit}`)?.StringValue ?? null;
    const isUsed = find(`UseSalesCustom${digit}`)?.BooleanValue ?? false;
    return isUsed ? [{ definitionId: digit, name: name ?? `Custom field ${digit}` }] : [];
  });
}

export const toCompanyInfo = (wire: QboCompanyInfo): AccountingCompany => ({
  name: wire.CompanyName ?? '',
  country: toCountryCode(wire.Country) ?? 'US',
});

/** Subscription states in which QuickBooks accepts no writes; reads still work [Q27]. */
const readOnlyStates: ReadonlySet<string> = new Set(['RESTRICTED', 'SUSPENDED', 'EXPIRED', 'CANCELLED', 'CANCELED']);

const writableStates: ReadonlySet<string> = new Set(['PAID', 'TRIAL', 'SUBSCRIBED', 'ACTIVE', 'FREE']);

const namedValue = ({ NameValue }: QboCompanyInfo, wanted: string): string | null =>
  NameValue.find(({ Name }) => Name?.toLowerCase() === wanted.toLowerCase())?.Value ?? null;

/** Returns the status of a read-only subscription, e.g. `SUSPENDED`; null if the company accepts documents. */
export function readOnlyStatus(wire: QboCompanyInfo): string | null {
  const status = namedValue(wire, 'SubscriptionStatus')?.trim().toUpperCase() ?? '';
  if (status !== '' && !writableStates.has(status) && !readOnlyStates.has(status))
    noteUnexpected(
      {
        service: 'accounting',
        kind: 'unknown_status',
        fact: 'Q27',
        name: `SubscriptionStatus ${status}`,
        operation: 'read CompanyInfo',
      },
      wire,
    );
  return readOnlyStates.has(status) ? status : null;
}

/** Returns the name of the plan, e.g. `QuickBooks Online Plus`; null if QuickBooks does not name it. */
export const planName = (wire: QboCompanyInfo): string | null => namedValue(wire, 'OfferingSku');

export const toAccount = (wire: QboAccount): Account => ({
  id: wire.Id,
  fullyQualifiedName: wire.FullyQualifiedName ?? wire.Name ?? '',
  classification: wire.Classification ?? '',
  subType: wire.AccountSubType ?? '',
  currency: wire.CurrencyRef?.value ?? null,
  isActive: wire.Active,
});

export const toClass = (wire: QboClass): AccountingClass => ({
  id: wire.Id,
  fullyQualifiedName: wire.FullyQualifiedName ?? wire.Name ?? '',
  isActive: wire.Active,
});

/** Returns a tax code with the sum of its sales rates; the pseudo codes `TAX` and `NON` have none. */
export function toTaxCode(wire: QboTaxCode, rates: readonly QboTaxRate[]): TaxCode {
  const parts = wire.SalesTaxRateList?.TaxRateDetail ?? [];
  const known = parts.flatMap(({ TaxRateRef }): SalesRate[] => {
    const rate = rates.find(({ Id }) => Id === TaxRateRef?.value);
    if (rate?.RateValue === null || rate?.RateValue === undefined) return [];
    const { Id, Name, AgencyRef, RateValue } = rate;
    const of = { id: Id, name: Name ?? Id, agencyId: AgencyRef?.value ?? null, percent: RateValue };
    return [{ ...of, ...ratePeriods(rate) }];
  });
  const isKnown = parts.length > 0 && known.length === parts.length;
  return {
    id: wire.Id,
    name: wire.Name ?? wire.Id,
    isActive: wire.Active,
    salesRate: isKnown ? sum(known.map(({ percent }) => percent)) : null,
    ...(isKnown ? { salesRates: known } : {}),
  };
}

/** Returns the percentages of a rate by date; none if it has always been the same, as its own value says [Q84]. */
function ratePeriods({ EffectiveTaxRate }: QboTaxRate): Pick<SalesRate, 'periods'> {
  const dayOf = (moment: string | null) => {
    const day = moment?.slice(0, 10) ?? '';
    return isCalendarDate(day) ? day : null;
  };
  const periods = EffectiveTaxRate.flatMap(({ RateValue, EffectiveDate, EndDate }) =>
    RateValue === null || RateValue === undefined
      ? []
      : [{ from: dayOf(EffectiveDate), through: dayOf(EndDate), percent: RateValue }],
  );
  if (periods.length === 0 || (periods.length === 1 && periods[0]?.through === null)) return {};
  return { periods: periods.toSorted((a, b) => (a.from ?? '').localeCompare(b.from ?? '')) };
}

export const toCustomer = (wire: QboCustomer): Customer => ({
  id: wire.Id,
  displayName: wire.DisplayName ?? wire.FullyQualifiedName ?? '',
  companyName: wire.CompanyName,
  isActive: wire.Active,
  email: wire.PrimaryEmailAddr?.Address ?? null,
  phone: wire.PrimaryPhone?.FreeFormNumber ?? null,
  billingAddress: toAddress(wire.BillAddr),
  shippingAddress: toAddress(wire.ShipAddr),
  currency: wire.CurrencyRef?.value ?? null,
  ...(wire.ParentRef === null ? {} : { parentId: wire.ParentRef.value }),
  ...(wire.Taxable === undefined || wire.Taxable === null ? {} : { isTaxable: String(wire.Taxable) === 'true' }),
});

const toAddress = (wire: QboAddress): Address | null =>
  wire === null
    ? null
    : {
        line1: wire.Line1,
        line2: wire.Line2,
        city: wire.City,
        state: wire.CountrySubDivisionCode,
        postalCode: wire.PostalCode,
        country: toCountryCode(wire.Country),
      };

/** English country names in lower case, and common short forms, to ISO codes. */
const countryCodes = new Map<string, string>();
const countryNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('');
for (const code of letters.flatMap((first) => letters.map((second) => first + second))) {
  // Skips the codes of former countries, which resolve to the names of their successors.
  if (Intl.getCanonicalLocales(`und-${code}`)[0] !== `und-${code}`) continue;
  const name = countryNames.of(code)?.toLowerCase();
  if (name !== undefined) countryCodes.set(name, code);
}
for (const [name, code] of [
  ['usa', 'US'],
  ['u.s.a.', 'US'],
  ['united states of america', 'US'],
  ['uk', 'GB'],
  // ISO 3166 alpha-3, which QuickBooks returns since October 2025 [Q77].
  ['are', 'AE'],
  ['aus', 'AU'],
  ['bra', 'BR'],
  ['can', 'CA'],
  ['che', 'CH'],
  ['deu', 'DE'],
  ['esp', 'ES'],
  ['fra', 'FR'],
  ['gbr', 'GB'],
  ['hkg', 'HK'],
  ['ind', 'IN'],
  ['irl', 'IE'],
  ['ita', 'IT'],
  ['mex', 'MX'],
  ['mys', 'MY'],
  ['nld', 'NL'],
  ['nzl', 'NZ'],
  ['phl', 'PH'],
  ['sgp', 'SG'],
  ['zaf', 'ZA'],
] as const)
  countryCodes.set(name, code);

/** Returns the code of a country, because users write countries in many ways; an unknown name is unchanged. */
export const toCountryCode = (text: string | null): string | null =>
  text === null ? null : (countryCodes.get(text.trim().toLowerCase()) ?? upperCode(text.trim()));

const upperCode = (text: string): string => (/^[a-z]{2}$/i.test(text) ? text.toUpperCase() : text);

export const toVendor = (wire: QboVendor): Vendor => ({
  id: wire.Id,
  displayName: wire.DisplayName ?? '',
  companyName: wire.CompanyName,
  isActive: wire.Active,
  currency: wire.CurrencyRef?.value ?? null,
  email: wire.PrimaryEmailAddr?.Address ?? null,
  phone: wire.PrimaryPhone?.FreeFormNumber ?? null,
});

export const toItem = (wire: QboItem): Item => ({
  id: wire.Id,
  name: wire.Name ?? '',
  fullyQualifiedName: wire.FullyQualifiedName ?? wire.Name ?? '',
  type: wire.Type ?? '',
  sku: wire.Sku,
  isActive: wire.Active,
  incomeAccountId: wire.IncomeAccountRef?.value ?? null,
  expenseAccountId: wire.ExpenseAccountRef?.value ?? null,
});
