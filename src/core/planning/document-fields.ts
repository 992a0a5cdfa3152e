import type { Psa } from '../ports/psa.ts';
import type { InvoiceHead, InvoiceLine } from '../documents/invoice.ts';
import type { AccountingLists, AccountingPreferences } from '../documents/reference-data.ts';
import { documentName, type Kind } from '../kinds.ts';
import type { NumberedDocument } from '../ports/accounting.ts';
import { problem, type Problem } from '../problems.ts';
import type { Source } from '../problems/entry.ts';
import { type Settings, usesPsaNumber } from '../settings/definitions.ts';
import { withoutSentinel } from '../sync-status.ts';
import { note, type Note } from '../transcript.ts';
import { addDays, type CalendarDate } from '../values/dates.ts';
import { normalized, textOrNull, truncate } from '../values/text.ts';
import type { DecisionLog } from './decision.ts';
import type { Command, SalesDocument } from './plan.ts';
import type { AccountingIndex, MappingIndex, PsaIndex } from './reference-index.ts';

/** Longest document number in QuickBooks. */
const maxNumberLength = 21;

/**
 * Returns a document number with a suffix, such as `1042-CR`. A number that is too long loses its beginning, because
 * numbers in sequence differ at their end.
 */
export const suffixedNumber = (number: string, suffix: string): string =>
  `${number.slice(suffix.length - maxNumberLength)}${suffix}`;

/** Document types that always have a number, from the PSA or from QuickBooks. */
const numberedTypes: ReadonlySet<string | null> = new Set(['Invoice', 'CreditMemo', 'PurchaseOrder', 'Bill']);

/** Returns whether a posted document has no number although its type requires one. */
export const lacksNumber = (document: { readonly type: string | null; readonly number: string | null }): boolean =>
  numberedTypes.has(document.type) && (document.number ?? '').trim() === '';

/** Returns the problem of a document that QuickBooks did not number. It would not number the following ones either. */
export const numberMissing = (
  { psa }: { readonly psa: Pick<Psa, 'describe'> },
  { kind, psaId }: { readonly kind: Kind; readonly psaId: number },
  id: string | null,
): Problem => problem('NUMBER_MISSING', { psa: psa.describe.label, name: documentName(kind, psaId), id: id ?? '' });

/** Returns whether QuickBooks would leave the number of a new document empty, because a preference expects one from us. */
export function wouldLackNumber(
  command: Command,
  preferences: Pick<AccountingPreferences, 'customTransactionNumbers' | 'customOrderNumbers'>,
): boolean {
  switch (command.do) {
    case 'create_invoice':
    case 'create_credit_memo':
      return command.document.number === null && preferences.customTransactionNumbers;
    case 'create_purchase_order':
      return command.order.number === null && preferences.customOrderNumbers;
    default:
      return false;
  }
}

/** Returns whether QuickBooks numbers the documents of a kind, which are then created in the order of the PSA ids. */
export function isNumberedByAccounting(
  kind: Kind,
  settings: Pick<Settings, 'inv_numbering_option' | 'po_numbering_option'>,
): boolean {
  if (kind === 'invoice') return !usesPsaNumber(settings.inv_numbering_option);
  return kind === 'purchase_order' && !usesPsaNumber(settings.po_numbering_option);
}

interface NumberFacts {
  /** Number in the PSA, including a sentinel. */
  readonly number: string;
  readonly settings: Pick<Settings, 'inv_numbering_option'>;
  readonly preferences: Pick<AccountingPreferences, 'customTransactionNumbers'>;
  /** Another QuickBooks document with this number; never the posting of the same invoice. */
  readonly takenBy: NumberedDocument | null;
  readonly psaLabel: string;
}

/**
 * Decides the number that an invoice is sent with; null lets QuickBooks assign one (domain reference 6.3, 6.12). If the
 * preference in QuickBooks does not match the setting, QuickBooks leaves the number empty or ignores it.
 */
export function chooseNumber(facts: NumberFacts): { readonly number: string | null; readonly problems: Problem[] } {
  const isPsaNumber = usesPsaNumber(facts.settings.inv_numbering_option);
  const isOn = facts.preferences.customTransactionNumbers;
  const problems = isOn === isPsaNumber ? [] : [problem('NUMBERING_MISMATCH', { isOn })];
  if (!isPsaNumber) return { number: null, problems };
  const number = withoutSentinel(facts.number);
  const psa = facts.psaLabel;
  if (number === '') problems.push(problem('DOC_NUMBER_MISSING', { psa }));
  else if (number.length > maxNumberLength) problems.push(problem('DOC_NUMBER_TOO_LONG', { psa, number }));
  else if (facts.takenBy !== null)
    problems.push(
      problem('DUPLICATE_DOC_NUMBER', { what: 'Invoice number', number, takenBy: describe(facts.takenBy) }),
    );
  return { number, problems };
}

