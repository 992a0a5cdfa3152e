import { documentAddress, shipFrom } from './addresses.ts';
import { amountAt, cents, type Exact, toNumber, zero } from './amounts.ts';
import { checkEmail, checkOpenPeriod, classMember, currencyOf, departmentMember, reference } from './checks.ts';
import { inHome } from './company.ts';
import { type Doc, docAt, isDoc, isTrue, listAt, refAt, textAt } from './doc.ts';
import { fault } from './faults.ts';
import { unlinkPayments } from './applications.ts';
import { undepositedFunds } from './ledger/books.ts';
import { countNumber, documentNumber } from './numbering.ts';
import { salesLines } from './sales-lines.ts';
import type { Entry } from './table.ts';
import { globalTax, taxOf } from './tax.ts';
import { dueDate } from './terms.ts';
import { addDays } from './times.ts';
import type { Rules, Write } from './write.ts';

const maxTaxableLines = 750;

/** Forms with the company's address (recorded 2026). */
const printsSender: ReadonlySet<string> = new Set(['Invoice', 'CreditMemo', 'Estimate']);

/** Returns the note of a voided document with the service's prefix, the only sign of the void. */
const voidNote = (note: string | undefined) => (note === undefined ? 'Voided' : `Voided - ${note}`);

/** Returns the custom fields of a form: every active definition with its sent or stored value. */
export function customFieldMembers(
  write: Write,
  definitions: readonly { readonly id: string; readonly name: string }[],
): Doc[] {
  const max = write.company.behaviour.get('custom_field_length');
  const given = listAt(write.merged, 'CustomField');
  for (const field of given) {
    const id = textAt(field, 'DefinitionId');
    if (id === undefined) throw fault.missing('DefinitionId');
    const value = textAt(field, 'StringValue') ?? '';
    if (!definitions.some((definition) => definition.id === id)) throw fault.badCustomField(id);
    if (value.length > max) throw fault.badLength('StringValue', 0, max, value.length);
  }
  return definitions.map(({ id, name }) => {
    const value = textAt(
      given.find((field) => textAt(field, 'DefinitionId') === id),
      'StringValue',
    );
    const field: Doc = { DefinitionId: id, Name: name, Type: 'StringType' };
    if (value !== undefined) field['StringValue'] = value;
    return field;
  });
}

function dueDateOf(write: Write, txnDate: string): string {
  const { before, sent, merged, company } = write;
  const typed = textAt(sent, 'DueDate');
  if (typed !== undefined) return typed;
  const current = textAt(merged, 'DueDate');
  const isMoved =
    before === undefined ||
    textAt(before.body, 'TxnDate') !== txnDate ||
    refAt(before.body, 'SalesTermRef') !== refAt(merged, 'SalesTermRef');
  if (current !== undefined && !isMoved) return current;
  const term = reference(company, merged, 'SalesTermRef', 'Term');
  return term === undefined ? addDays(txnDate, 30) : dueDate(txnDate, term.body);
}

/** Returns the amount applied to this document by others: payments of an invoice, applications of a credit memo. */
function applied(before: Entry | undefined): Exact {
  const total = amountAt(before?.body, 'TotalAmt') ?? zero;
  return total.minus(amountAt(before?.body, 'Balance') ?? total);
}

function emailMembers(write: Write): Doc {
  const { merged, preferences, before, kind } = write;
  for (const member of ['BillEmail', 'BillEmailCc', 'BillEmailBcc']) checkEmail(merged, member);
  const status = textAt(merged, 'EmailStatus') ?? 'NotSet';
  const address = textAt(docAt(merged, 'BillEmail'), 'Address');
  if (status === 'NeedToSend' && address === undefined) throw fault.missing('BillEmail');
  const members: Doc = { EmailStatus: status };
  if (address !== undefined) members['BillEmail'] = { Address: address };
  const copies = { BillEmailCc: preferences.salesEmailCc, BillEmailBcc: preferences.salesEmailBcc };
  for (const [member, standard] of Object.entries(copies)) {
    const typed =
      textAt(docAt(merged, member), 'Address') ??
      (before === undefined && kind.name === 'Invoice' ? standard : undefined);
    if (typed !== undefined) members[member] = { Address: typed };
  }
  if (status === 'NeedToSend') members['DeliveryInfo'] = { DeliveryType: 'Email' };
  else if (status === 'EmailSent' && isDoc(merged['DeliveryInfo'])) members['DeliveryInfo'] = merged['DeliveryInfo'];
  return members;
}

/** Members that are stored as sent. */
const plain = [
  'PrivateNote',
  'TxnSource',
  'TransactionLocationType',
  'ProjectRef',
  'ShipMethodRef',
  'ShipDate',
  'TrackingNum',
  'PONumber',
  'FOB',
  'TxnStatus',
  'ExpirationDate',
  'AcceptedBy',
  'AcceptedDate',
  'PaymentRefNum',
  'PaymentMethodRef',
  'InvoiceRef',
  'CustomerMemo',
];

