import { amountAt, cents, sum, toNumber, zero } from './amounts.ts';
import { type Application, checkedApplications, neededFor, settle, storedApplications } from './applications.ts';
import { accountReference, checkOpenPeriod, currencyOf, departmentMember, reference } from './checks.ts';
import type { Company } from './company.ts';
import { type Doc, docAt, listAt, refAt, textAt } from './doc.ts';
import { kindOf } from './entities.ts';
import { fault } from './faults.ts';
import { undepositedFunds } from './ledger/books.ts';
import type { Entry } from './table.ts';
import type { Rules, Write } from './write.ts';

const voidNote = (note: string | undefined) => (note === undefined ? 'Voided' : `Voided - ${note}`);

/** Returns the name-value list in each line of a payment (recorded). */
function lineEx(values: Readonly<Record<string, string>>): Doc {
  return {
    any: Object.entries(values).map(([name, value]) => ({
      name: '{http://schema.intuit.com/finance/v3}NameValue',
      declaredType: 'com.intuit.schema.finance.v3.NameValue',
      scope: 'javax.xml.bind.JAXBElement$GlobalScope',
      value: { Name: name, Value: value },
      nil: false,
      globalScope: true,
      typeSubstituted: false,
    })),
  };
}

/** Returns lines for responses: the amount, the link, and the open amount before this payment. */
function storedLines(kind: string, applications: readonly Application[], old: readonly Application[]): Doc[] {
  return applications.map(({ entry, amount, line, entity }): Doc => {
    const [link] = listAt(line, 'LinkedTxn');
    const linked = { TxnId: entry.id, TxnType: textAt(link, 'TxnType') ?? entity };
    if (kind === 'BillPayment') return { Amount: toNumber(amount), LinkedTxn: [linked] };
    const returned = sum(old.filter((other) => other.entry === entry).map((other) => other.amount));
    const open = (amountAt(entry.body, 'Balance') ?? zero).plus(returned);
    const values: Record<string, string> = { txnId: entry.id, txnOpenBalance: open.toFixed(2) };
    const number = textAt(entry.body, 'DocNumber');
    if (number !== undefined && (entity === 'Invoice' || entity === 'CreditMemo'))
      values['txnReferenceNumber'] = number;
    return {
      Amount: toNumber(amount),
      LinkedTxn: [linked],
      LineEx: lineEx(values),
    };
  });
}

/** Ignores LineEx in lines that a client read and sent back. */
function partyOf(kind: string, body: Doc): { readonly member: string; readonly id: string } {
  const member = kind === 'Payment' ? 'CustomerRef' : 'VendorRef';
  return { member, id: refAt(body, member) ?? '' };
}

function checkNotDeposited(entry: Entry | undefined): void {
  if (listAt(entry?.body, 'LinkedTxn').some((link) => textAt(link, 'TxnType') === 'Deposit')) throw fault.deposited();
}

/** Handles what both kinds of payment share: date, amount and applications. */
function common(
  write: Write,
  party: Doc | undefined,
): { readonly body: Doc; readonly applications: readonly Application[] } {
  const { company, kind, merged, before } = write;
  checkNotDeposited(before);
  const txnDate = textAt(merged, 'TxnDate') ?? company.today();
  checkOpenPeriod(company, textAt(before?.body, 'TxnDate'));
  checkOpenPeriod(company, txnDate);
  const currency = currencyOf(write, party, txnDate);
  const total = cents(amountAt(merged, 'TotalAmt') ?? zero);
  if (total.isNegative() && !total.isZero())
    throw fault.business('You must specify a transaction amount that is 0 or greater.');
  const applications = checkedApplications(company, kind.name, merged, partyOf(kind.name, merged), before?.body);
  const needed = neededFor(applications);
  if (needed.greaterThan(total)) throw fault.business('The amounts applied are more than the amount of the payment.');
  const old = before === undefined ? [] : storedApplications(company, kind.name, before.body);
  const body: Doc = { TxnDate: txnDate, ...departmentMember(write), ...currency.members };
  if (textAt(merged, 'PrivateNote') !== undefined) body['PrivateNote'] = merged['PrivateNote'];
  body['TotalAmt'] = toNumber(total);
  if (kind.name === 'Payment') body['UnappliedAmt'] = toNumber(total.minus(needed));
  body['LinkedTxn'] = listAt(before?.body, 'LinkedTxn');
  body['Line'] = storedLines(kind.name, applications, old);
  return { body, applications };
}

