/** Converts Autotask's records to core documents; pure. */
import type { BillingKind, Invoice, InvoiceHead, InvoiceLine } from '#core/documents/invoice.ts';
import type { Address, Company } from '#core/documents/party.ts';
import type { LineOfBusiness } from '#core/documents/reference-data.ts';
import type { PsaResource } from '#core/ports/psa.ts';
import { documentDate, instant, type CalendarDate, type Instant } from '#core/values/dates.ts';
import type { AtBillingItem, AtCompany, AtContact, AtField, AtInvoice, AtResource } from './wire.ts';

/** Date-times are UTC, with `Z` or without (autotask reference section 7). */
export const withZone = (text: string): string => (/(z|[+-]\d{2}:?\d{2})$/i.test(text) ? text : `${text}Z`);
export const toInstant = (text: string | null): Instant | null => (text === null ? null : instant(withZone(text)));
export const toDate = (text: string | null, timeZone: string): CalendarDate | null =>
  text === null ? null : documentDate(/^\d{4}-\d{2}-\d{2}$/.test(text) ? text : withZone(text), timeZone);

/**
 * Returns the header of an invoice.
 *
 * @param timeZone the PSA's time zone, in which its documents are dated (domain reference 5.7).
 * @throws RangeError for an invalid date.
 */
export function toInvoiceHead(wire: AtInvoice, timeZone: string): InvoiceHead {
  return {
    id: wire.id,
    companyId: wire.companyID,
    number: wire.invoiceNumber ?? '',
    invoicedOn: documentDate(withZone(wire.invoiceDateTime), timeZone),
    createdAt: instant(withZone(wire.createDateTime)),
    dueOn: toDate(wire.dueDate, timeZone),
    total: wire.invoiceTotal,
    tax: wire.totalTaxValue,
    isVoided: wire.isVoided,
    voidedAt: toInstant(wire.voidedDate),
    exportedAt: toInstant(wire.webServiceDate),
    paidOn: toDate(wire.paidDate, timeZone),
    paymentTermId: wire.paymentTerm,
    taxRegionName: wire.taxRegionName,
    orderNumber: wire.orderNumber,
    comments: wire.comments,
  };
}

/** Returns an invoice with its lines in printed order. */
export const toInvoice = (wire: AtInvoice, lines: readonly InvoiceLine[], timeZone: string): Invoice => ({
  ...toInvoiceHead(wire, timeZone),
  lines: [...lines].sort((a, b) => (a.sortOrder ?? 0) - (b.sortOrder ?? 0) || a.id - b.id),
});

/** Labels of this tenant's two type lists, in lower case, by number. */
export interface BillingLabels {
  readonly types: ReadonlyMap<number, string>;
  readonly subTypes: ReadonlyMap<number, string>;
}

/** Reads the labels of both lists from the field information of BillingItems. */
export function toBillingLabels(fields: readonly AtField[]): BillingLabels {
  const labels = (name: string) => {
    const field = fields.find((one) => one.name.toLowerCase() === name.toLowerCase());
    const values = field?.picklistValues ?? [];
    return new Map(values.map(({ value, label }) => [Number(value), label.trim().toLowerCase()]));
  };
  return { types: labels('billingItemType'), subTypes: labels('subType') };
}

/** Kinds by label of `subType`, or of `billingItemType` if the former is not specific (domain reference 4). */
const kindByLabel: Readonly<Record<string, BillingKind>> = {
  labor: 'labor',
  'milestone labor': 'labor',
  'recurring services': 'service',
  'recurring services adjustment': 'service',
  'recurring service bundle': 'service',
  'recurring service bundle adjustment': 'service',
  subscription: 'subscription',
  'subscription cost': 'subscription',
  'ticket cost': 'charge',
  'ticket cost deductions': 'charge',
  'project cost': 'charge',
  'project cost deductions': 'charge',
  'contract cost': 'charge',
  expense: 'expense',
  'expense deductions': 'expense',
  'block purchase': 'block_purchase',
  'contract block': 'block_purchase',
  milestone: 'milestone',
  milestones: 'milestone',
  'retainer purchase': 'retainer_purchase',
  'contract retainer': 'retainer_purchase',
  'setup fee': 'contract_setup_fee',
  'contract incident': 'ticket_purchase',
};

/**
 * Returns the kind of a billing item from its labels, because the numbers differ between tenants. Without a known
 * label, the kind depends on the source record that the item references (autotask reference 8.4).
 */
export function billingKind(item: AtBillingItem, labels: BillingLabels): BillingKind {
  const type = labels.types.get(item.billingItemType ?? -1) ?? '';
  const subType = labels.subTypes.get(item.subType ?? -1) ?? '';
  // These two exist only as types; their sub-type contains the kind of contract instead.
  if (type === 'contract incident' || type === 'contract cost') return kindByLabel[type] ?? 'other';
  return kindByLabel[subType] ?? kindByLabel[type] ?? kindBySource(item);
}