interface OrderNumberFacts {
  /** The number in the PSA. */
  readonly number: string;
  readonly settings: Pick<Settings, 'po_numbering_option'>;
  readonly preferences: Pick<AccountingPreferences, 'customOrderNumbers'>;
  /** Another QuickBooks purchase order with this number; never the posting of the same order. */
  readonly takenBy: NumberedDocument | null;
  readonly psaLabel: string;
}

/**
 * Decides the number that a purchase order is sent with; null lets QuickBooks assign one (domain reference 9.2), unless
 * its preference expects ours.
 */
export function chooseOrderNumber(facts: OrderNumberFacts): {
  readonly number: string | null;
  readonly problems: Problem[];
} {
  if (!usesPsaNumber(facts.settings.po_numbering_option)) {
    const isOn = facts.preferences.customOrderNumbers;
    return { number: null, problems: isOn ? [problem('NUMBERING_MISMATCH', { isOn, what: 'purchase order' })] : [] };
  }
  const number = facts.number.trim();
  const psa = facts.psaLabel;
  if (number === '') return { number, problems: [problem('DOC_NUMBER_MISSING', { psa, what: 'purchase order' })] };
  if (number.length > maxNumberLength)
    return { number, problems: [problem('DOC_NUMBER_TOO_LONG', { psa, number, what: 'purchase order' })] };
  if (facts.takenBy === null) return { number, problems: [] };
  const takenBy = describe(facts.takenBy);
  return { number, problems: [problem('DUPLICATE_DOC_NUMBER', { what: 'Purchase order number', number, takenBy })] };
}

/**
 * Returns a description such as `the voided invoice of Birch Legal`. It omits the QuickBooks id, which users never see.
 */
const describe = ({ type, customerName, privateNote }: NumberedDocument): string => {
  const voided = /^voided\b/i.test(privateNote ?? '') ? 'voided ' : '';
  const what = type.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
  return `the ${voided}${what}${customerName === '' ? ' without a customer' : ` of ${customerName}`}`;
};

interface DateFacts {
  readonly settings: Pick<Settings, 'closed_period_policy'>;
  readonly preferences: Pick<AccountingPreferences, 'closedThrough'>;
  readonly psaLabel: string;
}

/** Returns the day that a document is posted on: the first open day, if its own is in a closed period. */
export const postingDate = (
  wanted: CalendarDate,
  { closedThrough }: Pick<AccountingPreferences, 'closedThrough'>,
): CalendarDate => (closedThrough === null || wanted > closedThrough ? wanted : addDays(closedThrough, 1));

/**
 * Chooses the date of a document (domain reference 5.8).
 *
 * Invariant: no document is dated in a closed period.
 *
 * @returns the date, and the private note's text about a moved date; null if the date was not moved
 */
export function choosePostingDate(
  wanted: CalendarDate,
  { settings, preferences, psaLabel }: DateFacts,
  log: DecisionLog,
): { readonly on: CalendarDate; readonly note: string | null } {
  const { closedThrough } = preferences;
  const on = postingDate(wanted, preferences);
  if (closedThrough === null || on === wanted) return { on, note: null };
  if (settings.closed_period_policy === 'hold') log.refuse(problem('PERIOD_CLOSED', { psa: psaLabel, closedThrough }));
  else log.warn(problem('DATE_MOVED', { from: wanted, to: on, closedThrough }));
  return { on, note: `Original date ${wanted} (books closed through ${closedThrough})` };
}

/** Longest message to the customer in QuickBooks. */
const maxMessageLength = 1_000;

/** Returns the message that the client reads on the document; null if it would be empty (domain reference 6.8). */
export function customerMessage(
  invoice: Pick<InvoiceHead, 'orderNumber' | 'taxRegionName' | 'invoicedOn' | 'comments'>,
): string | null {
  const labelled = (label: string, value: string | null) => (value === null ? null : `${label}: ${value}`);
  const lines = [
    labelled('Order', textOrNull(invoice.orderNumber)),
    labelled('Tax group', textOrNull(invoice.taxRegionName)),
    labelled('Invoice date', invoice.invoicedOn),
    textOrNull(invoice.comments),
  ];
  return textOrNull(truncate(lines.filter((line) => line !== null).join('\n'), maxMessageLength, '…'));
}

