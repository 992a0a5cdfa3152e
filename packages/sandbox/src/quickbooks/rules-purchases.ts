import { documentAddress, freeForm } from './addresses.ts';
import { amountAt, cents, type Exact, sum, toNumber, zero } from './amounts.ts';
import { storedApplications } from './applications.ts';
import {
  accountReference,
  checkEmail,
  checkOpenPeriod,
  classMember,
  currencyOf,
  departmentMember,
  reference,
} from './checks.ts';
import { type Company, inHome } from './company.ts';
import { type Doc, docAt, isDoc, isTrue, listAt, refAt, textAt } from './doc.ts';
import { kindOf } from './entities.ts';
import { fault } from './faults.ts';
import { controlAccount } from './ledger/books.ts';
import { purchaseAccount } from './ledger/purchases.ts';
import { countNumber, documentNumber } from './numbering.ts';
import { customFieldMembers } from './rules-sales.ts';
import { checkedQuantity, lineIds } from './sales-lines.ts';
import type { Entry } from './table.ts';
import { globalTax, lineTaxCode, type TaxableLine, taxOf } from './tax.ts';
import { dueDate } from './terms.ts';
import type { Rules, Write } from './write.ts';

/** Returns the billable status of a line and its customer; Billable requires one (6310). */
function billableMembers(write: Write, detail: Doc): Doc {
  const status = textAt(detail, 'BillableStatus') ?? 'NotBillable';
  const customer = reference(write.company, detail, 'CustomerRef', 'Customer');
  if (status === 'HasBeenBilled' && write.before === undefined) throw fault.badBillable();
  if (status === 'Billable' && customer === undefined) throw fault.billableWithoutCustomer();
  return customer === undefined
    ? { BillableStatus: status }
    : { BillableStatus: status, CustomerRef: { value: customer.id } };
}

function itemDetail(write: Write, detail: Doc, amount: Exact): Doc {
  const { company, preferences } = write;
  const item = reference(company, detail, 'ItemRef', 'Item');
  if (item === undefined) throw fault.detailRequired();
  if (textAt(item.body, 'Type') === 'Category')
    throw fault.business('A category cannot be used on a transaction line.', 'ItemRef');
  if (refAt(item.body, 'ExpenseAccountRef') === undefined)
    throw fault.business(`The item ${textAt(item.body, 'Name') ?? item.id} is not set up to be purchased.`, 'ItemRef');
  if (isTrue(item.body, 'TrackQtyOnHand') && amountAt(detail, 'Qty') === undefined) throw fault.quantityNeeded();
  return {
    ...billableMembers(write, detail),
    ItemRef: { value: item.id },
    ...classMember(write, detail, preferences.tracksClassPerLine),
    ...checkedQuantity(write, amount, detail),
    // Stored with the line, so that a later account change of the item leaves the posting unchanged; never returned.
    ItemAccountRef: { value: purchaseAccount(item.body) ?? '' },
  };
}

function accountDetail(write: Write, detail: Doc): Doc {
  const { company, preferences, kind } = write;
  const account = reference(company, detail, 'AccountRef', 'Account');
  if (account === undefined) throw fault.missing('AccountRef');
  const type = textAt(account.body, 'AccountType') ?? '';
  const isControl = type === 'Accounts Receivable' || type === 'Accounts Payable';
  if (isControl && kind.name !== 'Purchase')
    throw fault.accountOfWrongType(`Account ${account.id} is of type ${type} and cannot be used on a line.`);
  return {
    ...billableMembers(write, detail),
    AccountRef: { value: account.id },
    ...classMember(write, detail, preferences.tracksClassPerLine),
  };
}

interface PurchaseLines {
  readonly lines: Doc[];
  readonly taxable: readonly TaxableLine[];
  readonly total: Exact;
}