function prepareSales(write: Write): Doc {
  const { company, kind, preferences, merged, before } = write;
  const { name } = kind;
  const txnDate = textAt(merged, 'TxnDate') ?? company.today();
  const isPosting = name !== 'Estimate';
  if (isPosting) {
    checkOpenPeriod(company, textAt(before?.body, 'TxnDate'));
    checkOpenPeriod(company, txnDate);
  }
  const customer = reference(company, merged, 'CustomerRef', 'Customer');
  const currency = currencyOf(write, customer?.body, txnDate);
  const docNumber = documentNumber(write);
  reference(company, merged, 'SalesTermRef', 'Term');
  reference(company, merged, 'PaymentMethodRef', 'PaymentMethod');
  const { lines, taxable, subTotal, discount } = salesLines(write);
  const sentTax = docAt(write.sent, 'TxnTaxDetail');
  const global = globalTax(company, merged, sentTax);
  const afterDiscount = isTrue(merged, 'ApplyTaxAfterDiscount');
  const addresses = {
    ...documentAddress(write, 'BillAddr', { party: customer?.body, own: customer?.body['BillAddr'], flattens: true }),
    ...documentAddress(write, 'ShipAddr', { party: customer?.body, own: customer?.body['ShipAddr'], flattens: false }),
  };
  const isTaxableCustomer = customer?.body['Taxable'] !== false;
  const tax = taxOf({
    company,
    preferences,
    side: 'sales',
    on: txnDate,
    lines: taxable,
    discount: afterDiscount ? discount : zero,
    sent: sentTax,
    code:
      refAt(docAt(merged, 'TxnTaxDetail'), 'TxnTaxCodeRef') ??
      (isTaxableCustomer ? refAt(customer?.body, 'DefaultTaxCodeRef') : undefined),
    customer: customer?.body,
    shipAddr: docAt(addresses, 'ShipAddr'),
    billAddr: docAt(addresses, 'BillAddr'),
    global,
  });
  if (preferences.usesSalesTax && taxable.length > maxTaxableLines && taxable.some(({ taxCode }) => taxCode === 'TAX'))
    throw fault.business(`A taxable form can have at most ${maxTaxableLines} lines.`, 'Line');
  const total = cents(subTotal.minus(discount).plus(tax.totalTax));
  if (total.isNegative() && !total.isZero())
    throw fault.business('You must specify a transaction amount that is 0 or greater.');
  const taken = name === 'Invoice' || name === 'CreditMemo' ? applied(before) : zero;
  const balance = total.minus(taken);
  if (balance.isNegative() && !balance.isZero())
    throw fault.business('The amount cannot be less than what has been applied to this transaction.');

  const body: Doc = {};
  if (name === 'Invoice') Object.assign(body, onlinePayment(write));
  body['CustomField'] = customFieldMembers(write, preferences.salesCustomFields);
  if (docNumber !== undefined) body['DocNumber'] = docNumber;
  body['TxnDate'] = txnDate;
  Object.assign(body, departmentMember(write), currency.members);
  for (const member of plain) if (merged[member] !== undefined) body[member] = merged[member];
  body['LinkedTxn'] = linkedTransactions(write);
  body['Line'] = lines;
  if (global !== undefined) body['GlobalTaxCalculation'] = global;
  if (Object.keys(tax.detail).length > 0) body['TxnTaxDetail'] = tax.detail;
  if (customer !== undefined) body['CustomerRef'] = { value: customer.id };
  Object.assign(body, addresses, classMember(write, merged, preferences.tracksClassPerTransaction));
  body['FreeFormAddress'] = true;
  if (printsSender.has(name) && (before === undefined || before.body['ShipFromAddr'] !== undefined))
    Object.assign(body, shipFrom(company, before?.body));
  if (merged['SalesTermRef'] !== undefined) body['SalesTermRef'] = { value: refAt(merged, 'SalesTermRef') ?? '' };
  if (name === 'Invoice') body['DueDate'] = dueDateOf(write, txnDate);
  body['TotalAmt'] = toNumber(total);
  const rate = amountAt(currency.members, 'ExchangeRate');
  if (rate !== undefined) body['HomeTotalAmt'] = inHome(total, rate);
  body['ApplyTaxAfterDiscount'] = afterDiscount;
  body['PrintStatus'] = textAt(merged, 'PrintStatus') ?? 'NeedToPrint';
  Object.assign(body, emailMembers(write));
  if (name !== 'Estimate') body['Balance'] = name === 'Invoice' || name === 'CreditMemo' ? toNumber(balance) : 0;
  if (rate !== undefined && name === 'Invoice') body['HomeBalance'] = inHome(balance, rate);
  if (name === 'CreditMemo') body['RemainingCredit'] = toNumber(balance);
  if (name === 'Estimate' && body['TxnStatus'] === undefined) body['TxnStatus'] = 'Pending';
  if (name === 'SalesReceipt' || name === 'RefundReceipt') Object.assign(body, depositAccount(write));
  return body;
}