function preparePayment(write: Write): Doc {
  const { company, merged } = write;
  const customer = reference(company, merged, 'CustomerRef', 'Customer');
  const { body } = common(write, customer?.body);
  if (customer !== undefined) body['CustomerRef'] = { value: customer.id };
  const deposit =
    accountReference(company, merged, 'DepositToAccountRef', ['Bank', 'Other Current Asset']) ??
    undepositedFunds(company);
  if (deposit !== undefined) body['DepositToAccountRef'] = { value: deposit.id };
  const method = reference(company, merged, 'PaymentMethodRef', 'PaymentMethod');
  if (method !== undefined) body['PaymentMethodRef'] = { value: method.id };
  const receivable = accountReference(company, merged, 'ARAccountRef', ['Accounts Receivable']);
  if (receivable !== undefined) body['ARAccountRef'] = { value: receivable.id };
  const number = textAt(merged, 'PaymentRefNum');
  if (number !== undefined && number.length > 21) throw fault.badLength('PaymentRefNum', 0, 21, number.length);
  if (number !== undefined) body['PaymentRefNum'] = number;
  body['ProcessPayment'] = false;
  return body;
}

function prepareBillPayment(write: Write): Doc {
  const { company, merged } = write;
  const vendor = reference(company, merged, 'VendorRef', 'Vendor');
  const { body } = common(write, vendor?.body);
  if (vendor !== undefined) body['VendorRef'] = { value: vendor.id };
  const type = textAt(merged, 'PayType') ?? '';
  body['PayType'] = type;
  if (type === 'Check') {
    const check = docAt(merged, 'CheckPayment');
    const account = accountReference(company, check, 'BankAccountRef', ['Bank']);
    if (account === undefined) throw fault.missing('BankAccountRef');
    body['CheckPayment'] = {
      BankAccountRef: { value: account.id },
      PrintStatus: textAt(check, 'PrintStatus') ?? 'NotSet',
    };
  } else {
    const account = accountReference(company, docAt(merged, 'CreditCardPayment'), 'CCAccountRef', ['Credit Card']);
    if (account === undefined) throw fault.missing('CCAccountRef');
    body['CreditCardPayment'] = { CCAccountRef: { value: account.id } };
  }
  const payable = accountReference(company, merged, 'APAccountRef', ['Accounts Payable']);
  if (payable !== undefined) body['APAccountRef'] = { value: payable.id };
  if (textAt(merged, 'DocNumber') !== undefined) body['DocNumber'] = merged['DocNumber'];
  return body;
}

function paymentRules(prepare: Rules['prepare'], keeps: readonly string[]): Rules {
  return {
    keeps,
    prepare,
    applied({ company, kind }, entry, old) {
      const before = old === undefined ? [] : storedApplications(company, kind.name, old);
      settle(company, kind.name, entry.id, before, storedApplications(company, kind.name, entry.body));
    },
    checkRemoval(company, entry) {
      checkNotDeposited(entry);
      checkOpenPeriod(company, textAt(entry.body, 'TxnDate'));
    },
    removed(company, entry) {
      const name = isCustomerPayment(entry) ? 'Payment' : 'BillPayment';
      settle(company, name, entry.id, storedApplications(company, name, entry.body), []);
    },
    void(company, entry) {
      checkNotDeposited(entry);
      checkOpenPeriod(company, textAt(entry.body, 'TxnDate'));
      return {
        ...entry.body,
        PrivateNote: voidNote(textAt(entry.body, 'PrivateNote')),
        TotalAmt: 0,
        ...(isCustomerPayment(entry) && { UnappliedAmt: 0 }),
        Line: [],
      };
    },
    voided(company, entry, old) {
      const name = isCustomerPayment(entry) ? 'Payment' : 'BillPayment';
      settle(company, name, entry.id, storedApplications(company, name, old), []);
    },
  };
}

const isCustomerPayment = (entry: Entry) => entry.body['CustomerRef'] !== undefined;

