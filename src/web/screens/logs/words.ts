import type { LogHeadReply } from '#contract/logs.ts';
import type { Kind } from '#core/kinds.ts';
import { formatCount } from '../../lib/format.ts';

/** Sentences of Logs, most of them to the letter of the specification (specification 2, “View Logs”). */

export const logsWords = {
  title: 'Logs',
  lead: 'Each attempt at each document, with the story of what happened.',
  refresh: 'Refresh',
  export: 'Export',
  exported: (count: number): string =>
    `The first ${formatCount(count)} entries of this list were saved. For others, filter by dates.`,
  what: 'The log entries',
  list: 'Log entries',
  yes: 'yes',
  no: 'no',
  details: 'Details',
  creditMemo: ' credit memo',
  dated: (number: string | null, day: string): string => `${number ?? ''} dated ${day}`,
  nothingYet:
    'Log entries will appear here once you’ve synced invoice, purchase order or expense data to QuickBooks Online.',
  nothingFits: 'No entry fits these filters.',
  clearFilters: 'Clear the filters',
  beyond: 'There are fewer pages than that.',
  firstPage: 'Go to the first page',
} as const;

/** Heads of the columns. */
export const heads = {
  type: 'Type',
  id: (psa: string): string => `${psa} ID`,
  document: 'Document',
  message: 'Message',
  amount: 'Amount',
  mode: 'Test/Live',
  manual: 'Manually Synced',
  success: 'Success',
  /** @param zone short name of the client's time zone */
  at: (zone: string): string => `Date and Time (${zone})`,
} as const;

export const filterWords = {
  name: 'Filter the log',
  search: 'Number, name or amount',
  toggle: (count: number): string => `Filters${count > 0 ? ` (${count})` : ''}`,
  clear: 'Clear',
  type: 'Transaction Type',
  mode: 'Test/Live',
  manual: 'Manually Synced?',
  success: 'Success?',
  after: 'Synced After',
  before: 'Synced Before',
} as const;

export const filterOptions = {
  type: [
    { value: '', label: 'Any' },
    { value: 'difference', label: 'Differences' },
    { value: 'expense_report', label: 'Expense reports' },
    { value: 'invoice', label: 'Invoices' },
    { value: 'payment', label: 'Payments' },
    { value: 'purchase_order', label: 'Purchase orders' },
    { value: 'void', label: 'Voids' },
  ],
  mode: [
    { value: '', label: 'Any' },
    { value: 'test', label: 'Test' },
    { value: 'live', label: 'Live' },
  ],
  manual: [
    { value: '', label: 'Any' },
    { value: 'true', label: 'Manual' },
    { value: 'false', label: 'Automatic' },
  ],
  success: [
    { value: '', label: 'Any' },
    { value: 'true', label: 'Yes' },
    { value: 'false', label: 'No' },
  ],
};

/** The title of an entry, by the type of its document; a credit memo is called one. */
export const entryTitle = (type: Kind, isCreditMemo: boolean): string =>
  isCreditMemo ? creditMemoTitles[type === 'void' ? 'void' : 'invoice'] : entryTitles[type];

const creditMemoTitles = { invoice: 'QuickBooks Credit Memo', void: 'QuickBooks Credit Memo, voided' } as const;

const entryTitles: Readonly<Record<Kind, string>> = {
  invoice: 'QuickBooks Invoice',
  purchase_order: 'QuickBooks Purchase Order',
  expense_report: 'QuickBooks Bill for Expense Report',
  payment: 'QuickBooks Payment',
  void: 'QuickBooks Invoice, voided',
  difference: 'QuickBooks Invoice of a Difference',
};

const kindLabels: Readonly<Record<Kind, string>> = {
  invoice: 'invoice',
  purchase_order: 'purchase order',
  expense_report: 'expense report',
  payment: 'payment',
  void: 'void',
  difference: 'difference',
};

export type Outcome = 'successful' | 'awaits_approval' | 'held' | 'failed';

/** “Processing of Autotask invoice ID 48213 was not successful.” */
export const outcomeText = (psa: string, type: Kind, id: number, outcome: Outcome): string =>
  `Processing of ${psa} ${kindLabels[type]} ID ${id} ${outcomeEnds[outcome]}`;

const outcomeEnds = {
  successful: 'was successful.',
  awaits_approval: 'is waiting for approval.',
  held: 'is on hold.',
  failed: 'was not successful.',
} as const;

export const entryWords = {
  title: 'Logs',
  what: 'This log entry',
  print: 'Print',
  copyLink: 'Copy link to this entry',
  link: 'Copy link',
  view: 'View',
  formatted: 'Formatted',
  raw: 'Raw',
  rawData: 'Raw data',
  copyRaw: 'Copy the raw data',
  /** Stands before the name of the customer or the vendor. */
  for: ' for ',
  dated: (day: string): string => ` dated ${day}`,
  when: (at: string, isManual: boolean, isTest: boolean): string =>
    `${at}, ${isManual ? 'started by hand' : 'automatic'}${isTest ? '. TEST: nothing was sent.' : ''}`,
  openNewest: 'Open the newest',
  since: (newest: Pick<LogHeadReply, 'test' | 'success' | 'awaits_approval'>, at: string): string =>
    `${newest.test ? 'Tested' : 'Tried'} again since, last on ${at}: it ${outcomeEnds[newest.awaits_approval ? 'awaits_approval' : newest.success ? 'successful' : 'failed']}`,
  books: (isTest: boolean): string => (isTest ? 'What it would book' : 'What it books'),
  accounts: 'Accounts of this document',
  transcript: 'Job Transcript',
  copyTranscript: 'Copy the transcript',
  transcriptText: 'Transcript',
  next: 'What to do next',
  goTo: (screen: string): string => `Go to ${screen}`,
} as const;

/** Words of the document of an entry. */
export const documentWords = {
  heads: {
    line: 'Line',
    description: 'Description',
    quantity: 'Qty',
    unitPrice: 'Unit Price',
    amount: 'Amount',
    taxable: 'Taxable',
    billable: 'Billable/Customer',
  },
  lines: 'Lines',
  sum: 'Sum of the lines',
  tax: 'Total Tax',
  /** An amount that a test does not know. */
  byBooks: 'by QuickBooks',
  /** An id or a number that a test does not know. */
  givenByBooks: 'given by QuickBooks',
  comments: 'Comments',
  id: 'Id',
  number: 'Number',
  customer: 'Customer',
  shipTo: 'Shipping address',
  noShipTo: '(no shipping address)',
  vendor: 'Vendor Id / Name',
  emailStatus: 'Email Status',
  taxable: 'taxable',
  customField: (id: string): string => `Custom field ${id}`,
  notBillable: 'not billable',
  billed: 'billed',
  billable: 'billable',
} as const;

export const creditMemoTotal = 'Credit Memo Total';

/** The last line of a document. */
export const totalWords: Readonly<Record<Kind, string>> = {
  invoice: 'Invoice Total',
  payment: 'Invoice Total',
  void: 'Invoice Total',
  difference: 'Invoice Total',
  purchase_order: 'Purchase Order Total',
  expense_report: 'Bill Total',
};
