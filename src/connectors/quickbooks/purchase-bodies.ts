/** The bodies for purchasing: vendors, purchase orders and bills; pure. */
import type { NewVendor, PurchaseForm, PurchaseLine } from '#core/planning/plan.ts';
import type { JsonObject } from '#core/values/json.ts';
import { addressBody, placeOf, valueOf, withoutGaps, type Refer, type SetNumber } from './body-parts.ts';

export const vendorBody = (vendor: NewVendor): JsonObject =>
  withoutGaps({
    DisplayName: vendor.displayName,
    CompanyName: vendor.companyName,
    GivenName: vendor.givenName,
    FamilyName: vendor.familyName,
    BillAddr: addressBody(vendor.address),
    PrimaryPhone: vendor.phone === null ? null : { FreeFormNumber: vendor.phone },
    PrimaryEmailAddr: vendor.email === null ? null : { Address: vendor.email },
    CurrencyRef: valueOf(vendor.currency),
  });

/** Returns the body of a purchase order (domain reference 9.2 and 9.3). */
export const purchaseOrderBody = (order: PurchaseForm, refer: Refer, number: SetNumber): JsonObject => ({
  ...formBody(order, refer, number),
  POStatus: 'Open',
});

/** Returns the body of a bill (domain reference 10.2 and 10.3). */
export const billBody = (bill: PurchaseForm, refer: Refer, number: SetNumber): JsonObject =>
  formBody(bill, refer, number);

const formBody = (form: PurchaseForm, refer: Refer, number: SetNumber): JsonObject =>
  withoutGaps({
    VendorRef: refer(form.vendor),
    APAccountRef: valueOf(form.payableAccountId),
    DocNumber: form.number,
    TxnDate: form.datedOn,
    SalesTermRef: valueOf(form.termId),
    ShipAddr: shippingBody(form.shipTo),
    Memo: form.messageToVendor,
    PrivateNote: form.privateNote,
    CurrencyRef: valueOf(form.currency),
    ExchangeRate: form.exchangeRate === undefined ? null : number(form.exchangeRate),
    DepartmentRef: valueOf(form.locationId ?? null),
    GlobalTaxCalculation: form.taxExcluded ? 'TaxExcluded' : null,
    Line: form.lines.map((line, index) => lineBody(line, index + 1, refer, number)),
  });

/** Puts the recipient's name above the street. */
function shippingBody(shipTo: PurchaseForm['shipTo']): JsonObject | null {
  if (shipTo === null) return null;
  const { name, address } = shipTo;
  const [line1 = null, line2 = null, line3 = null] = [name, address.line1, address.line2].filter(
    (line) => line !== null,
  );
  return withoutGaps({ Line1: line1, Line2: line2, Line3: line3, ...placeOf(address) });
}

function lineBody(line: PurchaseLine, position: number, refer: Refer, number: SetNumber): JsonObject {
  const common = {
    CustomerRef: line.customer === null ? null : refer(line.customer),
    ClassRef: valueOf(line.classId),
    TaxCodeRef: valueOf(line.taxCode),
  };
  const head = { LineNum: position, Amount: number(line.amount), Description: line.description };
  if (line.by === 'item')
    return {
      ...head,
      DetailType: 'ItemBasedExpenseLineDetail',
      ItemBasedExpenseLineDetail: withoutGaps({
        ItemRef: refer(line.item),
        Qty: number(line.quantity),
        UnitPrice: number(line.unitPrice),
        ...common,
      }),
    };
  return {
    ...head,
    DetailType: 'AccountBasedExpenseLineDetail',
    AccountBasedExpenseLineDetail: withoutGaps({
      AccountRef: { value: line.accountId },
      // The PSA invoices the client directly: a billable line would be billed twice (domain reference 10.3).
      BillableStatus: 'NotBillable',
      ...common,
    }),
  };
}
