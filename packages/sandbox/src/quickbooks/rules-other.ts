import { amountAt, cents, sum, toNumber, zero } from './amounts.ts';
import { accountReference, checkOpenPeriod, classMember, currencyOf, reference } from './checks.ts';
import { currencyName } from './company.ts';
import { type Doc, docAt, isDoc, listAt, textAt } from './doc.ts';
import { findKind } from './entities.ts';
import { fault } from './faults.ts';
import { lineIds } from './sales-lines.ts';
import type { Rules, Write } from './write.ts';

function openDate(write: Write): string {
  const { company, merged, before } = write;
  const txnDate = textAt(merged, 'TxnDate') ?? company.today();
  checkOpenPeriod(company, textAt(before?.body, 'TxnDate'));
  checkOpenPeriod(company, txnDate);
  return txnDate;
}

function prepareJournalEntry(write: Write): Doc {
  const { company, merged, preferences } = write;
  const txnDate = openDate(write);
  const currency = currencyOf(write, undefined, txnDate);
  const idOf = lineIds(write);
  const lines = listAt(merged, 'Line').map((line, at): Doc => {
    const detail = docAt(line, 'JournalEntryLineDetail');
    const posting = textAt(detail, 'PostingType');
    const amount = amountAt(line, 'Amount');
    if (posting === undefined) throw fault.missing('PostingType');
    if (amount === undefined) throw fault.missing('Amount');
    const account = accountReference(company, detail, 'AccountRef');
    if (account === undefined) throw fault.missing('AccountRef');
    const type = textAt(account.body, 'AccountType');
    const entity = docAt(detail, 'Entity');
    const entityType = textAt(entity, 'Type');
    if (type === 'Accounts Receivable' && entityType !== 'Customer')
      throw fault.business('When you use Accounts Receivable, you must choose a customer in the Name field.');
    if (type === 'Accounts Payable' && entityType !== 'Vendor')
      throw fault.business('When you use Accounts Payable, you must choose a vendor in the Name field.');
    if (entityType !== undefined) reference(company, entity, 'EntityRef', findKind(entityType)?.name ?? 'Customer');
    const members: Doc = {
      PostingType: posting,
      AccountRef: { value: account.id },
      ...classMember(write, detail, preferences.tracksClassPerLine),
    };
    if (entityType !== undefined) members['Entity'] = entity;
    const stored: Doc = { Id: idOf(line), LineNum: at + 1 };
    if (textAt(line, 'Description') !== undefined) stored['Description'] = line['Description'];
    return {
      ...stored,
      Amount: toNumber(cents(amount)),
      DetailType: 'JournalEntryLineDetail',
      JournalEntryLineDetail: members,
    };
  });
  if (lines.length < 2) throw fault.business('Fill out at least two detail lines to continue.');
  const of = (posting: string) =>
    sum(
      lines
        .filter((line) => textAt(docAt(line, 'JournalEntryLineDetail'), 'PostingType') === posting)
        .map((line) => amountAt(line, 'Amount') ?? zero),
    );
  const [debits, credits] = [of('Debit'), of('Credit')];
  if (!debits.equals(credits)) throw fault.unbalanced(debits.toFixed(2), credits.toFixed(2));
  const body: Doc = { Adjustment: merged['Adjustment'] === true };
  if (textAt(merged, 'DocNumber') !== undefined) body['DocNumber'] = merged['DocNumber'];
  Object.assign(body, { TxnDate: txnDate, ...currency.members });
  if (textAt(merged, 'PrivateNote') !== undefined) body['PrivateNote'] = merged['PrivateNote'];
  return { ...body, Line: lines, TotalAmt: toNumber(debits) };
}

