import {
  clearStatus,
  openIn,
  person,
  warning,
  held,
  stopsRun,
  screens,
  setting,
  syncAgain,
  mapping,
  type Source,
} from './entry.ts';
import type { PsaMenus } from '../ports/psa.ts';
import { dayText, type CalendarDate } from '../values/dates.ts';

interface Named {
  readonly name: string;
}

/** Inactive classes or locations of QuickBooks that lines of business are mapped to. */
interface InactiveRecords {
  readonly what: 'class' | 'location';
  /** Their names, in quotation marks. */
  readonly list: string;
  readonly sources?: readonly Source[];
}

const inactiveText = (what: InactiveRecords['what'], list: string): string =>
  `The mapped QuickBooks ${what} ${list} is inactive.`;
const inactiveRemedy = (what: InactiveRecords['what']): string =>
  `Make the ${what} active in QuickBooks (Settings (gear) > All lists), or map another ${what}.`;

/** Number, date, terms, lines and totals of a document. */

export const documentProblems = {
  DUPLICATE_DOC_NUMBER: person<{
    /** Name of the field with the number, e.g. `Invoice number`. */
    readonly what: string;
    readonly number: string;
    /** The document that has it, e.g. `the voided invoice of Birch Legal`. */
    readonly takenBy: string;
  }>({
    message: ({ what, number, takenBy }) => `${what} ${number} is already used in QuickBooks by ${takenBy}.`,
    remedy:
      'Search for the number in QuickBooks, open that document, change its number (for example by adding -VOID), and save it. Then sync this document again from here; the {psa} status is cleared for you. Do not delete the other document.',
    repairs: ({ number, takenBy }) => [openIn('accounting', `${takenBy}, number ${number}`), clearStatus],
  }),
  DOC_NUMBER_TOO_LONG: person<{
    readonly psa: string;
    /** `invoice`, unless it is something else. */
    readonly what?: string;
    readonly number: string;
  }>({
    message: ({ number }) => `The number “${number}” has more than 21 characters.`,
    remedy: 'Shorten the number in {psa}, or let QuickBooks generate it (Settings).',
    screen: screens.settings,
    repairs: ({ what = 'invoice' }) => [numbering(what)],
  }),
  DOC_NUMBER_MISSING: person<{
    readonly psa: string;
    /** `invoice`, unless it is something else. */
    readonly what?: string;
  }>({
    message: ({ what = 'invoice' }) => `The ${what} has no number.`,
    remedy: 'Number it in {psa}, or let QuickBooks generate the number (Settings).',
    screen: screens.settings,
    repairs: ({ what = 'invoice' }) => [numbering(what)],
  }),
  NUMBERING_MISMATCH: stopsRun<{
    readonly isOn: boolean;
    /** `invoice`, unless it is something else. */
    readonly what?: string;
  }>({
    message: ({ isOn, what = 'invoice' }) =>
      isOn
        ? `QuickBooks expects Tallybridge to number ${what}s, but the setting leaves numbering to QuickBooks. ${what === 'invoice' ? 'Invoice' : 'Purchase order'}s would have no number.`
        : 'QuickBooks numbers invoices, but the setting lets Tallybridge number them. Invoices would get a different number.',
    remedy:
      'Change the numbering in Settings, or in QuickBooks: Settings (gear) > Account and settings > Sales > Sales form content > Custom transaction numbers (for purchase orders: Expenses > Purchase orders).',
    screen: screens.settings,
    repairs: ({ isOn, what = 'invoice' }) => [
      setting(what === 'invoice' ? 'inv_numbering_option' : 'po_numbering_option', isOn ? 'autotask' : 'qbo'),
    ],
  }),
  NUMBER_MISSING: person<{
    readonly psa: string;
    /** E.g. `Invoice 48213`. */ readonly name: string;
    readonly id: string;
  }>({
    message: ({ name, id }) => `${name} is in QuickBooks without a number (id ${id}). No further document was posted.`,
    remedy:
      'Custom transaction numbers were turned on in QuickBooks: Settings (gear) > Account and settings > Sales > Sales form content (for purchase orders: Expenses > Purchase orders). Turn them off, or choose {psa} numbers in Settings. Then give this document a number in QuickBooks and sync it again: it is linked, not posted twice.',
    screen: screens.settings,
    repairs: ({ name }) => [openIn('accounting', name.toLowerCase()), syncAgain],
  }),
  PERIOD_CLOSED: held<{ readonly psa: string; readonly closedThrough: CalendarDate | null }>({
    message: ({ closedThrough }) =>
      closedThrough === null
        ? 'The books are closed for this date.'
        : `The books are closed through ${dayText(closedThrough)}.`,
    remedy:
      'The document is posted automatically when its date is open. Open the period in QuickBooks (Settings (gear) > Account and settings > Advanced > Accounting > Close the books), or move the date in {psa}. Or choose in Settings to post on the first open day; the due date stays.',
    screen: screens.settings,
    repairs: () => [setting('closed_period_policy', 'next_open_day')],
  }),
  CONTROL_TOTAL: person<{
    readonly psa: string;
    readonly menus: PsaMenus;
    readonly lines: string;
    readonly invoice: string;
  }>({
    message: ({ lines, invoice }) => `The lines add up to ${lines}, but the invoice total is ${invoice}.`,
    remedy: ({ menus }) =>
      `The difference is more than rounding. Compare the lines with the invoice in {psa}. If a line is missing or changed there, void the invoice (${menus.voidInvoice}) and process it again (${menus.processInvoices}). If the invoice is right, do not void it: report both amounts to support.`,
    repairs: () => [openIn('psa', 'the invoice')],
  }),
  NO_LINES: person<{
    readonly psa: string;
    /** `invoice`, unless it is something else. */
    readonly what?: string;
  }>({
    message: ({ what = 'invoice' }) => `The ${what} has no lines.`,
    remedy: 'Check it in {psa}.',
    repairs: ({ what = 'invoice' }) => [openIn('psa', `the ${what}`)],
  }),
  TOO_MANY_LINES: person<{
    readonly psa: string;
    readonly count: number;
    readonly max: number;
  }>({
    message: ({ count, max }) =>
      `QuickBooks allows at most ${max} lines on a taxable invoice; this one has ${format(count)}.`,
    remedy: 'Turn on “Group invoice lines” in Settings, or split the invoice in {psa}.',
    screen: screens.settings,
    repairs: () => [setting('inv_group_invoice_lines', true)],
  }),
  NEGATIVE_INVOICE: person<{
    readonly total: string;
  }>({
    message: ({ total }) => `The invoice total is negative (${total}).`,
    remedy: 'Turn on credit memos for negative invoices in Settings, or enter a credit memo by hand.',
    screen: screens.settings,
    repairs: () => [setting('negative_invoice_policy', 'credit_memo')],
  }),
  TERM_NOT_FOUND: warning<Named>({
    message: ({ name }) => `QuickBooks has no active term “${name}”; the invoice has no terms.`,
    remedy:
      'The due date was sent. To show the term as well, create it in QuickBooks: Settings (gear) > All lists > Terms > New.',
    repairs: ({ name }) => [openIn('accounting', `term ${name}`)],
  }),
  DUE_DATE_DIFFERS: warning<{ readonly psa: string; readonly accounting: string; readonly ours: string }>({
    message: ({ psa, accounting, ours }) => `QuickBooks computed the due date ${accounting}; ${psa} has ${ours}.`,
  }),
  TEXT_CUT: warning<{ /** E.g. `line 3 (4,000 characters)`. */ readonly list: string }>({
    message: ({ list }) => `QuickBooks allows fewer characters, so these texts were shortened: ${list}.`,
    remedy: 'Shorten them in {psa}, or send the client the full text separately.',
  }),
  RECORD_INACTIVE: warning<InactiveRecords>({
    message: ({ what, list }) => `${inactiveText(what, list)} None was set.`,
    remedy: ({ what }) => inactiveRemedy(what),
    screen: screens.linesOfBusiness,
    repairs: ({ what, sources = [] }) =>
      sources.map((source) => mapping(what === 'class' ? 'LineOfBusiness' : 'Location', source)),
  }),
  RECORD_INACTIVE_HELD: held<InactiveRecords>({
    message: ({ what, list }) => `${inactiveText(what, list)} The document waits.`,
    remedy: ({ what }) => `${inactiveRemedy(what)} Or choose in Settings to post such documents without one.`,
    screen: screens.settings,
    repairs: ({ what, sources = [] }) => [
      ...sources.map((source) => mapping(what === 'class' ? 'LineOfBusiness' : 'Location', source)),
      setting('inactive_record_policy', 'post'),
    ],
  }),
  CLASS_NOT_MAPPED: warning<{ readonly list: string; readonly linesOfBusiness?: readonly Source[] }>({
    message: ({ list }) => `No QuickBooks class is mapped for ${list}.`,
    remedy: 'Map them under Lines of Business.',
    screen: screens.linesOfBusiness,
    repairs: ({ linesOfBusiness = [] }) => linesOfBusiness.map((source) => mapping('LineOfBusiness', source)),
  }),
  CLASSES_DIFFER: warning({
    message: () => 'The lines have several classes, but QuickBooks allows one per invoice. No class was set.',
    remedy: 'Track classes per line in QuickBooks, or map them to one class.',
    screen: screens.linesOfBusiness,
  }),
  LOCATION_NOT_MAPPED: warning<{ readonly list: string; readonly linesOfBusiness?: readonly Source[] }>({
    message: ({ list }) => `No QuickBooks location is mapped for ${list}.`,
    remedy:
      'Map them under Locations. If locations follow departments, create a QuickBooks location with the department’s name: Settings (gear) > All lists > Locations > New. The document is posted without a location; you can set it in QuickBooks.',
    screen: screens.locations,
    repairs: ({ linesOfBusiness = [] }) => linesOfBusiness.map((source) => mapping('Location', source)),
  }),
  LOCATIONS_DIFFER: warning({
    message: () => 'The lines have several locations, but QuickBooks allows one per document. No location was set.',
    remedy:
      'Map them to one location under Locations, or bill each location on a separate invoice. To report by both, track classes per line in QuickBooks and map the classes.',
    screen: screens.locations,
  }),
  CUSTOM_FIELD_CUT: warning<{ readonly name: string; readonly value: string }>({
    message: ({ name, value }) =>
      `The custom field “${name}” allows 31 characters; the value was shortened to “${value}”.`,
  }),
  ROUNDING: warning<{
    readonly difference: string;
    /** `invoice total`, unless they are compared with something else. */
    readonly whole?: string;
    /** A rounding line makes up for it. */
    readonly isMadeUp?: boolean;
  }>({
    message: ({ difference, whole = 'invoice total', isMadeUp = false }) =>
      `The lines differ from the ${whole} by ${difference}${isMadeUp ? '; a rounding line was added' : ''}.`,
  }),
  ROUNDING_ITEM_REQUIRED: person<{ readonly difference: string; readonly name: string }>({
    message: ({ difference, name }) =>
      `The lines need a rounding line of ${difference}, and the item “${name}” does not exist.`,
    remedy:
      'Create a service item with that name in QuickBooks: Sales > Products and services > New. Or choose an account for rounding differences in Settings and turn on automatic item creation.',
    screen: screens.settings,
    repairs: () => [setting('inv_rounding_account')],
  }),
  SUBTOTAL_MISMATCH: warning<{
    readonly accounting: string;
    readonly ours: string;
    /** The lines that differ, and how; empty when that is not known. */
    readonly lines?: string;
  }>({
    message: ({ accounting, ours, lines = '' }) =>
      `QuickBooks shows a subtotal of ${accounting}, but ${ours} was sent${lines === '' ? '' : ` (${lines})`}.`,
    remedy:
      'Compare both line by line. A line of 0.00 in QuickBooks has an inactive item or an item of another type. Correct it there: open the document > Edit > Save. Do not sync it again: that would create a second document.',
    repairs: () => [openIn('accounting', 'the document')],
  }),
  DATE_MOVED: warning<{ readonly from: CalendarDate; readonly to: CalendarDate; readonly closedThrough: CalendarDate }>(
    {
      message: ({ from, to, closedThrough }) =>
        `Dated ${dayText(to)} instead of ${dayText(from)}, because the books are closed through ${dayText(closedThrough)}.`,
    },
  ),
  LINES_LEFT_OUT: warning<{
    readonly count: number;
    readonly amount: string;
    readonly list: string;
    readonly linesOfBusiness?: readonly Source[];
  }>({
    message: ({ count, amount, list }) =>
      `${count === 1 ? '1 line was' : `${count} lines were`} left out (${amount}). Not mapped: ${list}.`,
    remedy: 'Map these lines of business, or turn off “Only sync mapped lines of business”.',
    screen: screens.linesOfBusiness,
    repairs: ({ linesOfBusiness = [] }) => [
      ...linesOfBusiness.map((source) => mapping('LineOfBusiness', source)),
      setting('lob_only_mapped', false),
    ],
  }),
} as const;

const numbering = (what: string) =>
  what === 'invoice' ? setting('inv_numbering_option', 'qbo') : setting('po_numbering_option', 'qbo');

const format = (count: number): string => count.toLocaleString('en-US');
