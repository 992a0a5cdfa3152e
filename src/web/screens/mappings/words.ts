import type { MappingNamespace } from '#core/mapping/mapping.ts';
import { countOf, formatCount } from '../../lib/format.ts';
import type { NamespaceWords } from './namespaces.ts';
import { sure, type Coverage } from './rows.ts';

/** Sentences of the mapping screens, most of them to the letter of the specification. */

/** The head of one screen. */
interface PageWords {
  readonly title: string;
  /** Its purpose and what becomes of documents without a mapping. @param psa the label of the PSA */
  readonly lead: (psa: string) => string;
  /** The things that are managed there, inside of a sentence. */
  readonly what: string;
}

export const pageWords = {
  customers: {
    title: 'Customer Mappings',
    lead: (psa) =>
      `For invoices, purchase orders and payments, ${psa} companies are mapped to QuickBooks customers. Mapping is optional: without it, mappings are created automatically by matching the company name to the customer’s display name.`,
    what: 'customer mappings',
  },
  vendors: {
    title: 'Vendor Mappings',
    lead: (psa) =>
      `For purchase orders, ${psa} vendor companies are mapped to QuickBooks vendors. Mapping is optional: without it, mappings are created automatically by matching the company name to the vendor’s display name.`,
    what: 'vendor mappings',
  },
  expenses: {
    title: 'Expense Mappings',
    lead: (psa) =>
      `${psa} expense categories are mapped to QuickBooks expense accounts. Syncing an expense report with an unmapped category fails.`,
    what: 'expense mappings',
  },
  items: {
    title: 'Item Mappings',
    lead: (psa) =>
      `${psa} billing codes and products are mapped to QuickBooks items. Without a mapping, an item is matched by its name or number, or made when the settings allow it; otherwise the invoice or purchase order errors out.`,
    what: 'item mappings',
  },
  linesOfBusiness: {
    title: 'Lines of Business',
    lead: (psa) =>
      `${psa} lines of business are mapped to QuickBooks classes. Mapping is optional; with no mappings all transactions are synced.`,
    what: 'line of business mappings',
  },
  locations: {
    title: 'Locations',
    lead: (psa) =>
      `${psa} lines of business are mapped to QuickBooks locations. It counts where QuickBooks tracks locations and “Location of documents” in Settings is “By line of business”.`,
    what: 'location mappings',
  },
  taxRegions: {
    title: 'Tax Regions',
    lead: (psa) =>
      `${psa} tax regions are mapped to QuickBooks tax codes. Without a mapping, a tax code of the same name is used.`,
    what: 'tax region mappings',
  },
  customFields: {
    title: 'Custom Fields',
    lead: (psa) =>
      `What ${psa} knows of an invoice can stand in a custom field of QuickBooks. Connect both apps first.`,
    what: 'custom fields',
  },
} as const satisfies Readonly<Record<string, PageWords>>;
export type MappingScreen = keyof typeof pageWords;

/** Why nothing can be managed while a service is missing. @param what as in {@link pageWords} */
export const connectFirst = (what: string, psa: string): string =>
  `Before managing your ${what}, you must connect to both ${psa} and QuickBooks Online`;

/** Words of the screens that are searched. */
export const companyWords = {
  placeholder: (namespace: 'Customer' | 'Vendor', psa: string): string => `Search ${psa} ${namespace} Companies`,
  activeOnly: 'Active Only',
  search: 'Search',
  results: (count: number): string => countOf(count, 'result'),
  beforeSearch: (namespace: MappingNamespace, psa: string): string =>
    `Search for ${psa} companies to manage mappings to QuickBooks ${namespace === 'Vendor' ? 'vendors' : 'customers'}.`,
} as const;

export const nothingFound = 'Nothing found.';
export const notMapped = '- not mapped -';

export const vendorTabs = [
  { key: 'Vendor', label: 'Companies' },
  { key: 'Employee', label: 'Employees' },
] as const;

export const expenseTabs = [
  { key: 'ExpenseCategoryBillable', label: 'Billable' },
  { key: 'ExpenseCategoryNonBillable', label: 'Non-Billable' },
] as const;

export const itemTabs = [
  { key: 'ItemBilling', label: 'Invoices' },
  { key: 'ItemPurchasing', label: 'Purchase Orders' },
] as const;
export type ItemTab = (typeof itemTabs)[number]['key'];

/** Words of Item Mappings by tab. */
export const itemWords: Readonly<Record<ItemTab, { readonly chooser: string; readonly rememberedAs: string }>> = {
  ItemBilling: { chooser: 'Billing Code Type', rememberedAs: 'imbcuse' },
  ItemPurchasing: { chooser: 'Product Category', rememberedAs: 'improcat' },
};
export const anyGroup = 'All';
export const showIds = 'Show ids';

/** The button that takes mappings away from what is chosen. */
export const removeLabel = (namespace: MappingNamespace): string =>
  namespace.startsWith('Item') ? 'Remove Mapping(s)' : 'Delete';

/** The question before mappings are deleted; the names stand under it. @param count of the mapped ones */
export const deleteQuestion = (count: number): string =>
  count === 0
    ? 'None of these is mapped.'
    : `Please confirm you want to delete the ${count === 1 ? 'mapping' : countOf(count, 'mapping')} of:`;