function prepareTransfer(write: Write): Doc {
  const { company, merged } = write;
  const txnDate = openDate(write);
  const balanceSheet = [
    'Bank',
    'Other Current Asset',
    'Other Asset',
    'Credit Card',
    'Other Current Liability',
    'Long Term Liability',
    'Equity',
  ];
  const from = accountReference(company, merged, 'FromAccountRef', balanceSheet);
  const to = accountReference(company, merged, 'ToAccountRef', balanceSheet);
  if (from === to) throw fault.business('You cannot transfer money from an account to itself.');
  const amount = cents(amountAt(merged, 'Amount') ?? zero);
  if (!amount.isPositive() || amount.isZero()) throw fault.business('You must set a transaction amount.');
  const body: Doc = { TxnDate: txnDate, ...currencyOf(write, undefined, txnDate).members };
  if (textAt(merged, 'PrivateNote') !== undefined) body['PrivateNote'] = merged['PrivateNote'];
  return {
    ...body,
    FromAccountRef: { value: from?.id ?? '' },
    ToAccountRef: { value: to?.id ?? '' },
    Amount: toNumber(amount),
  };
}

function prepareTimeActivity(write: Write): Doc {
  const { company, merged, preferences } = write;
  const nameOf = textAt(merged, 'NameOf') ?? '';
  const worker = reference(company, merged, `${nameOf}Ref`, nameOf === 'Vendor' ? 'Vendor' : 'Employee');
  if (worker === undefined) throw fault.missing(`${nameOf}Ref`);
  const customer = reference(company, merged, 'CustomerRef', 'Customer');
  const item = reference(company, merged, 'ItemRef', 'Item');
  const billable = textAt(merged, 'BillableStatus') ?? 'NotBillable';
  if (billable === 'Billable' && customer === undefined) throw fault.billableWithoutCustomer();
  const hasDuration = merged['Hours'] !== undefined || merged['Minutes'] !== undefined;
  if (!hasDuration && merged['StartTime'] === undefined) throw fault.missing('Hours');
  const body: Doc = {
    TxnDate: textAt(merged, 'TxnDate') ?? company.today(),
    NameOf: nameOf,
    [`${nameOf}Ref`]: { value: worker.id },
  };
  if (customer !== undefined) body['CustomerRef'] = { value: customer.id };
  if (item !== undefined) body['ItemRef'] = { value: item.id };
  Object.assign(
    body,
    classMember(write, merged, preferences.tracksClassPerLine || preferences.tracksClassPerTransaction),
  );
  body['BillableStatus'] = billable;
  body['Taxable'] = merged['Taxable'] === true;
  for (const member of [
    'HourlyRate',
    'CostRate',
    'BreakHours',
    'BreakMinutes',
    'StartTime',
    'EndTime',
    'Hours',
    'Minutes',
    'Seconds',
    'Description',
  ])
    if (merged[member] !== undefined) body[member] = merged[member];
  return body;
}

/** Merges groups of preferences member by member; members that only the web page can change are unchanged. */
function preparePreferences(write: Write): Doc {
  const old = write.before?.body ?? {};
  const body: Doc = { ...old };
  for (const [group, value] of Object.entries(write.sent)) {
    if (group === 'Id' || group === 'SyncToken' || group === 'sparse') continue;
    body[group] = isDoc(value) && group !== 'OtherPrefs' ? { ...docAt(old, group), ...value } : value;
  }
  const accounting = docAt(body, 'AccountingInfoPrefs');
  if (accounting['ClassTrackingPerTxn'] === true && accounting['ClassTrackingPerTxnLine'] === true)
    throw fault.business('Classes are tracked per transaction or per line, not both.', 'ClassTrackingPerTxn');
  return body;
}

function prepareCompanyInfo(write: Write): Doc {
  const old = write.before?.body ?? {};
  const { Id: _id, SyncToken: _token, sparse: _sparse, ...sent } = write.merged;
  const body: Doc = { ...old, ...sent };
  for (const member of ['CompanyAddr', 'CustomerCommunicationAddr', 'LegalAddr']) {
    const id = docAt(old, member)['Id'];
    if (isDoc(body[member]) && id !== undefined) body[member] = { Id: id, ...body[member] };
  }
  return body;
}

