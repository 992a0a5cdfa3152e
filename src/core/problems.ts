import type { ServiceFailure } from './service-error.ts';

/**
 * How a problem is treated (domain reference 13): `person` must be mended by somebody and marks the document in the
 * PSA; `held` waits without a mark; `transient` is tried again; `stops_run` ends the run for every document;
 * `warning` does not hide success.
 */
export type Treatment = 'person' | 'held' | 'transient' | 'stops_run' | 'warning';

/** Something that stands against a document, in words that reach the log, the API and the screen alike. */
export interface Problem {
  /** A code of the catalogue, e.g. `ITEM_NOT_MAPPED`. */
  readonly code: string;
  readonly treatment: Treatment;
  /** What happened, one sentence that names the record. */
  readonly message: string;
  /** What to do about it, one sentence; null when nothing has to be done. */
  readonly remedy: string | null;
  /** The screen where it is mended, e.g. `/item-xrefs`; null when it is mended in one of the services. */
  readonly screen: string | null;
}

export interface Entry<Of> {
  readonly treatment: Treatment;
  readonly message: (of: Of) => string;
  /** `{psa}` stands for the PSA's label. */
  readonly remedy: string | null;
  readonly screen: string | null;
}

const entry =
  (treatment: Treatment, screen: string | null = null, remedy: string | null = null) =>
  <Of = void>(message: (of: Of) => string): Entry<Of> => ({ treatment, message, remedy, screen });

/** What passes by itself needs nobody, and says so. */
const transient = entry('transient', null, 'Nothing has to be done: the next sync tries it again.');
const person = (screen: string | null, remedy: string | null) => entry('person', screen, remedy);
const warning = (screen: string | null = null, remedy: string | null = null) => entry('warning', screen, remedy);

interface Named {
  readonly name: string;
}
interface Detail {
  readonly detail: string;
}

const customers = '/company-xrefs';
const vendors = '/vendor-xrefs';
const items = '/item-xrefs';
const settings = '/settings';
const connections = '/connections';

/**
 * Every problem the product knows (domain reference 13), written once: the log, the API and the screens read it.
 * Money in `of` is already set for people.
 */