const keeps = ['CurrencyRef', 'LinkedTxn', 'ExchangeRate', 'DepositToAccountRef'];

/** Returns the payments that a deposit takes out of Undeposited Funds. */
function depositedPayments(company: Company, body: Doc | undefined): Entry[] {
  return listAt(body, 'Line').flatMap((line) =>
    listAt(line, 'LinkedTxn').flatMap((link) =>
      ['Payment', 'SalesReceipt'].includes(textAt(link, 'TxnType') ?? '')
        ? (company.find(textAt(link, 'TxnType') ?? '', textAt(link, 'TxnId')) ?? [])
        : [],
    ),
  );
}

function prepareDeposit(write: Write): Doc {
  const { company, merged, before } = write;
  const txnDate = textAt(merged, 'TxnDate') ?? company.today();
  checkOpenPeriod(company, textAt(before?.body, 'TxnDate'));
  checkOpenPeriod(company, txnDate);
  const account = accountReference(company, merged, 'DepositToAccountRef', ['Bank', 'Other Current Asset']);
  const old = new Set(depositedPayments(company, before?.body));
  const lines = listAt(merged, 'Line').map((line, at): Doc => {
    const links = listAt(line, 'LinkedTxn');
    for (const link of links) {
      const [type, id] = [textAt(link, 'TxnType') ?? '', textAt(link, 'TxnId') ?? ''];
      if (type !== 'Payment' && type !== 'SalesReceipt') throw fault.cannotLink(type, id);
      const entry = company.find(type, id);
      if (entry === undefined)
        throw fault.business(`The entity ${type} ${id} that you are trying to link does not exist. ${type} ${id}`);
      if (!old.has(entry)) checkNotDeposited(entry);
    }
    const amount = amountAt(line, 'Amount');
    if (amount === undefined) throw fault.missing('Amount');
    const detail = docAt(line, 'DepositLineDetail');
    if (links.length === 0 && accountReference(company, detail, 'AccountRef') === undefined)
      throw fault.missing('AccountRef');
    return { ...line, Id: textAt(line, 'Id') ?? String(at + 1), LineNum: at + 1, Amount: toNumber(cents(amount)) };
  });
  const currency = currencyOf(write, undefined, txnDate);
  const total = sum(lines.map((line) => amountAt(line, 'Amount') ?? zero)).minus(
    amountAt(docAt(merged, 'CashBack'), 'Amount') ?? zero,
  );
  const body: Doc = {
    TxnDate: txnDate,
    ...currency.members,
    DepositToAccountRef: { value: account?.id ?? '' },
    TotalAmt: toNumber(total),
    Line: lines,
  };
  for (const member of ['PrivateNote', 'CashBack', 'DocNumber'])
    if (merged[member] !== undefined) body[member] = merged[member];
  return body;
}

function markDeposited(company: Company, depositId: string, entries: Iterable<Entry>, isDeposited: boolean): void {
  for (const entry of entries) {
    const name = entry.body['UnappliedAmt'] === undefined ? 'SalesReceipt' : 'Payment';
    const others = listAt(entry.body, 'LinkedTxn').filter((link) => textAt(link, 'TxnType') !== 'Deposit');
    const links = isDeposited ? [...others, { TxnId: depositId, TxnType: 'Deposit' }] : others;
    company.change(kindOf(name), entry, { ...entry.body, LinkedTxn: links });
  }
}

/** The rules of Payment, BillPayment and Deposit (quickbooks reference 5.5, 5.6). */
export const paymentRuleSets = {
  Payment: paymentRules(preparePayment, [...keeps, 'Line']),
  BillPayment: paymentRules(prepareBillPayment, keeps),
  Deposit: {
    keeps,
    prepare: prepareDeposit,
    applied({ company }, entry, old) {
      const before = new Set(depositedPayments(company, old));
      const now = new Set(depositedPayments(company, entry.body));
      markDeposited(company, entry.id, before.difference(now), false);
      markDeposited(company, entry.id, now.difference(before), true);
    },
    checkRemoval: (company, entry) => checkOpenPeriod(company, textAt(entry.body, 'TxnDate')),
    removed: (company, entry) => markDeposited(company, entry.id, depositedPayments(company, entry.body), false),
  },
} as const satisfies Readonly<Record<string, Rules>>;