function kindBySource(item: AtBillingItem): BillingKind {
  const has = (...ids: readonly (number | null)[]) => ids.some((one) => one !== null);
  if (has(item.timeEntryID)) return 'labor';
  if (has(item.ticketChargeID, item.projectChargeID, item.contractChargeID)) return 'charge';
  if (has(item.expenseItemID)) return 'expense';
  if (has(item.configurationItemID)) return 'subscription';
  if (
    has(item.serviceID, item.contractServiceID, item.contractServicePeriodID, item.contractServiceAdjustmentID) ||
    has(item.serviceBundleID, item.contractServiceBundleID) ||
    has(item.contractServiceBundlePeriodID, item.contractServiceBundleAdjustmentID)
  )
    return 'service';
  if (has(item.milestoneID)) return 'milestone';
  if (has(item.contractBlockID)) return 'block_purchase';
  return 'other';
}

/** Product ids by the charge that sold the product. */
export interface ProductsByCharge {
  readonly ticket: ReadonlyMap<number, number>;
  readonly project: ReadonlyMap<number, number>;
  readonly contract: ReadonlyMap<number, number>;
}

/** Returns one line of an invoice. */
export function toInvoiceLine(
  item: AtBillingItem,
  labels: BillingLabels,
  products: ProductsByCharge,
  timeZone: string,
): InvoiceLine {
  return {
    id: item.id,
    sortOrder: item.sortOrderID,
    kind: billingKind(item, labels),
    itemName: item.itemName,
    description: item.description,
    fullDescription: item.lineItemFullDescription,
    groupDescription: item.lineItemGroupDescription,
    servedOn: toDate(item.itemDate, timeZone),
    quantity: item.quantity,
    rate: item.rate,
    extendedPrice: item.extendedPrice,
    amount: item.totalAmount,
    internalAmount: item.internalCurrencyTotalAmount,
    internalRate: item.internalCurrencyRate,
    tax: item.taxDollars,
    internalTax: item.internalCurrencyTaxDollars,
    taxCategoryId: item.taxCategoryID,
    billingCodeId: item.billingCodeID,
    roleId: item.roleID,
    contractId: item.contractID,
    blockId: item.contractBlockID,
    ticketId: item.ticketID,
    productId:
      products.ticket.get(item.ticketChargeID ?? -1) ??
      products.project.get(item.projectChargeID ?? -1) ??
      products.contract.get(item.contractChargeID ?? -1) ??
      null,
    lineOfBusinessId: item.organizationalLevelAssociationID,
    companyId: item.companyID,
  };
}

export const toResource = (wire: AtResource): PsaResource => ({
  id: wire.id,
  firstName: wire.firstName ?? '',
  lastName: wire.lastName ?? '',
  email: wire.email ?? '',
});

/**
 * Returns a company with its two addresses, with ISO country codes.
 * @param contact the primary contact with an email address; null if there is none.
 */
export function toCompany(wire: AtCompany, contact: AtContact | null, countries: ReadonlyMap<number, string>): Company {
  const country = (id: number | null) => countries.get(id ?? -1) ?? null;
  const address: Address = {
    line1: wire.address1,
    line2: wire.address2,
    city: wire.city,
    state: wire.state,
    postalCode: wire.postalCode,
    country: country(wire.countryID),
  };
  const billTo = [wire.billingAddress1, wire.billingAddress2, wire.billToCity, wire.billToState, wire.billToZipCode];
  const billingAddress: Address = {
    line1: wire.billingAddress1,
    line2: wire.billingAddress2,
    city: wire.billToCity,
    state: wire.billToState,
    postalCode: wire.billToZipCode,
    // A country alone is not an address.
    country: billTo.some((part) => part !== null) ? country(wire.billToCountryID) : null,
  };
  return {
    id: wire.id,
    name: wire.companyName ?? '',
    type: wire.companyType ?? 0,
    isActive: wire.isActive,
    isTaxExempt: wire.isTaxExempt,
    taxId: wire.taxID,
    phone: wire.phone,
    address,
    billingAddress,
    currencyId: wire.currencyID,
    email: contact?.emailAddress ?? null,
    contactName: nameOfContact(contact),
  };
}

function nameOfContact(contact: AtContact | null): string | null {
  const name = [contact?.firstName, contact?.lastName].map((part) => part?.trim() ?? '').join(' ');
  return name.trim() === '' ? null : name.trim();
}

/** Returns the name of a line of business: both levels, or the one that has a name (domain reference 2.1). */
export function toLineOfBusiness(id: number, level1: string | null, level2: string | null): LineOfBusiness {
  const names = [level1, level2].filter((name) => name !== null && name.trim() !== '');
  return { id, fullyQualifiedName: names.join(' : ') };
}