export const problems = {
  CUSTOMER_AMBIGUOUS: person(
    customers,
    'Map the company to one of them under Customer Mappings.',
  )<Named>(({ name }) => `Several QuickBooks customers are called "${name}".`),
  CUSTOMER_INACTIVE: person(
    customers,
    'Reactivate it in QuickBooks, or map the company to another customer under Customer Mappings.',
  )<Named>(({ name }) => `The QuickBooks customer "${name}" is inactive or deleted.`),
  VENDOR_INACTIVE: person(
    vendors,
    'Reactivate it in QuickBooks, or map the company to another vendor under Vendor Mappings.',
  )<Named>(({ name }) => `The QuickBooks vendor "${name}" is inactive or deleted.`),
  COMPANY_NOT_FOUND: person(
    null,
    'Check that the company exists in {psa} and that the API user may read it.',
  )<{ readonly psa: string; readonly id: number }>(({ psa, id }) => `The ${psa} company ${id} could not be read.`),
  RESOURCE_NOT_FOUND: person(
    null,
    'Check that the person has a name in {psa} and that the API user may read it.',
  )<{ readonly psa: string; readonly id: number }>(
    ({ psa, id }) => `The name of the ${psa} resource ${id}, who submitted the report, could not be read.`,
  ),
  ITEM_NOT_MAPPED: person(
    items,
    'Map them under Item Mappings or turn on automatic item creation.',
  )<{ readonly count: number; readonly list: string }>(({ count, list }) =>
    count === 1 ? `1 line has no QuickBooks item: ${list}.` : `${count} lines have no QuickBooks item: ${list}.`,
  ),
  ITEM_INVALID: person(
    items,
    'Reactivate it in QuickBooks, or map another item under Item Mappings.',
  )<Named & { /** `is inactive or deleted`, unless something else is the matter. */ readonly wrong?: string }>(
    ({ name, wrong }) => `The mapped item "${name}" ${wrong ?? 'is inactive or deleted'}.`,
  ),
  ITEM_NO_INCOME_ACCOUNT: person(
    items,
    'Set its income account in QuickBooks, or map another item under Item Mappings.',
  )<Named>(({ name }) => `The item "${name}" has no income account.`),
  ITEM_NO_EXPENSE_ACCOUNT: person(
    items,
    'Set its expense account in QuickBooks, or map another item under Item Mappings.',
  )<Named>(({ name }) => `The item "${name}" has no expense account.`),
  INCOME_ACCOUNT_REQUIRED: person(
    settings,
    'Choose an active income account in Settings, Invoices.',
  )(() => 'New items need an income account, and no usable one is chosen.'),
  EXPENSE_ACCOUNT_REQUIRED: person(
    settings,
    'Choose an active expense account in Settings, Purchase Orders.',
  )(() => 'New items, and lines without a product, need an expense account, and no usable one is chosen.'),
  EXPENSE_CATEGORY_NOT_MAPPED: person(
    '/expense-xrefs',
    'Map the categories under Expense Mappings.',
  )<{
    readonly billable: boolean;
    readonly list: string;
  }>(({ billable, list }) => `No ${billable ? 'billable' : 'non-billable'} account for: ${list}.`),
  CASH_ADVANCE_ACCOUNT_REQUIRED: person(
    settings,
    'Choose a cash advance account in Settings, Expense Reports.',
  )(() => 'The report has a cash advance but no cash advance account is set.'),
  NEGATIVE_BILL: person(
    null,
    'Record it in QuickBooks by hand: nothing is paid to the employee.',
  )<{
    readonly advance: string;
    readonly expenses: string;
    readonly owed: string;
  } | null>((of) =>
    of === null
      ? 'Nothing to reimburse.'
      : `The cash advance (${of.advance}) exceeds the expenses (${of.expenses}). The employee owes ${of.owed}; record it in QuickBooks by hand.`,
  ),
  NO_REIMBURSABLE_ITEMS: person(
    null,
    'Nothing is owed to the employee. If that is wrong, mark in {psa} what is to be paid back, then sync it again.',
  )<{ readonly psa: string }>(() => 'The report has no reimbursable items.'),
  PAYABLE_ACCOUNT_REQUIRED: person(
    settings,
    'Choose a payable account in Settings, Purchase Orders.',
  )(() => 'No usable payable account is chosen.'),
  FREIGHT_ACCOUNT_REQUIRED: person(
    settings,
    'Choose an expense account in Settings, Purchase Orders.',
  )(() => 'The order has freight but no usable expense account is chosen.'),
  DUPLICATE_DOC_NUMBER: person(
    null,
    'Give one of the two another number, then clear the sync status and sync again.',
  )<{
    /** What carries the number, e.g. `Invoice number`. */
    readonly what: string;
    readonly number: string;
    /** The document that has it, e.g. `invoice 8801 (Birch Legal)`. */
    readonly takenBy: string;
  }>(({ what, number, takenBy }) => `${what} ${number} is already used in QuickBooks by ${takenBy}.`),
  DOC_NUMBER_TOO_LONG: person(
    settings,
    'Shorten the number in {psa}, or let QuickBooks generate it (Settings).',
  )<{
    readonly psa: string;
    readonly number: string;
  }>(({ number }) => `The number "${number}" has more than 21 characters.`),
  DOC_NUMBER_MISSING: person(
    settings,
    'Number it in {psa}, or let QuickBooks generate the number (Settings).',
  )<{
    readonly psa: string;
    /** `invoice`, unless it is something else. */
    readonly what?: string;
  }>(({ what = 'invoice' }) => `The ${what} has no number.`),
  NUMBERING_MISMATCH: entry(
    'stops_run',
    settings,
    'Change the invoice numbering in Settings, or Custom transaction numbers in QuickBooks (Account and settings, Sales).',
  )<{ readonly isOn: boolean }>(({ isOn }) =>
    isOn
      ? 'QuickBooks custom transaction numbers are on but the setting expects off.'
      : 'QuickBooks custom transaction numbers are off but the setting expects on.',
  ),
  PERIOD_CLOSED: entry(
    'held',
    settings,
    'Move the date in {psa}, reopen the period in QuickBooks, or change the policy in Settings.',
  )<{ readonly psa: string; readonly closedThrough: string | null }>(({ closedThrough }) =>
    closedThrough === null ? 'The books are closed for this date.' : `The books are closed through ${closedThrough}.`,
  ),
  TAX_ADDRESS_INCOMPLETE: person(
    null,
    'Complete the address in {psa}: state and postal code are needed.',
  )<{
    readonly psa: string;
    readonly company: string;
  }>(({ company }) => `The sales tax address of ${company} is incomplete.`),
  TAX_CODE_REQUIRED: person(
    null,
    'Name a QuickBooks tax code like the tax region; lines without tax need one of 0 % that is called Exempt, Zero, Out of scope or No VAT.',
  )<{
    /** The lines that have none; taxed ones take the code that is called like the region. */
    readonly of: 'taxed' | 'untaxed';
    readonly region?: string | null;
  }>(({ of, region = null }) => {
    if (of === 'untaxed') return 'QuickBooks has no active tax code of 0 % for lines without tax.';
    return region === null
      ? 'The invoice has taxed lines but no tax region.'
      : `No QuickBooks tax code is called "${region}".`;
  }),
  CURRENCY_MISMATCH: person(
    customers,
    'Map the company to a customer of its currency under Customer Mappings.',
  )<{
    readonly company: string;
    readonly currency: string;
    readonly other: string;
  }>(({ company, currency, other }) => `${company} uses ${currency}, the QuickBooks customer uses ${other}.`),
  HOME_CURRENCY_MISMATCH: person(
    connections,
    'Connect a QuickBooks company with the same home currency.',
  )<{
    readonly psa: string;
    readonly currency: string;
    readonly other: string;
  }>(({ psa, currency, other }) => `${psa} uses ${currency}, QuickBooks uses ${other} as its home currency.`),
  CONTROL_TOTAL: person(
    null,
    'Check the invoice in {psa}.',
  )<{
    readonly psa: string;
    readonly lines: string;
    readonly invoice: string;
  }>(({ lines, invoice }) => `The lines add up to ${lines}, the invoice says ${invoice}.`),
  NO_LINES: person(
    null,
    'Check it in {psa}.',
  )<{
    readonly psa: string;
    /** `invoice`, unless it is something else. */
    readonly what?: string;
  }>(({ what = 'invoice' }) => `The ${what} has no lines.`),
  TOO_MANY_LINES: person(
    settings,
    'Turn on “Group invoice lines” in Settings, or split the invoice in {psa}.',
  )<{
    readonly psa: string;
    readonly count: number;
    readonly most: number;
  }>(
    ({ count, most }) => `QuickBooks takes at most ${most} lines on a taxable invoice, this one has ${format(count)}.`,
  ),
  NEGATIVE_INVOICE: person(
    settings,
    'Let such invoices become credit memos in Settings, or record it by hand.',
  )<{
    readonly total: string;
  }>(({ total }) => `The invoice total is negative (${total}).`),
  VOID_HAS_PAYMENTS: person(
    null,
    'Unapply it in QuickBooks, then sync the void again.',
  )<{
    /** `Invoice`, unless it is something else. */
    readonly what?: string;
    readonly number: string;
    readonly amount: string;
  }>(({ what = 'Invoice', number, amount }) => `${what} ${number} has ${amount} applied.`),
  MISSING_IN_BOOKS: person(
    null,
    'Void it in {psa}, or clear its sync status and sync it again.',
  )<{ readonly psa: string; readonly number: string }>(
    ({ number }) => `Invoice ${number} is not in QuickBooks any more.`,
  ),
  VOIDED_IN_BOOKS: person(
    null,
    'Void it in {psa} as well, or enter it again in QuickBooks.',
  )<{ readonly psa: string; readonly number: string }>(
    ({ psa, number }) => `Invoice ${number} was voided in QuickBooks but not in ${psa}.`,
  ),
  CHANGED_SINCE: person(
    null,
    'Compare both and correct the wrong one; nothing is changed by itself.',
  )<{
    readonly psa: string;
    /** Which side has changed, e.g. `QuickBooks`. */
    readonly at: string;
    readonly number: string;
    readonly before: string;
    readonly now: string;
  }>(
    ({ at, number, before, now }) => `Invoice ${number} was synced with ${before}, and comes to ${now} in ${at} since.`,
  ),
  RENUMBERED_IN_BOOKS: person(
    null,
    'Give it its former number in QuickBooks, or enter the new one in {psa}.',
  )<{ readonly psa: string; readonly number: string; readonly now: string }>(
    ({ number, now }) => `Invoice ${number} has the number ${now} in QuickBooks since.`,
  ),
  ORDER_CANCELED: person(
    null,
    'Close or delete it in QuickBooks; a cancellation is not sent.',
  )<{ readonly psa: string; readonly number: string }>(
    ({ psa, number }) => `Purchase order ${number} was canceled in ${psa} after it was synced.`,
  ),
  OPEN_AGAIN: person(
    null,
    'Record the payment in QuickBooks, or clear the paid date in {psa}.',
  )<{ readonly psa: string; readonly number: string; readonly open: string; readonly paidOn: string }>(
    ({ psa, number, open, paidOn }) =>
      `Invoice ${number} has ${open} open again in QuickBooks, and ${psa} shows it as paid on ${paidOn}.`,
  ),
  PAID_DATE_CLEARED: person(
    null,
    'Delete the payment in QuickBooks, or set the paid date in {psa} again.',
  )<{ readonly psa: string; readonly number: string }>(
    ({ psa, number }) => `${psa} does not show invoice ${number} as paid any more; its payment stays in QuickBooks.`,
  ),
  QBO_VALIDATION: person(
    null,
    'Correct what QuickBooks names, then sync again.',
  )<Detail>(({ detail }) => `QuickBooks refused the document: ${detail}`),
  QBO_REFERENCE: person(
    items,
    'Refresh the lists, map the record again, then sync again.',
  )<Detail>(({ detail }) => `A record used by this document no longer exists in QuickBooks: ${detail}`),
  COMPANY_CHANGED: person(
    null,
    'Look for the document in the company that was connected before; clear its sync status to post it to the new one.',
  )<{
    readonly before: string;
    readonly after: string;
    readonly service: 'psa' | 'accounting';
    /** It may have reached the books. */
    readonly isSent: boolean;
  }>(({ before, after, service, isSent }) =>
    service === 'psa'
      ? `The document of “${before}” was not finished when “${after}” was connected${isSent ? '; it may be in the books' : ''}.`
      : `The document was not finished in “${before}” when “${after}” was connected${isSent ? '; it may be in the books of the former' : ''}.`,
  ),
  QBO_SUBSCRIPTION: entry(
    'stops_run',
    connections,
    'Renew the subscription in QuickBooks.',
  )(() => 'The QuickBooks subscription is not active.'),
  QBO_PERMISSION: entry(
    'stops_run',
    connections,
    'Reconnect as a company administrator.',
  )(() => 'The connected QuickBooks user lacks a permission.'),
  QBO_STALE: transient(() => 'The record was changed in QuickBooks meanwhile.'),
  QBO_THROTTLED: transient(() => 'QuickBooks is busy.'),
  QBO_UNAVAILABLE: transient(() => 'QuickBooks did not answer.'),
  PSA_UNAVAILABLE: transient<{ readonly psa: string }>(({ psa }) => `${psa} did not answer.`),
  PSA_LIMIT: transient<{ readonly psa: string }>(({ psa }) => `${psa}'s hourly API limit is used up.`),
  PSA_DOCUMENT_MISSING: person(
    null,
    'Check the id in {psa}, and that the API user may read it.',
  )<{ readonly psa: string; /** E.g. `invoice 999`. */ readonly what: string }>(
    ({ psa, what }) => `${psa} has no ${what} that this connection may read.`,
  ),
  PSA_COSTS_HIDDEN: entry(
    'stops_run',
    connections,
    'Give the API user a security level in {psa} that may read costs, then sync again.',
  )<{ readonly psa: string }>(({ psa }) => `The ${psa} API user may not see what things cost.`),
  PSA_VALIDATION: person(
    null,
    'Correct what {psa} names, then sync again.',
  )<Detail & { readonly psa: string }>(({ psa, detail }) => `${psa} refused the change: ${detail}`),
  QBO_AUTH: entry(
    'stops_run',
    connections,
    'Connect QuickBooks again under Connections.',
  )(() => 'QuickBooks needs to be reconnected.'),
  PSA_AUTH: entry(
    'stops_run',
    connections,
    'Connect {psa} again under Connections.',
  )<{ readonly psa: string }>(({ psa }) => `${psa} needs to be reconnected.`),
  TERM_NOT_FOUND: warning(
    null,
    'Create a QuickBooks term of the same name.',
  )<Named>(({ name }) => `QuickBooks has no term called "${name}"; the invoice carries no terms.`),
  DUE_DATE_DIFFERS: warning()<{ readonly psa: string; readonly books: string; readonly ours: string }>(
    ({ psa, books, ours }) => `QuickBooks computed the due date ${books}, ${psa} says ${ours}.`,
  ),
  TAX_DIFFERS: warning()<{
    readonly psa: string;
    readonly books: string;
    readonly ours: string;
    readonly difference: string;
  }>(({ psa, books, ours, difference }) => `Tax: QuickBooks ${books}, ${psa} ${ours}, difference ${difference}.`),
  TAX_REGION_NOT_MATCHED: warning(
    null,
    'Name a QuickBooks tax code like the tax region.',
  )<{ readonly region: string | null }>(({ region }) =>
    region === null
      ? "The invoice has no tax region; the customer's own tax code applies."
      : `QuickBooks has no tax code called "${region}"; the customer's own tax code applies.`,
  ),
  CLASS_NOT_MAPPED: warning(
    '/lob-xrefs',
    'Map them under Lines of Business.',
  )<{ readonly list: string }>(({ list }) => `No QuickBooks class for: ${list}.`),
  CLASSES_DIFFER: warning(
    '/lob-xrefs',
    'Track classes per line in QuickBooks, or map them to one class.',
  )(() => 'The lines belong to several classes, and QuickBooks tracks one per invoice; none was set.'),
  CUSTOM_FIELD_CUT: warning()<{ readonly name: string; readonly value: string }>(
    ({ name, value }) => `The custom field "${name}" holds 31 characters; it became "${value}".`,
  ),
  CURRENCY_IGNORED: warning()<{ readonly company: string; readonly currency: string; readonly home: string }>(
    ({ company, currency, home }) => `${company} uses ${currency}; the amounts are in ${home}.`,
  ),
  NO_EMAIL: warning(
    null,
    'Give the customer an e-mail address in QuickBooks.',
  )<Named>(({ name }) => `${name} has no e-mail address; the invoice is not mailed.`),
  NAME_SUFFIXED: warning()<{ readonly name: string; readonly used: string }>(
    ({ name, used }) => `The name "${name}" is taken in QuickBooks; "${used}" was used.`,
  ),
  ROUNDING: warning()<{
    readonly difference: string;
    /** `invoice total`, unless they are compared with something else. */
    readonly from?: string;
  }>(({ difference, from = 'invoice total' }) => `The lines differ from the ${from} by ${difference}.`),
  SUBTOTAL_MISMATCH: warning(
    null,
    'Compare the two documents line by line.',
  )<{
    readonly books: string;
    readonly ours: string;
  }>(({ books, ours }) => `QuickBooks shows a subtotal of ${books}, ${ours} was sent.`),
  DATE_MOVED: warning()<{ readonly from: string; readonly to: string; readonly closedThrough: string }>(
    ({ from, to, closedThrough }) =>
      `Dated ${to} instead of ${from}, because the books are closed through ${closedThrough}.`,
  ),
  DELETED_IN_BOOKS: warning()<{ readonly what: string; readonly number: string }>(
    ({ what, number }) => `${what} ${number} was deleted in QuickBooks.`,
  ),
  LINES_LEFT_OUT: warning(
    '/lob-xrefs',
    'Map their lines of business, or turn off “Only sync mapped lines of business”.',
  )<{
    readonly count: number;
    readonly amount: string;
    readonly list: string;
  }>(
    ({ count, amount, list }) =>
      `${count === 1 ? '1 line was' : `${count} lines were`} left out (${amount}), not mapped: ${list}.`,
  ),
} as const;

