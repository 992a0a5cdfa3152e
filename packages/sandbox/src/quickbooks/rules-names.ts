import { checkEmail, checkName, reference } from './checks.ts';
import { type Company, currencyName, currencyRef } from './company.ts';
import { type Doc, docAt, isDoc, refAt, textAt } from './doc.ts';
import { kindOf } from './entities.ts';
import { fault } from './faults.ts';
import { schemaMembers } from './schema.ts';
import type { Write, Rules } from './write.ts';

const deletedMark = ' (deleted)';
const nameParts = ['Title', 'GivenName', 'MiddleName', 'FamilyName', 'Suffix'];
const sharedNames = ['Customer', 'Vendor', 'Employee'];
const deepest = 5;

/** Rejects a display name that a customer, vendor or employee has, active or not, in any letter case (6240). */
function checkFreeName(write: Write, name: string): void {
  for (const entity of sharedNames)
    for (const entry of write.company.table(entity).find('DisplayName', name))
      if (entry !== write.before)
        throw fault.duplicateName(write.company.behaviour.get('duplicate_name_detail') === 'reason');
}

/** Returns an unused name with the suffix of deleted records. */
function deletedName(company: Company, name: string): string {
  let candidate = `${name}${deletedMark}`;
  for (
    let count = 1;
    sharedNames.some((entity) => company.table(entity).find('DisplayName', candidate).size > 0);
    count += 1
  )
    candidate = `${name} (deleted-${count})`;
  return candidate;
}

/** Returns the name without the suffix of deleted records. */
function withoutMark(name: string): string {
  return name.replace(/ \(deleted(-\d+)?\)$/, '');
}

function displayName(write: Write): string {
  const { merged, before, company } = write;
  const parts = nameParts.flatMap((part) => textAt(merged, part) ?? []);
  const typed = textAt(merged, 'DisplayName') ?? (parts.length > 0 ? parts.join(' ') : undefined);
  if (typed === undefined) throw fault.noName();
  checkName(merged, 'DisplayName', ...nameParts);
  if (typed.length > 500) throw fault.badLength('DisplayName', 0, 500, typed.length);
  const wasActive = before === undefined || before.body['Active'] !== false;
  const isActive = merged['Active'] !== false;
  if (isActive && !wasActive) {
    const freed = withoutMark(typed);
    checkFreeName(write, freed);
    return freed;
  }
  checkFreeName(write, typed);
  return wasActive && !isActive ? deletedName(company, typed) : typed;
}

function addresses(write: Write, ...members: readonly string[]): Doc {
  const found: Doc = {};
  for (const member of members) {
    const value = write.merged[member];
    if (!isDoc(value) || Object.keys(value).length === 0) continue;
    const old = docAt(write.before?.body, member);
    found[member] = { Id: textAt(old, 'Id') ?? write.company.nextId('address'), ...value };
  }
  return found;
}

/** A name's currency is set once; a new one is added to the company's list automatically. */
function currencyMember(write: Write): Doc {
  const { preferences, before, merged } = write;
  const current = refAt(before?.body, 'CurrencyRef');
  if (current !== undefined) return { CurrencyRef: currencyRef(current) };
  const code = refAt(merged, 'CurrencyRef') ?? preferences.homeCurrency;
  if (code !== preferences.homeCurrency && !preferences.isMultiCurrency)
    throw fault.business('Multicurrency is not enabled for this company.', 'CurrencyRef');
  if (currencyName(code) === undefined) throw fault.business(`The currency ${code} is not supported.`, 'CurrencyRef');
  return { CurrencyRef: currencyRef(code) };
}

function checkDeactivation(write: Write, party: 'Customer' | 'Vendor'): void {
  const { before, merged, company } = write;
  if (before === undefined || before.body['Active'] === false || merged['Active'] !== false) return;
  const hasBalance = !company.balanceOf(party, before.id).isZero();
  if (hasBalance && company.behaviour.get('deactivate_with_balance') === 'refused') throw fault.hasBalance();
}