/** Longest value of a custom field in QuickBooks (domain reference 2.2). */
const maxValueLength = 31;

/** Invoice fields that a custom field can carry; the source values of the `SalesCustomField` namespace. */
export const customFieldSources = ['InvoiceNumber', 'OrderNumber'] as const;

/** Fills the mapped custom fields of a sales form (domain reference 5.10). */
export function chooseCustomFields(
  invoice: Pick<InvoiceHead, 'number' | 'orderNumber'>,
  usesPsaNumber: boolean,
  preferences: Pick<AccountingPreferences, 'customFields'>,
  mappings: MappingIndex,
): {
  readonly fields: SalesDocument['customFields'];
  readonly warnings: readonly Problem[];
  readonly notes: readonly Note[];
} {
  const fields: { definitionId: string; name: string; value: string }[] = [];
  const warnings: Problem[] = [];
  const notes: Note[] = [];
  for (const source of customFieldSources) {
    const mapping = mappings.SalesCustomField?.get(source);
    if (mapping === undefined) continue;
    // QuickBooks has not assigned the number yet. A number already on the invoice would belong to another document.
    if (source === 'InvoiceNumber' && !usesPsaNumber) {
      notes.push(note('info', 'Custom field for the invoice number left out: QuickBooks makes the number'));
      continue;
    }
    const value = textOrNull(source === 'InvoiceNumber' ? withoutSentinel(invoice.number) : invoice.orderNumber);
    const definition = preferences.customFields.find(({ definitionId }) => definitionId === mapping.targetValue);
    if (value === null || fields.some(({ definitionId }) => definitionId === mapping.targetValue)) continue;
    if (definition === undefined) {
      const name = mapping.targetLabel ?? mapping.targetValue;
      notes.push(note('warn', `Custom field "${name}" left out: QuickBooks no longer has it`));
      continue;
    }
    const short = truncate(value, maxValueLength);
    if (short !== value) warnings.push(problem('CUSTOM_FIELD_CUT', { name: definition.name, value: short }));
    fields.push({ ...definition, value: short });
  }
  return { fields, warnings, notes };
}

/** Classes of a document and of its lines, in the order of the given lines. */
interface ClassChoice {
  readonly perLine: readonly (string | null)[];
  readonly ofDocument: string | null;
  /** Lines of business that are mapped to an inactive class. */
  readonly inactive: readonly InactiveMapping[];
  readonly warnings: readonly Problem[];
  readonly notes: readonly Note[];
}

/** A line of business that is mapped to an inactive record. */
interface InactiveMapping extends Source {
  /** Name of the inactive record. */
  readonly target: string;
}

/** Reports inactive classes or locations: as a warning, or as a problem that holds the document, by setting. */
function reportInactive(
  what: 'class' | 'location',
  inactive: readonly InactiveMapping[],
  policy: Settings['inactive_record_policy'] | undefined,
  log: DecisionLog,
): void {
  if (inactive.length === 0) return;
  const list = [...new Set(inactive.map(({ target }) => `“${target}”`))].join(', ');
  const sources = inactive.map(({ id, name }) => ({ id, name }));
  if (policy === 'hold') log.refuse(problem('RECORD_INACTIVE_HELD', { what, list, sources }));
  else log.warn(problem('RECORD_INACTIVE', { what, list, sources }));
}

/** Reports lines of business that are mapped to an inactive class. */
export const reportInactiveClasses = (
  lines: readonly Pick<InvoiceLine, 'lineOfBusinessId'>[],
  {
    psa,
    accounting,
    mappings,
    settings,
  }: Pick<LocationFacts, 'psa' | 'accounting' | 'mappings'> & {
    readonly settings: Pick<Settings, 'inactive_record_policy'>;
  },
  log: DecisionLog,
): void =>
  reportInactive('class', inactiveClassesOf(lines, psa, accounting, mappings), settings.inactive_record_policy, log);

function inactiveClassesOf(
  lines: readonly Pick<InvoiceLine, 'lineOfBusinessId'>[],
  psa: PsaIndex,
  accounting: AccountingIndex,
  mappings: MappingIndex,
): readonly InactiveMapping[] {
  const ids = [...new Set(lines.flatMap(({ lineOfBusinessId }) => lineOfBusinessId ?? []))];
  return ids.flatMap((id) => {
    const target = accounting.inactiveClasses.get(mappings.LineOfBusiness?.get(String(id))?.targetValue ?? '');
    return target === undefined ? [] : [{ id, name: psa.linesOfBusiness.get(id) ?? String(id), target }];
  });
}