export type ProblemCode = keyof typeof problems;

export const isProblemCode = (code: string): code is ProblemCode => Object.hasOwn(problems, code);

/**
 * Makes a problem of the catalogue.
 *
 * @param of what its sentences name; nothing for codes whose sentences name nothing.
 */
export function problem<Code extends ProblemCode>(
  code: Code,
  ...of: Parameters<(typeof problems)[Code]['message']>
): Problem {
  const { treatment, message, remedy, screen }: Entry<never> = problems[code];
  const named: unknown = of[0];
  return { code, treatment, message: message(named as never), remedy: withPsa(remedy, named), screen };
}

/** A code of the catalogue that is about a customer, said of a vendor: another sentence, and another screen mends it. */
export const problemOfVendor = (code: 'CUSTOMER_AMBIGUOUS' | 'CURRENCY_MISMATCH', message: string): Problem => ({
  code,
  treatment: problems[code].treatment,
  message,
  remedy: 'Map the company to the right vendor under Vendor Mappings.',
  screen: vendors,
});

/**
 * What passes by itself as a rule and has not passed so many times in a row: now a person is asked (domain reference
 * 5.2).
 */
export const givenUp = (found: Problem, tries: number): Problem => ({
  ...found,
  treatment: 'person',
  remedy: `It was tried ${tries} times. Sync it again by hand, or clear its sync status, once the service answers.`,
});

