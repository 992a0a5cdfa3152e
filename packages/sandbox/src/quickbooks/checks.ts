import { type Company, currencyName, currencyRef } from './company.ts';
import { type Doc, docAt, refAt, textAt } from './doc.ts';
import { fault } from './faults.ts';
import type { Entry } from './table.ts';
import type { Write } from './write.ts';

/** The name of an entity's records in faults (quickbooks reference 4.2, code 2500). */
const subjects: Readonly<Record<string, string>> = {
  Account: 'Accounts',
  Customer: 'Names',
  Vendor: 'Names',
  Employee: 'Names',
  Class: 'Klasses',
  Department: 'Depts',
  Item: 'Items',
  Term: 'Terms',
  TaxCode: 'TaxCodes',
  PaymentMethod: 'PaymentMethods',
};

/**
 * Returns the record of a reference, which must exist (2500) and be active (610 or 2500, by switch).
 *
 * @returns undefined when the reference is missing
 */
export function reference(company: Company, doc: Doc, member: string, entity: string): Entry | undefined {
  const id = refAt(doc, member);
  if (id === undefined) return undefined;
  const entry = company.find(entity, id);
  if (entry === undefined) throw fault.unknownReference(subjects[entity] ?? entity, id, member);
  if (entry.body['Active'] === false)
    throw company.behaviour.get('inactive_reference') === '610' ? fault.inactive() : fault.inactiveReference(member);
  return entry;
}

/** As `reference`, but for an account that must be of one of these types (6430). */
export function accountReference(
  company: Company,
  doc: Doc,
  member: string,
  types?: readonly string[],
): Entry | undefined {
  const entry = reference(company, doc, member, 'Account');
  const type = textAt(entry?.body, 'AccountType') ?? '';
  if (entry !== undefined && types !== undefined && !types.includes(type))
    throw fault.accountOfWrongType(
      `${member} ${entry.id} is an account of type ${type}; it must be ${types.join(' or ')}.`,
    );
  return entry;
}

/** Rejects a date in a closed period (6210). */
export function checkOpenPeriod(company: Company, date: string | undefined): void {
  const { closedThrough } = company.preferences;
  if (closedThrough !== undefined && date !== undefined && date <= closedThrough) throw fault.booksClosed();
}

/** Rejects invalid addresses (2210) in a member of type EmailAddress; allows a list separated by commas. */
export function checkEmail(doc: Doc, member: string): void {
  const address = textAt(docAt(doc, member), 'Address');
  if (address === undefined) return;
  const isAddress = (part: string) => /^[^\s@,;<>()]+@[^\s@,;<>()]+\.[^\s@,;<>()]+$/.test(part.trim());
  if (!address.split(',').every(isAddress)) throw fault.badEmail(address);
}

/** Rejects names with a colon, a tab or a line break (2040). */
export function checkName(doc: Doc, ...members: readonly string[]): void {
  for (const member of members) if (/[:\t\r\n]/.test(textAt(doc, member) ?? '')) throw fault.badCharacters(member);
}

/**
 * Returns the currency of a transaction: the one that was sent, by default that of the switch. It must match the
 * customer or vendor.
 *
 * @returns CurrencyRef with ExchangeRate where multicurrency is on, as members of the body
 */
export function currencyOf(
  write: Write,
  party: Doc | undefined,
  date: string,
): { readonly code: string; readonly members: Doc } {
  const { company, preferences, merged } = write;
  const { homeCurrency, isMultiCurrency } = preferences;
  const sent = refAt(merged, 'CurrencyRef');
  if (!isMultiCurrency) {
    if (sent !== undefined && sent !== homeCurrency)
      throw fault.business('Multicurrency is not enabled for this company.', 'CurrencyRef');
    return { code: homeCurrency, members: { CurrencyRef: currencyRef(homeCurrency) } };
  }
  const partyCurrency = refAt(party, 'CurrencyRef') ?? homeCurrency;
  const rule = company.behaviour.get('missing_currency');
  if (sent === undefined && rule === 'refused') throw fault.missing('CurrencyRef');
  const code = sent ?? (rule === 'party' ? partyCurrency : homeCurrency);
  if (currencyName(code) === undefined) throw fault.business(`The currency ${code} is not supported.`, 'CurrencyRef');
  if (party !== undefined && code !== partyCurrency)
    throw fault.business('You can only use one foreign currency per transaction.', 'CurrencyRef');
  const rateWithout = () =>
    company.behaviour.get('missing_rate') === 'one' ? 1 : company.rateOf(code, date).toNumber();
  const typed = company.behaviour.get('sent_rate') === 'used' ? write.sent['ExchangeRate'] : undefined;
  const current = write.before === undefined ? undefined : merged['ExchangeRate'];
  const rate = code === homeCurrency ? 1 : Number(typed ?? current ?? rateWithout());
  return { code, members: { CurrencyRef: currencyRef(code), ExchangeRate: rate } };
}

/**
 * Returns the class of a transaction or line if classes are tracked there; otherwise drops or rejects it, by switch.
 */
export function classMember(write: Write, doc: Doc, isTracked: boolean): Doc {
  const id = refAt(doc, 'ClassRef');
  if (id === undefined) return {};
  if (!isTracked) {
    if (write.company.behaviour.get('class_while_off') === 'dropped') return {};
    throw fault.business('Class tracking is not turned on for this part of the form.', 'ClassRef');
  }
  reference(write.company, doc, 'ClassRef', 'Class');
  return { ClassRef: { value: id } };
}

/** Returns the location of a transaction if locations are tracked; otherwise drops it. */
export function departmentMember(write: Write): Doc {
  const entry = reference(write.company, write.merged, 'DepartmentRef', 'Department');
  return entry === undefined || !write.preferences.tracksDepartments ? {} : { DepartmentRef: { value: entry.id } };
}