/**
 * Returns the class that the line's line of business is mapped to; null if it has none or the class no longer exists.
 */
export function mappedClass(
  line: Pick<InvoiceLine, 'lineOfBusinessId'>,
  accounting: AccountingIndex,
  mappings: MappingIndex,
): string | null {
  if (line.lineOfBusinessId === null) return null;
  const target = mappings.LineOfBusiness?.get(String(line.lineOfBusinessId))?.targetValue;
  return target !== undefined && accounting.activeClassIds.has(target) ? target : null;
}

export const hasClassMappings = (mappings: MappingIndex): boolean => (mappings.LineOfBusiness?.size ?? 0) > 0;

/** Returns the names of the lines of business on these lines, each once, as a list for a sentence. */
export const businessNames = (lines: readonly Pick<InvoiceLine, 'lineOfBusinessId'>[], psa: PsaIndex): string =>
  [...new Set(lines.map((line) => businessName(line.lineOfBusinessId, psa)))].join(', ');

/** Returns the lines of business on these lines, each once, as mapping sources. */
export const businessSources = (
  lines: readonly Pick<InvoiceLine, 'lineOfBusinessId'>[],
  psa: PsaIndex,
): readonly Source[] =>
  [...new Set(lines.flatMap(({ lineOfBusinessId }) => lineOfBusinessId ?? []))].map((id) => ({
    id,
    name: psa.linesOfBusiness.get(id) ?? String(id),
  }));

const unmappedClasses = (lines: readonly Pick<InvoiceLine, 'lineOfBusinessId'>[], psa: PsaIndex): Problem =>
  problem('CLASS_NOT_MAPPED', { list: businessNames(lines, psa), linesOfBusiness: businessSources(lines, psa) });

const businessName = (id: number | null, psa: PsaIndex): string =>
  id === null ? 'no line of business' : `“${psa.linesOfBusiness.get(id) ?? id}”`;

/**
 * Assigns the mapped classes to lines (domain reference 5.9). A line without a class is still sent, so no revenue is
 * dropped silently.
 */
export function chooseClasses(
  lines: readonly Pick<InvoiceLine, 'lineOfBusinessId'>[],
  preferences: Pick<AccountingPreferences, 'classPerLine' | 'classPerTransaction'>,
  psa: PsaIndex,
  accounting: AccountingIndex,
  mappings: MappingIndex,
): ClassChoice {
  const none = lines.map(() => null);
  const empty = { perLine: none, ofDocument: null, inactive: [], warnings: [] };
  if (!hasClassMappings(mappings)) return { ...empty, notes: [] };
  if (!preferences.classPerLine && !preferences.classPerTransaction) {
    const notes = [note('info', 'Classes: not tracked in QuickBooks, none set')];
    return { ...empty, notes };
  }
  const perLine = lines.map((line) => mappedClass(line, accounting, mappings));
  const inactive = inactiveClassesOf(lines, psa, accounting, mappings);
  const isInactive = new Set<unknown>(inactive.map(({ id }) => id));
  const unmapped = lines.filter(
    ({ lineOfBusinessId: id }, index) => id !== null && perLine[index] === null && !isInactive.has(id),
  );
  const warnings = unmapped.length === 0 ? [] : [unmappedClasses(unmapped, psa)];
  if (preferences.classPerLine) return { perLine, ofDocument: null, inactive, warnings, notes: [] };
  const [first, ...others] = new Set(perLine.filter((id) => id !== null));
  if (others.length > 0) warnings.push(problem('CLASSES_DIFFER'));
  return { perLine: none, ofDocument: others.length === 0 ? (first ?? null) : null, inactive, warnings, notes: [] };
}

/**
 * Returns the class of a document that repeats lines of posted documents, and a function that returns the class of a
 * line: QuickBooks rejects a class where it does not track classes.
 *
 * @param lines lines of posted documents; where one class is tracked per document, each has that class
 */
export function repeatedClasses(
  lines: readonly { readonly classId: string | null }[],
  { classPerLine, classPerTransaction }: Pick<AccountingPreferences, 'classPerLine' | 'classPerTransaction'>,
): {
  readonly ofDocument: string | null;
  readonly ofLine: (line: { readonly classId: string | null }) => string | null;
} {
  if (classPerLine) return { ofDocument: null, ofLine: ({ classId }) => classId };
  const [first, ...others] = new Set(lines.map(({ classId }) => classId));
  return { ofDocument: classPerTransaction && others.length === 0 ? (first ?? null) : null, ofLine: () => null };
}