function printName(merged: Doc, name: string): string {
  const person = [textAt(merged, 'GivenName'), textAt(merged, 'FamilyName')]
    .filter((part) => part !== undefined)
    .join(' ');
  return textAt(merged, 'CompanyName') ?? (person === '' ? name : person);
}

/** Returns all members stored as sent: the schema's writable members except the computed ones. */
function plainMembers(write: Write, ...computed: readonly string[]): Doc {
  const found: Doc = {};
  const own = new Set([
    ...computed,
    'sparse',
    'SyncToken',
    'Id',
    'MetaData',
    'Balance',
    'BalanceWithJobs',
    'OpenBalanceDate',
  ]);
  for (const member of schemaMembers(write.kind.name)) {
    const value = write.merged[member];
    if (value !== undefined && !own.has(member)) found[member] = value;
  }
  return found;
}

function prepareCustomer(write: Write): Doc {
  const { company, merged, preferences } = write;
  const name = displayName(write);
  checkDeactivation(write, 'Customer');
  checkEmail(merged, 'PrimaryEmailAddr');
  const delivery = textAt(merged, 'PreferredDeliveryMethod') ?? 'Print';
  if (!['Print', 'Email', 'None'].includes(delivery)) throw fault.badEnum(delivery, 'PreferredDeliveryMethod');
  const reason = textAt(merged, 'TaxExemptionReasonId');
  if (reason !== undefined && !(Number(reason) >= 1 && Number(reason) <= 15))
    throw fault.badEnum(reason, 'TaxExemptionReasonId');
  const needsReason = preferences.hasAutomatedTax && write.before === undefined && merged['Taxable'] === false;
  if (needsReason && reason === undefined && company.behaviour.get('exempt_without_reason') === 'refused')
    throw fault.business('A reason is required for a customer that is exempt from sales tax.', 'TaxExemptionReasonId');
  reference(company, merged, 'SalesTermRef', 'Term');
  reference(company, merged, 'PaymentMethodRef', 'PaymentMethod');
  const parent = reference(company, merged, 'ParentRef', 'Customer');
  if (parent !== undefined && parent === write.before)
    throw fault.business('A customer cannot be its own parent.', 'ParentRef');
  const level = parent === undefined ? 0 : Number(parent.body['Level'] ?? 0) + 1;
  if (level >= deepest) throw fault.tooDeep();
  const isTaxable = merged['Taxable'] !== false;
  const taxCode = refAt(merged, 'DefaultTaxCodeRef') ?? (isTaxable ? preferences.defaultTaxCode : undefined);
  if (taxCode !== undefined && company.find('TaxCode', taxCode) === undefined)
    throw fault.unknownReference('TaxCodes', taxCode, 'DefaultTaxCodeRef');
  const body: Doc = {
    Taxable: isTaxable,
    ...addresses(write, 'BillAddr', 'ShipAddr'),
    Job: parent !== undefined && merged['Job'] !== false,
    BillWithParent: parent !== undefined && merged['BillWithParent'] === true,
  };
  if (parent !== undefined) Object.assign(body, { ParentRef: { value: parent.id }, Level: level });
  Object.assign(body, currencyMember(write), { PreferredDeliveryMethod: delivery, IsProject: false });
  Object.assign(
    body,
    plainMembers(
      write,
      ...Object.keys(body),
      'DisplayName',
      'PrintOnCheckName',
      'Active',
      'ParentRef',
      'ShipAddr',
      'BillAddr',
      'DefaultTaxCodeRef',
    ),
  );
  body['FullyQualifiedName'] =
    parent === undefined ? name : `${textAt(parent.body, 'FullyQualifiedName') ?? ''}:${name}`;
  body['DisplayName'] = name;
  body['PrintOnCheckName'] = textAt(merged, 'PrintOnCheckName') ?? printName(merged, withoutMark(name));
  body['Active'] = merged['Active'] !== false;
  if (taxCode !== undefined) body['DefaultTaxCodeRef'] = { value: taxCode };
  return body;
}

