import { amountAt, cents, toNumber, zero } from './amounts.ts';
import { type Company, booksUser, currencyRef } from './company.ts';
import { type Doc, isDoc, isTrue, refAt, sameJson, textAt } from './doc.ts';
import { type EntityKind, kindOf } from './entities.ts';
import { fault, ServiceFault } from './faults.ts';
import { controlAccount } from './ledger/books.ts';
import { listRules } from './rules-lists.ts';
import { nameRules } from './rules-names.ts';
import { otherRules } from './rules-other.ts';
import { paymentRuleSets } from './rules-payments.ts';
import { purchaseRules } from './rules-purchases.ts';
import { salesRules } from './rules-sales.ts';
import { checkBody, normalise } from './schema.ts';
import type { Entry } from './table.ts';
import type { Rules, Write } from './write.ts';

const rules: Readonly<Record<string, Rules>> = {
  Invoice: salesRules,
  CreditMemo: { ...salesRules, keeps: [...(salesRules.keeps ?? []), 'DocNumber'] },
  Estimate: salesRules,
  SalesReceipt: { ...salesRules, keeps: [...(salesRules.keeps ?? []), 'DocNumber'] },
  RefundReceipt: salesRules,
  PurchaseOrder: purchaseRules,
  Bill: purchaseRules,
  VendorCredit: purchaseRules,
  Purchase: purchaseRules,
  ...paymentRuleSets,
  ...nameRules,
  ...listRules,
  ...otherRules,
};

/** Returns the rules of a writable entity; throws for others. */
export function rulesOf(kind: EntityKind): Rules {
  const found = rules[kind.name];
  if (found === undefined) throw fault.operationRefused('create');
  return found;
}

const receivables: ReadonlySet<string> = new Set(['Invoice', 'CreditMemo', 'Payment']);
const payables: ReadonlySet<string> = new Set(['Bill', 'VendorCredit', 'BillPayment']);

/** Creates a receivables or payables account for the first document in a foreign currency. */
function makeControlAccount(company: Company, kind: EntityKind, body: Doc): void {
  const currency = refAt(body, 'CurrencyRef');
  const isReceivable = receivables.has(kind.name);
  if (currency === undefined || currency === company.preferences.homeCurrency) return;
  if (!isReceivable && !payables.has(kind.name)) return;
  const type = isReceivable ? 'Accounts Receivable' : 'Accounts Payable';
  if (refAt(controlAccount(company, type, currency)?.body, 'CurrencyRef') === currency) return;
  const name = isReceivable ? `Accounts Receivable (A/R) - ${currency}` : `Accounts Payable (A/P) - ${currency}`;
  const account = kindOf('Account');
  company.add(account, company.newId(account), {
    Name: name,
    SubAccount: false,
    FullyQualifiedName: name,
    Active: true,
    Classification: isReceivable ? 'Asset' : 'Liability',
    AccountType: type,
    AccountSubType: isReceivable ? 'AccountsReceivable' : 'AccountsPayable',
    CurrencyRef: currencyRef(currency),
  });
}

/** Characters outside ISO-8859-1. */
const foreign = /[\u{100}-\u{10ffff}]/gu;

/** Returns the body as a company in the United States stores it: text outside ISO-8859-1 as the switch says. */
function withKnownText(company: Company, body: Doc): Doc {
  const rule = company.behaviour.get('foreign_text');
  if (rule === 'stored' || company.country !== 'US' || company.builtAt !== undefined) return body;
  const text = JSON.stringify(body);
  if (text.search(foreign) === -1) return body;
  if (rule === 'refused') throw fault.business('The text contains characters that are not supported.');
  // Only characters inside texts change, so the type is the same.
  return JSON.parse(text.replaceAll(foreign, '?')) as Doc;
}

const readOnlyStates: ReadonlySet<string> = new Set(['RESTRICTED', 'SUSPENDED', 'EXPIRED', 'CANCELLED']);
/** Records that smaller plans lack. */
const plusOnly: Readonly<Record<string, string>> = {
  PurchaseOrder: 'Purchase orders',
  Class: 'Class tracking',
  Department: 'Location tracking',
};

/** Rejects a write that the company's subscription or plan does not allow. */
function checkMayWrite(company: Company, kind: EntityKind): void {
  if (company.builtAt !== undefined) return;
  if (readOnlyStates.has(company.behaviour.get('subscription_status'))) throw fault.subscriptionEnded();
  const plan = company.behaviour.get('plan');
  const what = plusOnly[kind.name];
  if (what !== undefined && (plan === 'Simple Start' || plan === 'Essentials')) throw fault.notInPlan(what);
}

/** Options of a write besides its body. */
export interface WriteOptions {
  readonly include?: ReadonlySet<string>;
}