/** Facts that determine a location; null if unknown. */
export interface LocationSource {
  readonly lineOfBusinessId: number | null;
  /** The number and the name of its department in the PSA. */
  readonly department: readonly string[];
}

interface LocationFacts {
  readonly settings: Pick<Settings, 'location_by'> & Partial<Pick<Settings, 'inactive_record_policy'>>;
  readonly preferences: AccountingLists['preferences'];
  readonly psa: PsaIndex;
  readonly accounting: AccountingIndex;
  readonly mappings: MappingIndex;
}

/** Returns the department of a billing code: its number and its name. */
export const departmentOf = (billingCodeId: number | null, psa: PsaIndex): readonly string[] =>
  billingCodeId === null ? [] : (psa.departmentOfCode.get(billingCodeId) ?? []);

/**
 * Chooses the location of a document (domain reference 5.12): the one that its lines of business are mapped to, or the
 * one with the department's name. The QuickBooks API calls a location a department.
 *
 * QuickBooks allows one location per document. If there are several, none is set, and a warning reports it.
 *
 * @param sources sources of the document's lines, or of the document itself
 * @returns the location's id; null if none is to be set
 */
export function chooseLocation(
  sources: readonly LocationSource[],
  facts: LocationFacts,
  log: DecisionLog,
): string | null {
  const { location_by: by } = facts.settings;
  if (by === 'none') return null;
  if (facts.preferences.tracksLocations !== true) {
    log.note('info', 'Locations: not tracked in QuickBooks, none set');
    return null;
  }
  const found = by === 'department' ? byDepartment(sources, facts) : byLineOfBusiness(sources, facts);
  reportInactive('location', found.inactive, facts.settings.inactive_record_policy, log);
  if (found.unknown.length > 0)
    log.warn(
      problem('LOCATION_NOT_MAPPED', {
        list: found.unknown.map(({ name }) => `“${name}”`).join(', '),
        linesOfBusiness: by === 'department' ? [] : found.unknown,
      }),
    );
  const [first, ...others] = new Set(found.ids);
  if (others.length > 0) {
    log.warn(problem('LOCATIONS_DIFFER'));
    return null;
  }
  if (first === undefined) return null;
  log.note('info', `Location: ${facts.accounting.locationNames.get(first) ?? first}`);
  return first;
}

interface Found {
  readonly ids: readonly string[];
  /** Sources without a location, each once. */
  readonly unknown: readonly Source[];
  /** Sources with an inactive location. */
  readonly inactive: readonly InactiveMapping[];
}

function byLineOfBusiness(sources: readonly LocationSource[], { psa, accounting, mappings }: LocationFacts): Found {
  const ids = [...new Set(sources.flatMap(({ lineOfBusinessId }) => lineOfBusinessId ?? []))];
  const found = ids.map((id) => {
    const target = mappings.Location?.get(String(id))?.targetValue ?? '';
    const name = psa.linesOfBusiness.get(id) ?? String(id);
    return { id, name, target, inactive: accounting.inactiveLocations.get(target) };
  });
  return {
    ids: found.flatMap(({ target }) => (accounting.locationNames.has(target) ? [target] : [])),
    unknown: found
      .filter(({ target, inactive }) => !accounting.locationNames.has(target) && inactive === undefined)
      .map(({ id, name }) => ({ id, name })),
    inactive: found.flatMap(({ id, name, inactive }) =>
      inactive === undefined ? [] : [{ id, name, target: inactive }],
    ),
  };
}

function byDepartment(sources: readonly LocationSource[], { accounting }: LocationFacts): Found {
  const departments = new Map(
    sources.flatMap(({ department }) => (department[0] === undefined ? [] : [[department[0], department] as const])),
  );
  const inactiveNames = new Map([...accounting.inactiveLocations.values()].map((name) => [normalized(name), name]));
  const found = [...departments].map(([name, names]) => ({
    name,
    ids: names.flatMap((one) => accounting.locationIdsByName.get(normalized(one)) ?? []).slice(0, 1),
    inactive: names.map((one) => inactiveNames.get(normalized(one))).find((one) => one !== undefined),
  }));
  const missing = found.filter(({ ids }) => ids.length === 0);
  return {
    ids: found.flatMap(({ ids }) => ids),
    unknown: missing.filter(({ inactive }) => inactive === undefined).map(({ name }) => ({ id: name, name })),
    inactive: missing.flatMap(({ name, inactive }) =>
      inactive === undefined ? [] : [{ id: name, name, target: inactive }],
    ),
  };
}