/** At most so many names stand in a question (specification 2, section 9). */
const mostNames = 3;

/** The names that a question lists, and in words how many others there are; null when it lists all. */
export function summaryOf<Name>(
  names: readonly Name[],
  { one, many }: Pick<NamespaceWords, 'one' | 'many'>,
): { readonly shown: readonly Name[]; readonly others: string | null } {
  const rest = names.length - mostNames;
  return {
    shown: names.slice(0, mostNames),
    others: rest <= 0 ? null : `and ${formatCount(rest)} other ${rest === 1 ? one : many}`,
  };
}

/** “31 of 61 billing codes” and what follows: “ mapped, 96% of the last 90 days’ revenue.” */
export function coverageText(
  { mapped, total, percent }: Coverage,
  { one, many, money }: Pick<NamespaceWords, 'one' | 'many' | 'money'>,
): { readonly figure: string; readonly rest: string } {
  return {
    figure: `${formatCount(mapped)} of ${countOf(total, one, many)}`,
    rest: ` mapped${percent === null ? '' : `, ${percent === '100' ? 'all' : `${percent}%`} of the last 90 days’ ${money}`}.`,
  };
}

/** How many mappings a sync would fail on. */
export const staleText = (count: number): string => `${countOf(count, 'mapping')} cannot be used any more.`;

/** Money of documents that are not in QuickBooks. A mapping is not always what they need: many names are matched without one. */
export const heldUpText = (money: string): string => `${money} not synced yet`;

/** Words of the suggestions. */
export const suggestWords = {
  toggle: 'Suggest',
  accept: 'Accept',
  acceptOne: (target: string, source: string): string => `Accept ${target} for ${source}`,
  acceptAll: (count: number): string => `Accept all ${formatCount(count)} of ${sure} or more`,
  /** @param count undefined while they are not there */
  hint: (count: number | undefined): string =>
    count === undefined
      ? 'Comparing names and numbers…'
      : count === 0
        ? 'Nothing that is not mapped resembles anything in QuickBooks closely enough.'
        : `${countOf(count, 'suggestion')}. Nothing is saved until you accept it.`,
} as const;

/** “3 lines of business and 0 classes were found.”: why nothing can be mapped. */
export const bothNeeded = (
  [sources, source]: readonly [count: number, noun: readonly [one: string, many: string]],
  [targets, target]: readonly [count: number, noun: readonly [one: string, many: string]],
): string =>
  `${countOf(sources, ...source)} and ${countOf(targets, ...target)} were found. Both must be present before anything can be mapped.`;

/** Words of Custom Fields. */
export const fieldWords = {
  booksField: 'QuickBooks Custom Field',
  psaField: (psa: string): string => `${psa} Field`,
  notMapped: 'not mapped',
  movedFrom: (source: string, field: string): string =>
    `${source} is mapped to ${field} now. Saving moves it here, and ${field} is not mapped anymore.`,
  none: 'QuickBooks has no custom fields on its sales forms.',
} as const;

/** Words of the mappings as a file. */
export const fileWords = {
  title: 'Mappings as a file',
  about: (many: string): string =>
    `Save all ${many} with their mappings, change the file, and read it in again. An emptied QuickBooks id and name deletes a mapping.`,
  out: 'Save as CSV',
  in: 'Read a CSV file',
  tooLarge: 'This file is too large to hold mappings.',
  unreadable: 'The file could not be read.',
  refused: (lines: number): string => `${countOf(lines, 'line')} cannot be read, so nothing can be saved.`,
  unchanged: 'The file says what is saved already.',
  changes: (changes: number, unchanged: number): string =>
    `${countOf(changes, 'mapping')} would change, ${formatCount(unchanged)} would stay.`,
  save: (changes: number): string => `Save ${countOf(changes, 'change')}`,
} as const;

/** The end of a list that is too long to be read. */
export const andMore = (count: number): string => `and ${formatCount(count)} more`;

/** Words of the history. */
export const historyWords = {
  title: 'History',
  empty: 'Nobody has mapped anything here yet.',
  undo: 'Undo',
  before: 'before:',
  deleted: ': deleted the mapping to',
} as const;

/** Short labels of the screen and its dialogs. */
export const mappingLabels = {
  inactive: 'inactive',
  last90Days: 'Last 90 days',
  chooseAnother: 'Choose another',
  save: 'Save',
  cancel: 'Cancel',
  companyName: 'Company name',
  close: 'Close',
  deleteTheMapping: 'Delete the mapping',
  theCustomFields: 'The custom fields',
  customFields: 'Custom fields',
  delete: 'Delete',
  vendors: 'Companies and employees',
  expenses: 'Expenses',
  theHistory: 'The history',
  items: 'Items',
  filterTheList: 'Filter the list',
  nameOrNumber: 'Name or number',
  theMappings: 'The mappings',
  csv: 'CSV',
  refresh: 'Refresh',
  targetOf: (head: string, name: string): string => `${head} of ${name}`,
  fieldOf: (psa: string, name: string): string => `${psa} field of ${name}`,
  edit: (name: string): string => `Edit ${name}`,
  deleteOf: (name: string): string => `Delete the mapping of ${name}`,
  lineSays: (line: number, text: string): string => `Line ${line}: ${text}`,
} as const;