/** Returns whether a member is blank, which clears it in a sparse update. */
const isBlank = (value: unknown) =>
  value === '' || (isDoc(value) && Object.values(value).every((inner) => inner === '' || inner === undefined));

function merge(old: Doc, sent: Doc): Doc {
  const merged: Doc = { ...old };
  for (const [member, value] of Object.entries(sent)) {
    if (isBlank(value)) delete merged[member];
    else merged[member] = value;
  }
  return merged;
}

function checkNeeds(body: Doc, members: readonly string[]): void {
  const missing = members.filter((member) => {
    const value = body[member];
    return value === undefined || value === null || isBlank(value) || (Array.isArray(value) && value.length === 0);
  });
  // One fault lists everything that is missing (observed in batches).
  if (missing.length > 0) throw new ServiceFault(missing.flatMap((member) => fault.missing(member).errors));
}

/** Finds the record for an update, a void or a removal; checks its SyncToken (5010). */
function existing(
  company: Company,
  kind: EntityKind,
  body: Doc,
  options: { readonly needsToken?: boolean } = {},
): Entry {
  const id = textAt(body, 'Id');
  if (id === undefined) throw fault.missing('Id');
  if (!/^\d+$/.test(id)) throw fault.invalidId(id);
  const entry = company.find(kind.name, id);
  if (entry === undefined) {
    const isDeleted = company.table(kind.name).tombstones.some((tombstone) => tombstone.id === id);
    throw isDeleted ? fault.deletedByOther() : fault.inactive();
  }
  const token = textAt(body, 'SyncToken');
  if (token === undefined && options.needsToken !== false) throw fault.missing('SyncToken');
  if (token !== undefined && token !== String(entry.syncToken)) throw fault.stale(booksUser.name);
  return entry;
}

function mergedBody(write: Omit<Write, 'merged'>, raw: Doc, keeps: readonly string[]): Doc {
  const { before, sent } = write;
  if (before === undefined) return sent;
  const isFull = write.kind.name === 'Payment' && write.company.behaviour.get('payment_sparse') === 'full';
  if (isTrue(raw, 'sparse') && !isFull) return merge(before.body, sent);
  const stub: Doc = {};
  for (const member of keeps) if (before.body[member] !== undefined) stub[member] = before.body[member];
  return merge(stub, sent);
}

/**
 * Creates or updates a record: a body with an Id is an update (full, or sparse with that flag). Checks everything
 * first, then saves and updates dependent records. An update without changes keeps the SyncToken.
 *
 * @returns the saved record
 * @throws ServiceFault with nothing changed
 */
export function save(company: Company, kind: EntityKind, given: Doc, options: WriteOptions = {}): Entry {
  checkMayWrite(company, kind);
  const raw = withKnownText(company, given);
  checkBody(kind.name, raw);
  const own = rulesOf(kind);
  const singleId = kind.kind === 'single' ? '1' : undefined;
  const rateId =
    kind.name === 'ExchangeRate'
      ? `${textAt(raw, 'SourceCurrencyCode') ?? ''} ${textAt(raw, 'AsOfDate') ?? ''}`
      : undefined;
  const isUpdate = rateId === undefined ? textAt(raw, 'Id') !== undefined || singleId !== undefined : false;
  if (isUpdate && !kind.operations.has('update')) throw fault.operationRefused('update');
  if (!isUpdate && rateId === undefined && !kind.operations.has('create')) throw fault.operationRefused('create');
  const before = isUpdate
    ? existing(company, kind, raw)
    : rateId === undefined
      ? undefined
      : company.find(kind.name, rateId);
  const sent = normalise(kind.name, raw);
  delete sent['sparse'];
  delete sent['SyncToken'];
  if (before === undefined || rateId !== undefined) checkNeeds(sent, kind.needs);
  else checkNeeds(sent, neededOnUpdate(company, kind, raw));
  const draft = {
    company,
    kind,
    preferences: company.preferences,
    before,
    sent,
    include: options.include ?? new Set<string>(),
  };
  const write: Write = { ...draft, merged: mergedBody(draft, raw, own.keeps ?? []) };
  const body = own.prepare(write);
  makeControlAccount(company, kind, body);
  if (before === undefined) {
    const entry = company.add(kind, rateId ?? company.newId(kind), body);
    touchParty(company, entry);
    own.applied?.(write, entry, undefined);
    applyCredits(company, kind, entry);
    return entry;
  }
  const old = before.body;
  if (sameJson(old, body)) return before;
  company.change(kind, before, body);
  touchParty(company, before);
  own.applied?.(write, before, old);
  return before;
}

const balanceOf = ({ body }: Entry) => cents(amountAt(body, 'Balance') ?? zero);

/**
 * Applies a customer's open credits to its open invoices, oldest first, when an invoice or a credit memo is created and
 * the preference AutoApplyCredit is on. QuickBooks creates a payment of 0 that links both.
 */