/** Checks and computes the lines of a purchase form (quickbooks reference 5.3, 5.4). */
function purchaseLines(write: Write): PurchaseLines {
  const { company, kind, preferences } = write;
  const idOf = lineIds(write);
  const lines: Doc[] = [];
  const taxable: TaxableLine[] = [];
  for (const line of listAt(write.merged, 'Line')) {
    const type = textAt(line, 'DetailType');
    if (type === undefined) throw fault.missing('DetailType');
    if (type === 'DescriptionOnly') {
      lines.push({
        Id: idOf(line),
        LineNum: lines.length + 1,
        Description: textAt(line, 'Description') ?? '',
        DetailType: type,
        CustomExtensions: [],
      });
      continue;
    }
    if (type !== 'ItemBasedExpenseLineDetail' && type !== 'AccountBasedExpenseLineDetail')
      throw fault.business(`A line of type ${type} cannot be used on this form.`, 'DetailType');
    const given = amountAt(line, 'Amount');
    if (given === undefined) throw fault.missing('Amount');
    if (line[type] === undefined) throw fault.missing(type);
    const amount = cents(given);
    if (amount.isNegative() && kind.name === 'Bill' && !company.behaviour.get('bill_negative_lines'))
      throw fault.business('You must specify a line amount that is 0 or greater.', 'Amount');
    const isItem = type === 'ItemBasedExpenseLineDetail';
    const detail = docAt(line, type);
    const members = isItem ? itemDetail(write, detail, amount) : accountDetail(write, detail);
    const taxCode = lineTaxCode(company, preferences, refAt(detail, 'TaxCodeRef'), 'purchase') ?? 'NON';
    members['TaxCodeRef'] = { value: taxCode };
    const stored: Doc = { Id: idOf(line), LineNum: lines.length + 1 };
    if (textAt(line, 'Description') !== undefined) stored['Description'] = line['Description'];
    stored['Amount'] = toNumber(amount);
    if (isItem && kind.name === 'PurchaseOrder') stored['Received'] = Number(line['Received'] ?? 0);
    // A bill's line returns its list of links even when it is empty (recorded).
    if (listAt(line, 'LinkedTxn').length > 0 || kind.name === 'Bill')
      stored['LinkedTxn'] = checkedOrderLinks(company, listAt(line, 'LinkedTxn'));
    stored['DetailType'] = type;
    stored[type] = members;
    stored['CustomExtensions'] = [];
    lines.push(stored);
    taxable.push({ amount, taxCode });
  }
  if (taxable.length === 0) throw fault.missing('Line');
  return { lines, taxable, total: sum(taxable.map(({ amount }) => amount)) };
}

/** Checks the purchase order (and its line) that a bill's line refers to. */
function checkedOrderLinks(company: Company, links: readonly Doc[]): Doc[] {
  for (const link of links) {
    const [type, id] = [textAt(link, 'TxnType') ?? '', textAt(link, 'TxnId') ?? ''];
    if (type !== 'PurchaseOrder') continue;
    const order = company.find('PurchaseOrder', id);
    if (order === undefined)
      throw fault.business(`The entity ${type} ${id} that you are trying to link does not exist. ${type} ${id}`);
    if (textAt(link, 'TxnLineId') === undefined) throw fault.missing('TxnLineId');
  }
  return [...links];
}

/** Returns the purchase orders of a bill's lines. */
function ordersOf(body: Doc | undefined): Set<string> {
  const links = listAt(body, 'Line').flatMap((line) => listAt(line, 'LinkedTxn'));
  return new Set(
    links.flatMap((link) => (textAt(link, 'TxnType') === 'PurchaseOrder' ? (textAt(link, 'TxnId') ?? []) : [])),
  );
}

/** Closes a purchase order once bills cover every line, and reopens it when they no longer do. */
function refreshOrder(company: Company, orderId: string): void {
  const order = company.find('PurchaseOrder', orderId);
  if (order === undefined) return;
  const vendor = refAt(order.body, 'VendorRef') ?? '';
  const billed = new Map<string, Exact>();
  const bills: string[] = [];
  for (const bill of company.table('Bill').find('VendorRef', vendor)) {
    let isLinked = false;
    for (const line of listAt(bill.body, 'Line'))
      for (const link of listAt(line, 'LinkedTxn')) {
        if (textAt(link, 'TxnType') !== 'PurchaseOrder' || textAt(link, 'TxnId') !== orderId) continue;
        const lineId = textAt(link, 'TxnLineId') ?? '';
        billed.set(lineId, (billed.get(lineId) ?? zero).plus(amountAt(line, 'Amount') ?? zero));
        isLinked = true;
      }
    if (isLinked) bills.push(bill.id);
  }
  const isCovered = listAt(order.body, 'Line').every((line) =>
    (billed.get(textAt(line, 'Id') ?? '') ?? zero).greaterThanOrEqualTo(amountAt(line, 'Amount') ?? zero),
  );
  const body: Doc = {
    ...order.body,
    POStatus: bills.length > 0 && isCovered ? 'Closed' : 'Open',
    LinkedTxn: bills.map((id) => ({ TxnId: id, TxnType: 'Bill' })),
  };
  company.change(kindOf('PurchaseOrder'), order, body);
}