function prepareVendor(write: Write): Doc {
  const { company, merged, before } = write;
  const name = displayName(write);
  checkDeactivation(write, 'Vendor');
  checkEmail(merged, 'PrimaryEmailAddr');
  reference(company, merged, 'APAccountRef', 'Account');
  const body: Doc = {
    ...addresses(write, 'BillAddr'),
    ...plainMembers(
      write,
      'DisplayName',
      'PrintOnCheckName',
      'Active',
      'BillAddr',
      'TermRef',
      'CurrencyRef',
      'TaxIdentifier',
    ),
    Vendor1099: merged['Vendor1099'] === true,
    BillRate: Number(merged['BillRate'] ?? 0),
    CostRate: Number(merged['CostRate'] ?? 0),
    ...currencyMember(write),
    DisplayName: name,
    PrintOnCheckName: textAt(merged, 'PrintOnCheckName') ?? printName(merged, withoutMark(name)),
    Active: merged['Active'] !== false,
  };
  // The term is ignored on create and set only by an update (observed).
  const term = before === undefined ? undefined : reference(company, merged, 'TermRef', 'Term');
  if (term !== undefined) body['TermRef'] = { value: term.id };
  const tax = textAt(merged, 'TaxIdentifier');
  if (tax !== undefined)
    body['TaxIdentifier'] = tax.startsWith('X') ? tax : `${'X'.repeat(Math.max(0, tax.length - 4))}${tax.slice(-4)}`;
  return body;
}

function prepareEmployee(write: Write): Doc {
  const { merged } = write;
  if (textAt(merged, 'GivenName') === undefined && textAt(merged, 'FamilyName') === undefined)
    throw fault.missing('GivenName');
  const name = displayName(write);
  checkEmail(merged, 'PrimaryEmailAddr');
  return {
    BillableTime: merged['BillableTime'] === true,
    ...addresses(write, 'PrimaryAddr'),
    ...plainMembers(write, 'DisplayName', 'PrintOnCheckName', 'Active', 'PrimaryAddr', 'BillableTime'),
    DisplayName: name,
    PrintOnCheckName: textAt(merged, 'PrintOnCheckName') ?? printName(merged, withoutMark(name)),
    Active: merged['Active'] !== false,
  };
}

/** Adds a currency's first use to the company's list of currencies. */
function addCurrency(company: Company, code: string): void {
  const { homeCurrency } = company.preferences;
  const table = company.table('CompanyCurrency');
  if (code === homeCurrency || [...table.all()].some((entry) => textAt(entry.body, 'Code') === code)) return;
  const kind = kindOf('CompanyCurrency');
  company.add(kind, company.newId(kind), { Code: code, Name: currencyName(code) ?? code, Active: true });
}

/** Updates the full names of sub-customers. */
function renameChildren(write: Write, id: string): void {
  const table = write.company.table('Customer');
  const parentName = textAt(table.get(id)?.body, 'FullyQualifiedName') ?? '';
  for (const entry of table.all()) {
    if (refAt(entry.body, 'ParentRef') !== id) continue;
    const full = `${parentName}:${textAt(entry.body, 'DisplayName') ?? ''}`;
    if (full === textAt(entry.body, 'FullyQualifiedName')) continue;
    table.replace(entry, { ...entry.body, FullyQualifiedName: full });
    renameChildren(write, entry.id);
  }
}

const keeps = [
  'Active',
  'CurrencyRef',
  'Taxable',
  'DefaultTaxCodeRef',
  'PreferredDeliveryMethod',
  'Job',
  'BillWithParent',
];
const applied: NonNullable<Rules['applied']> = (write, entry, old) => {
  addCurrency(write.company, refAt(entry.body, 'CurrencyRef') ?? write.preferences.homeCurrency);
  if (old !== undefined && write.kind.name === 'Customer') renameChildren(write, entry.id);
};

/** The rules of Customer, Vendor and Employee (quickbooks reference 5.7 to 5.9). */
export const nameRules: Readonly<Record<'Customer' | 'Vendor' | 'Employee', Rules>> = {
  Customer: { keeps, prepare: prepareCustomer, applied },
  Vendor: { keeps: ['Active', 'CurrencyRef'], prepare: prepareVendor, applied },
  Employee: { keeps: ['Active'], prepare: prepareEmployee },
};