/** A rate is valid for one currency from its day on; the home currency has none. */
function prepareExchangeRate(write: Write): Doc {
  const { company, merged, preferences } = write;
  if (!preferences.isMultiCurrency) throw fault.feature('Multicurrency is not enabled for this company.');
  const code = textAt(merged, 'SourceCurrencyCode') ?? '';
  if (currencyName(code) === undefined) throw fault.badEnum(code, 'SourceCurrencyCode');
  if (code === preferences.homeCurrency) throw fault.business('The home currency has no exchange rate.');
  const rate = amountAt(merged, 'Rate') ?? zero;
  if (!rate.isPositive() || rate.isZero()) throw fault.badAmount(rate.toString(), 'Rate');
  return {
    SourceCurrencyCode: code,
    TargetCurrencyCode: preferences.homeCurrency,
    Rate: toNumber(rate),
    AsOfDate: textAt(merged, 'AsOfDate') ?? company.today(),
  };
}

/** Checks the records that a file or note is attached to. Throws a fault for one that is unknown or unsupported. */
function checkAttachmentTargets(write: Write): Doc[] {
  return listAt(write.merged, 'AttachableRef').map((target): Doc => {
    const entity = docAt(target, 'EntityRef');
    const type = textAt(entity, 'type');
    const id = textAt(entity, 'value');
    if (type === undefined || id === undefined) throw fault.missing('EntityRef');
    const kind = findKind(type);
    if (kind === undefined || (kind.kind !== 'transaction' && kind.kind !== 'list')) throw fault.attachmentTarget(type);
    if (write.company.find(kind.name, id) === undefined)
      throw fault.business(
        `The entity ${kind.name} ${id} that you are trying to link does not exist. ${kind.name} ${id}`,
      );
    return { ...target, EntityRef: { value: id, type: kind.name }, IncludeOnSend: target['IncludeOnSend'] === true };
  });
}

const categories = ['Contact Photo', 'Document', 'Image', 'Receipt', 'Signature', 'Sound', 'Other'];

function prepareAttachable(write: Write): Doc {
  const { merged, before } = write;
  if (textAt(merged, 'FileName') === undefined && textAt(merged, 'Note') === undefined) throw fault.missing('Note');
  const category = textAt(merged, 'Category');
  if (category !== undefined && !categories.includes(category)) throw fault.badEnum(category, 'Category');
  const targets = checkAttachmentTargets(write);
  const body: Doc = {};
  for (const member of ['FileName', 'FileAccessUri', 'TempDownloadUri', 'Size'])
    if (before?.body[member] !== undefined) body[member] = before.body[member];
  for (const member of ['FileName', 'ContentType', 'Category', 'Lat', 'Long', 'PlaceName', 'Note', 'Tag'])
    if (merged[member] !== undefined) body[member] = merged[member];
  if (targets.length > 0) body['AttachableRef'] = targets;
  return body;
}

function prepareTaxAgency(write: Write): Doc {
  const name = textAt(write.merged, 'DisplayName');
  for (const entry of write.company.table('TaxAgency').find('DisplayName', name ?? ''))
    if (entry !== write.before) throw fault.duplicateName(false);
  return { DisplayName: name, TaxTrackedOnPurchases: false, TaxTrackedOnSales: true };
}

const closedBooks: Pick<Rules, 'checkRemoval'> = {
  checkRemoval: (company, entry) => checkOpenPeriod(company, textAt(entry.body, 'TxnDate')),
};

/** The rules of all other entities. */
export const otherRules = {
  JournalEntry: { keeps: ['CurrencyRef'], prepare: prepareJournalEntry, ...closedBooks },
  Transfer: { keeps: ['CurrencyRef'], prepare: prepareTransfer, ...closedBooks },
  TimeActivity: { prepare: prepareTimeActivity },
  Preferences: { prepare: preparePreferences },
  CompanyInfo: { prepare: prepareCompanyInfo },
  ExchangeRate: { prepare: prepareExchangeRate },
  Attachable: { prepare: prepareAttachable },
  TaxAgency: { prepare: prepareTaxAgency },
} as const satisfies Readonly<Record<string, Rules>>;