function depositAccount({ company, merged }: Write): Doc {
  const account = reference(company, merged, 'DepositToAccountRef', 'Account') ?? undepositedFunds(company);
  return account === undefined ? {} : { DepositToAccountRef: { value: account.id } };
}

function onlinePayment({ preferences, merged }: Write): Doc {
  const online = (member: string) => preferences.takesOnlinePayments && merged[member] !== false;
  return {
    AllowIPNPayment: isTrue(merged, 'AllowIPNPayment'),
    AllowOnlinePayment: isTrue(merged, 'AllowOnlinePayment'),
    AllowOnlineCreditCardPayment: online('AllowOnlineCreditCardPayment'),
    AllowOnlineACHPayment: online('AllowOnlineACHPayment'),
  };
}

/**
 * Returns the links that a client may set on a sales form (estimates, time), and those of the service (payments,
 * deposits).
 */
function linkedTransactions(write: Write): Doc[] {
  const { company, before } = write;
  const settable = new Set(['Estimate', 'TimeActivity']);
  const current = listAt(before?.body, 'LinkedTxn');
  const sent = listAt(write.merged, 'LinkedTxn').filter((link) => settable.has(textAt(link, 'TxnType') ?? ''));
  for (const link of sent) {
    const [type, id] = [textAt(link, 'TxnType') ?? '', textAt(link, 'TxnId') ?? ''];
    if (company.find(type, id) === undefined)
      throw fault.business(`The entity ${type} ${id} that you are trying to link does not exist. ${type} ${id}`);
  }
  return [...current.filter((link) => !settable.has(textAt(link, 'TxnType') ?? '')), ...sent];
}

/**
 * Returns a voided form: amounts and quantities 0, the note marked; number, dates and customer unchanged (recorded
 * 2022).
 */
function voidedBody(body: Doc): Doc {
  const lines = listAt(body, 'Line').map((line) => {
    const type = textAt(line, 'DetailType') ?? '';
    const copy: Doc = { ...line };
    if (line['Amount'] !== undefined) copy['Amount'] = 0;
    const detail = line[type];
    if (isDoc(detail) && detail['Qty'] !== undefined) copy[type] = { ...detail, Qty: 0 };
    return copy;
  });
  const copy: Doc = { ...body, Line: lines, TotalAmt: 0, PrivateNote: voidNote(textAt(body, 'PrivateNote')) };
  for (const member of ['Balance', 'HomeBalance', 'HomeTotalAmt', 'RemainingCredit', 'UnappliedAmt'])
    if (body[member] !== undefined) copy[member] = 0;
  if (body['TxnTaxDetail'] !== undefined) copy['TxnTaxDetail'] = { TotalTax: 0 };
  return copy;
}

/** The rules of Invoice, CreditMemo, Estimate, SalesReceipt and RefundReceipt. */
export const salesRules: Rules = {
  keeps: ['CustomerRef', 'Line', 'CurrencyRef', 'LinkedTxn', 'DeliveryInfo', 'ExchangeRate', 'DepositToAccountRef'],
  prepare: prepareSales,
  applied(write, entry) {
    countNumber(write, textAt(entry.body, 'DocNumber'));
    for (const link of listAt(entry.body, 'LinkedTxn')) {
      const estimate =
        textAt(link, 'TxnType') === 'Estimate' ? write.company.find('Estimate', textAt(link, 'TxnId')) : undefined;
      if (estimate === undefined || textAt(estimate.body, 'TxnStatus') === 'Closed') continue;
      const { kind } = write.company.table('Estimate');
      const links = [...listAt(estimate.body, 'LinkedTxn'), { TxnId: entry.id, TxnType: write.kind.name }];
      write.company.change(kind, estimate, { ...estimate.body, TxnStatus: 'Closed', LinkedTxn: links });
    }
  },
  checkRemoval(company, entry) {
    checkOpenPeriod(company, textAt(entry.body, 'TxnDate'));
    if (listAt(entry.body, 'LinkedTxn').some((link) => textAt(link, 'TxnType') === 'Deposit')) throw fault.deposited();
    if (listAt(entry.body, 'LinkedTxn').some((link) => textAt(link, 'TxnType') === 'Payment'))
      throw fault.business('This transaction is linked to a payment. Unlink it before you delete it.');
  },
  void(company, entry) {
    checkOpenPeriod(company, textAt(entry.body, 'TxnDate'));
    if (listAt(entry.body, 'LinkedTxn').some((link) => textAt(link, 'TxnType') === 'Deposit')) throw fault.deposited();
    const links = listAt(entry.body, 'LinkedTxn').filter((link) => textAt(link, 'TxnType') !== 'Payment');
    return { ...voidedBody(entry.body), LinkedTxn: links };
  },
  voided(company, entry) {
    unlinkPayments(company, entry);
  },
};