/**
 * Returns the vendor's address on purchase forms: on a bill the vendor's own; on an order a separate address in lines
 * with the vendor's names (recorded 2026).
 */
export function vendorAddress(company: Company, entity: string, vendor: Entry | undefined, before?: Doc): Doc {
  const address = vendor?.body['BillAddr'];
  if (!isDoc(address)) return {};
  if (entity === 'Bill') return { VendorAddr: address };
  if (entity !== 'PurchaseOrder') return {};
  const current = refAt(before, 'VendorRef') === vendor?.id ? before?.['VendorAddr'] : undefined;
  if (isDoc(current)) return { VendorAddr: current };
  return { VendorAddr: { Id: company.nextId('address'), ...freeForm(address, vendor?.body) } };
}

function payable(write: Write): Entry | undefined {
  const named = accountReference(write.company, write.merged, 'APAccountRef', ['Accounts Payable']);
  if (named !== undefined) return named;
  const currency = refAt(write.merged, 'CurrencyRef') ?? write.preferences.homeCurrency;
  return controlAccount(write.company, 'Accounts Payable', currency);
}

function checkEmailStatus(write: Write): void {
  checkEmail(write.merged, 'POEmail');
  const status = textAt(write.merged, 'EmailStatus');
  if (status === 'NeedToSend' && textAt(docAt(write.merged, 'POEmail'), 'Address') === undefined)
    throw fault.missing('POEmail');
}

const plain = [
  'PrivateNote',
  'TxnSource',
  'TransactionLocationType',
  'Memo',
  'ShipMethodRef',
  'POEmail',
  'IncludeInAnnualTPAR',
];

function preparePurchase(write: Write): Doc {
  const { company, kind, preferences, merged, before } = write;
  const { name } = kind;
  const txnDate = textAt(merged, 'TxnDate') ?? company.today();
  if (name !== 'PurchaseOrder' || company.behaviour.get('closed_period_refuses_orders')) {
    checkOpenPeriod(company, textAt(before?.body, 'TxnDate'));
    checkOpenPeriod(company, txnDate);
  }
  const vendor = name === 'Purchase' ? undefined : reference(company, merged, 'VendorRef', 'Vendor');
  const currency = currencyOf(write, vendor?.body, txnDate);
  const docNumber = documentNumber(write);
  const term = reference(company, merged, 'SalesTermRef', 'Term');
  const { lines, taxable, total: net } = purchaseLines(write);
  const global = globalTax(company, merged, docAt(write.sent, 'TxnTaxDetail'));
  const tax = taxOf({
    company,
    preferences,
    side: 'purchase',
    on: txnDate,
    lines: taxable,
    discount: zero,
    sent: {},
    code: undefined,
    customer: undefined,
    shipAddr: {},
    billAddr: {},
    global,
  });
  const total = cents(net.plus(tax.totalTax));
  if (total.isNegative() && !total.isZero())
    throw fault.business('You must specify a transaction amount that is 0 or greater.');
  const rate = amountAt(currency.members, 'ExchangeRate');

  const body: Doc = {};
  if (name === 'PurchaseOrder') {
    checkEmailStatus(write);
    body['EmailStatus'] = textAt(merged, 'EmailStatus') ?? 'NotSet';
    body['POStatus'] = textAt(merged, 'POStatus') ?? 'Open';
    body['CustomField'] = customFieldMembers(write, preferences.purchaseCustomFields);
    const shipTo = reference(company, merged, 'ShipTo', 'Customer');
    if (shipTo !== undefined) body['ShipTo'] = { value: shipTo.id };
    Object.assign(body, documentAddress(write, 'ShipAddr', { party: undefined, own: undefined, flattens: true }));
  }
  if (name === 'Bill')
    body['DueDate'] = textAt(write.sent, 'DueDate') ?? (term === undefined ? txnDate : dueDate(txnDate, term.body));
  if (docNumber !== undefined) body['DocNumber'] = docNumber;
  body['TxnDate'] = txnDate;
  Object.assign(body, departmentMember(write), currency.members);
  for (const member of plain) if (merged[member] !== undefined) body[member] = merged[member];
  body['LinkedTxn'] = listAt(before?.body, 'LinkedTxn');
  body['Line'] = lines;
  if (global !== undefined) body['GlobalTaxCalculation'] = global;
  if (Object.keys(tax.detail).length > 0) body['TxnTaxDetail'] = tax.detail;
  if (vendor !== undefined) body['VendorRef'] = { value: vendor.id };
  Object.assign(body, vendorAddress(company, name, vendor, before?.body));
  Object.assign(body, classMember(write, merged, preferences.tracksClassPerTransaction && name === 'PurchaseOrder'));
  if (term !== undefined) body['SalesTermRef'] = { value: term.id };
  if (name === 'Purchase') Object.assign(body, paidFrom(write));
  else {
    const account = payable(write);
    if (account !== undefined) body['APAccountRef'] = { value: account.id };
  }
  body['TotalAmt'] = toNumber(total);
  if (name === 'Bill' || name === 'VendorCredit') {
    const oldTotal = amountAt(before?.body, 'TotalAmt') ?? zero;
    const taken = oldTotal.minus(amountAt(before?.body, 'Balance') ?? oldTotal);
    const balance = total.minus(taken);
    if (balance.isNegative() && !balance.isZero())
      throw fault.business('The amount cannot be less than what has been applied to this transaction.');
    body['Balance'] = toNumber(balance);
    if (rate !== undefined && name === 'Bill') body['HomeBalance'] = inHome(balance, rate);
  }
  return body;
}