const withPsa = (remedy: string | null, of: unknown): string | null => {
  const psa = typeof of === 'object' && of !== null && 'psa' in of && typeof of.psa === 'string' ? of.psa : 'the PSA';
  return remedy?.replaceAll('{psa}', psa) ?? null;
};

/** Codes whose own sentence says it all, or that take the service's words. */
const serviceCodes: ReadonlySet<string> = new Set<ProblemCode>([
  'QBO_VALIDATION',
  'QBO_REFERENCE',
  'QBO_SUBSCRIPTION',
  'QBO_PERMISSION',
  'QBO_STALE',
  'QBO_THROTTLED',
  'QBO_UNAVAILABLE',
  'QBO_AUTH',
  'PSA_UNAVAILABLE',
  'PSA_LIMIT',
  'PSA_VALIDATION',
  'PSA_AUTH',
]);

/**
 * What a failed call means for the document that needed it. The connector's code decides; a code of the catalogue
 * that describes a document (e.g. `PERIOD_CLOSED` learned from the books) keeps its treatment and remedy, with the
 * service's own words as message. An unknown code becomes the general one for what should happen next.
 *
 * @param psaLabel the PSA's label, e.g. `Autotask`.
 */
export function problemOfService(
  failure: Pick<ServiceFailure, 'service' | 'next' | 'code' | 'detail'>,
  psaLabel: string,
): Problem {
  const code = isProblemCode(failure.code) ? failure.code : generalCode(failure);
  const { treatment, message, remedy, screen }: Entry<never> = problems[code];
  const of = { psa: psaLabel, detail: failure.detail };
  return {
    code,
    treatment,
    message: serviceCodes.has(code) ? message(of as never) : `QuickBooks refused the document: ${failure.detail}`,
    remedy: withPsa(remedy, of),
    screen,
  };
}

function generalCode({ service, next }: Pick<ServiceFailure, 'service' | 'next'>): ProblemCode {
  const isPsa = service === 'psa';
  switch (next) {
    case 'try_again':
      return isPsa ? 'PSA_UNAVAILABLE' : 'QBO_UNAVAILABLE';
    case 'reconnect':
      return isPsa ? 'PSA_AUTH' : 'QBO_AUTH';
    case 'stop_run':
      return isPsa ? 'PSA_AUTH' : 'QBO_PERMISSION';
    default:
      return isPsa ? 'PSA_VALIDATION' : 'QBO_VALIDATION';
  }
}

/** The sentence that a refused attempt ends with. */
export const sentenceOf = (found: readonly Problem[]): string => found.map(({ message }) => message).join(' ');

/** Strongest first: what one of several problems asks for is asked of the document. */
const byStrength: readonly Treatment[] = ['stops_run', 'transient', 'person', 'held', 'warning'];

/** The treatment of a document that all of these stand against; `warning` when there are none. */
export const treatmentOf = (found: readonly Problem[]): Treatment =>
  byStrength.find((treatment) => found.some((one) => one.treatment === treatment)) ?? 'warning';

const format = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',');