function applyCredits(company: Company, kind: EntityKind, entry: Entry): void {
  const isInvoice = kind.name === 'Invoice';
  const isOn = company.builtAt === undefined && company.preferences.autoAppliesCredit;
  if (!isOn || (!isInvoice && kind.name !== 'CreditMemo')) return;
  const of = (other: Entry, member: string) => refAt(other.body, member);
  const open = [...company.table(isInvoice ? 'CreditMemo' : 'Invoice').all()]
    .filter((other) => !balanceOf(other).isZero() && of(other, 'CustomerRef') === of(entry, 'CustomerRef'))
    .filter((other) => of(other, 'CurrencyRef') === of(entry, 'CurrencyRef'))
    .sort((a, b) => (textAt(a.body, 'TxnDate') ?? '').localeCompare(textAt(b.body, 'TxnDate') ?? ''));
  for (const other of open) {
    const [own, theirs] = [balanceOf(entry), balanceOf(other)];
    if (own.isZero()) return;
    const amount = own.lessThan(theirs) ? own : theirs;
    const [invoice, credit] = isInvoice ? [entry, other] : [other, entry];
    const line = (id: string, type: string): Doc => ({
      Amount: toNumber(amount),
      LinkedTxn: [{ TxnId: id, TxnType: type }],
    });
    const currency = entry.body['CurrencyRef'];
    save(company, kindOf('Payment'), {
      CustomerRef: { value: of(entry, 'CustomerRef') ?? '' },
      ...(currency === undefined ? {} : { CurrencyRef: currency }),
      TxnDate: textAt(entry.body, 'TxnDate') ?? company.today(),
      TotalAmt: 0,
      PrivateNote: 'Created by QB Online to link credits to charges.',
      Line: [line(invoice.id, 'Invoice'), line(credit.id, 'CreditMemo')],
    });
  }
}

/** Returns members that an update requires again (quickbooks reference 2.5). */
function neededOnUpdate(company: Company, kind: EntityKind, raw: Doc): readonly string[] {
  if (!isTrue(raw, 'sparse')) {
    // A full update of an invoice keeps its customer and lines, unless the body is empty.
    const isEmpty = Object.keys(raw).every(
      (member) => member === 'Id' || member === 'SyncToken' || member === 'sparse',
    );
    return kind.name === 'Invoice' && isEmpty ? kind.needs : kind.needsOnUpdate;
  }
  if (kind.name === 'Bill') return ['VendorRef'];
  if (kind.name === 'Purchase') return ['PaymentType'];
  if (kind.name === 'PurchaseOrder') return ['VendorRef', 'APAccountRef', 'Line'];
  if (kind.name === 'Payment' && company.behaviour.get('payment_sparse') === 'refused')
    return ['CustomerRef', 'TotalAmt'];
  return [];
}

/** Each transaction updates the time of its customer or vendor (recorded), not the SyncToken. */
function touchParty(company: Company, { body }: Entry): void {
  for (const [member, entity] of [
    ['CustomerRef', 'Customer'],
    ['VendorRef', 'Vendor'],
  ] as const) {
    const value = body[member];
    const party =
      isDoc(value) && body['TotalAmt'] !== undefined ? company.find(entity, textAt(value, 'value')) : undefined;
    if (party !== undefined) company.touch(company.table(entity).kind, party);
  }
}

/** Removes a record. An attachment needs no SyncToken (recorded 2020). */
export function remove(company: Company, kind: EntityKind, raw: Doc): Entry {
  checkMayWrite(company, kind);
  if (!kind.operations.has('delete')) throw fault.operationRefused('delete');
  checkBody(kind.name, raw);
  const entry = existing(company, kind, raw, { needsToken: kind.name !== 'Attachable' });
  const own = rulesOf(kind);
  own.checkRemoval?.(company, entry);
  company.remove(kind, entry);
  touchParty(company, entry);
  own.removed?.(company, entry);
  return entry;
}

/** Voids a record: sets amounts to 0, marks the note, and releases everything applied to it. */
export function voidEntry(company: Company, kind: EntityKind, raw: Doc): Entry {
  checkMayWrite(company, kind);
  const own = rulesOf(kind);
  const isOpen = kind.name !== 'CreditMemo' || company.behaviour.get('credit_memo_void');
  if (!kind.operations.has('void') || own.void === undefined || !isOpen) throw fault.operationRefused('void');
  checkBody(kind.name, raw);
  const entry = existing(company, kind, raw);
  const old = entry.body;
  const isVoided = old['TotalAmt'] === 0 && (textAt(old, 'PrivateNote') ?? '').startsWith('Voided');
  if (isVoided) return entry;
  company.change(kind, entry, own.void(company, entry), 'Void');
  touchParty(company, entry);
  own.voided?.(company, entry, old);
  return entry;
}