/** Returns the account an expense was paid from, which must match the payment method. */
function paidFrom(write: Write): Doc {
  const { company, merged } = write;
  const type = textAt(merged, 'PaymentType') ?? '';
  const account = accountReference(
    company,
    merged,
    'AccountRef',
    type === 'CreditCard' ? ['Credit Card'] : ['Bank', 'Other Current Asset'],
  );
  const members: Doc = {
    AccountRef: { value: account?.id ?? '' },
    PaymentType: type,
    Credit: isTrue(merged, 'Credit'),
  };
  const payee = docAt(merged, 'EntityRef');
  const entity = textAt(payee, 'type') ?? 'Vendor';
  const id = textAt(payee, 'value');
  if (id !== undefined) {
    if (!['Vendor', 'Customer', 'Employee'].includes(entity)) throw fault.badEnum(entity, 'EntityRef');
    reference(company, merged, 'EntityRef', entity);
    members['EntityRef'] = { value: id, type: entity };
  }
  return members;
}

const keeps = [
  'CurrencyRef',
  'LinkedTxn',
  'ExchangeRate',
  'VendorRef',
  'Line',
  'APAccountRef',
  'POStatus',
  'DeliveryInfo',
];

/** The rules of PurchaseOrder, Bill, VendorCredit and Purchase. */
export const purchaseRules: Rules = {
  keeps,
  prepare: preparePurchase,
  applied(write, entry, old) {
    countNumber(write, textAt(entry.body, 'DocNumber'));
    for (const order of new Set([...ordersOf(entry.body), ...ordersOf(old)])) refreshOrder(write.company, order);
  },
  checkRemoval(company, entry) {
    if (refAt(entry.body, 'POStatus') === undefined && entry.body['POStatus'] === undefined)
      checkOpenPeriod(company, textAt(entry.body, 'TxnDate'));
    const payments = listAt(entry.body, 'LinkedTxn').filter((link) => textAt(link, 'TxnType') === 'BillPaymentCheck');
    for (const link of payments) {
      const payment = company.find('BillPayment', textAt(link, 'TxnId'));
      if (
        payment !== undefined &&
        storedApplications(company, 'BillPayment', payment.body).some((other) => other.entry === entry)
      )
        throw fault.business('This transaction is linked to a payment. Unlink it before you delete it.');
    }
  },
  removed(company, entry) {
    for (const order of ordersOf(entry.body)) refreshOrder(company, order);
  },
};
