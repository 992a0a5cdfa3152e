import { type Kind, kinds, type SubmittableKind } from '#core/kinds.ts';
import type { LiveState } from './live-states.ts';
import { countOf, setCalendarDay, setCount, these } from '../../lib/format.ts';
import type { Search, SearchFacts } from './search.ts';

/** Sentences of the sync screens, most of them to the letter of the specification (specification 2, section 2). */

export const syncWords = {
  lead: (kind: SubmittableKind, psa: string): string =>
    `Search ${psa} for ${kinds[kind].plural.toLowerCase()}, look at what a test sync would make of them, and sync them.`,
  noSubscription: 'You do not have a current subscription.',
  subscription: 'Your subscription',
  documents: (kind: SubmittableKind): string => `The ${kinds[kind].plural.toLowerCase()}`,
  viewResults: 'View Results',
  clear: 'Clear Sync Status',
  test: 'Test Sync',
  sync: 'Sync',
  choose: (kind: SubmittableKind): string =>
    `Choose ${kinds[kind].plural.toLowerCase()} below to sync, test or clear them.`,
  zone: (zone: string): string => `Times in ${zone}`,
  nothingSelected: 'Nothing is selected.',
  cancel: 'Cancel',
  selected: (count: number): string => `${countOf(count, 'row')} selected`,
  all: (count: number): string => `All ${countOf(count, 'row')}`,
  why: 'why',
  review: 'review',
  details: (words: string, id: number): string => `${words}: details of ${id}`,
  held: 'held',
} as const;

export const titles = {
  invoice: 'My Invoices',
  purchase_order: 'My Purchase Orders',
  expense_report: 'My Expenses',
} as const satisfies Record<SubmittableKind, string>;

export const emptyTexts = {
  expense_report: 'No eligible expense reports found.',
  invoice: 'No eligible invoices found.',
  purchase_order: 'No eligible purchase orders found.',
} as const satisfies Record<SubmittableKind, string>;

/** Heads of the columns. */
export const heads = {
  id: 'ID',
  status: 'Sync Status',
  syncedAt: 'Sync Date',
  invoiceNumber: 'Invoice Number',
  orderNumber: 'PO Number',
  externalNumber: 'External PO Number',
  name: 'Name',
  reference: 'QuickBooks Reference Number',
  total: 'Total',
  created: 'Created',
  submitted: 'Submitted',
  paid: 'Paid',
  memo: 'Memo',
} as const;

/** The result of a test, beside the status of its row. */
export const testWords = {
  waiting: 'testing…',
  pending: 'testing…',
  succeeded: 'passed',
  failed: 'would fail',
  skipped: 'would be skipped',
  held: 'would be held',
} as const satisfies Record<LiveState['outcome'], string>;

export const searchWords = {
  name: (kind: SubmittableKind): string => `Search ${kinds[kind].label.toLowerCase()}s`,
  option: 'Search option',
  bySettings: 'Use my settings',
  byDate: (kind: SubmittableKind): string => (kind === 'expense_report' ? 'By submit date' : 'By create date'),
  byId: (kind: SubmittableKind): string => `By ${kinds[kind].label.toLowerCase()} ID`,
  from: (kind: SubmittableKind): string =>
    kind === 'expense_report' ? 'Submitted on or after' : 'Created on or after',
  id: (kind: SubmittableKind, psa: string): string => `${psa} ${kinds[kind].label.toLowerCase()} ID`,
  search: 'Search',
  noDate: 'Enter a date.',
  noId: 'Enter an ID: a whole number.',
} as const;

/** The sentence that describes the active search. @param psa label of the PSA */
export function sentenceOf(kind: SubmittableKind, search: Search, facts: SearchFacts, psa: string): string {
  const { which, verb } = sentences[kind];
  if (search.by === 'id') return `The ${which.one} with ${psa} ID ${search.id}.`;
  if (search.by === 'date') return `${which.many} ${verb} on or after ${setCalendarDay(search.from)}.`;
  const unsent = kind === 'invoice' && facts.usesPsaNumber ? ', which no integration has exported yet' : '';
  return `${which.many} ${verb} in the last ${countOf(facts.maxAgeDays, 'day')}, as your settings say${unsent}.`;
}

const sentences = {
  invoice: { which: { one: 'invoice', many: 'Invoices that are not voided,' }, verb: 'created' },
  purchase_order: { which: { one: 'submitted purchase order', many: 'Submitted purchase orders' }, verb: 'created' },
  expense_report: {
    which: { one: 'approved expense report', many: 'Approved expense reports' },
    verb: 'submitted',
  },
} as const satisfies Record<SubmittableKind, unknown>;

/** The flash while a job is submitted, e.g. `Submitting invoice sync job...`. */
export const submittingText = (kind: Kind): string => `Submitting ${kinds[kind].label.toLowerCase()} sync job...`;

const nounOf = (kind: SubmittableKind): string => kinds[kind].label.toLowerCase();

/** The dialog that asks before a sync. */
export const confirmWords = {
  title: 'Confirm Sync',
  ask: (kind: SubmittableKind, count: number, isLive: boolean): string =>
    `Please confirm you want to ${isLive ? 'sync' : 'test sync'} ${these(count, nounOf(kind))}.`,
  /** Stands before and behind the sum. */
  sum: ['Together they come to', '.'],
  live: (books: string): string =>
    `They are planned first, and nothing is sent: you see the whole of it, and its last button posts it to ${books}.`,
  test: 'A simulation. Nothing is sent, neither service is changed; the logs show what would be posted.',
  ifSynced: 'If already synced...',
  skip: 'Do not process.',
  again: 'Sync it again.',
  warning: (kind: SubmittableKind, books: string, psa: string): string =>
    `Each ${nounOf(kind)} that is already synced gets another document in ${books}, and the former reference number in ${psa} is overwritten.`,
  /** The last button. @param sum empty where no amount is known */
  submit: (kind: SubmittableKind, count: number, sum: string, how: 'test' | 'review' | 'again'): string =>
    `${how === 'test' ? 'TEST' : 'Review'} ${countOf(count, nounOf(kind))}${sum === '' ? '' : `, ${sum}`}${how === 'again' ? ', again' : ''}`,
} as const;

/** “400 of 1,163 are cleared…”, while the rest is in progress. */
export const clearingProgress = (done: number, total: number): string =>
  `${setCount(done)} of ${setCount(total)} are cleared…`;

/** The error of a part after which nothing else was tried. @param done how many were cleared before it */
export const clearedBefore = (done: number, total: number, why: string): string =>
  done === 0 ? why : `${setCount(done)} of ${setCount(total)} were cleared. ${why}`;

/** The dialog that asks before the status is cleared. */
export const resetWords = {
  title: 'Confirm Reset Sync Status',
  ask: (kind: SubmittableKind, count: number): string =>
    `Please confirm you want to reset the sync status of ${these(count, nounOf(kind))}.`,
  linked: (books: string): string =>
    `Nothing changes in ${books}: a document that is there already is linked again by the next sync, not made twice.`,
  done: (kind: SubmittableKind, count: number): string =>
    `The sync status of ${countOf(count, nounOf(kind))} was cleared.`,
} as const;

/** The change that clearing makes in the PSA. */
export function whatIsCleared(kind: SubmittableKind, count: number, usesPsaNumber: boolean, psa: string): string {
  const whose = count === 1 ? 'Its' : 'Their';
  if (kind === 'expense_report') return `${whose} QuickBooks reference number in ${psa} is emptied.`;
  if (kind === 'purchase_order') return `${whose} external PO number in ${psa} is emptied.`;
  return usesPsaNumber
    ? `${whose} invoice number in ${psa} is set back to the original: ERROR or IN PROCESS is taken off it. The sync date is emptied.`
    : `${whose} invoice number in ${psa} is emptied.`;
}

/** The dialog of payments and voids. */
export const followUpWords = {
  title: 'Payments and voids',
  due: 'What is due now',
  payments: 'Payments',
  paymentsHint: (psa: string, books: string): string =>
    `The paid state of synced invoices, both ways between ${psa} and ${books}.`,
  voids: 'Voids',
  voidsHint: (psa: string): string => `Invoices that were voided in ${psa} after they were synced.`,
  voidsOff: 'Voids are switched off in this installation.',
  test: (kind: 'payment' | 'void'): string => `TEST ${kinds[kind].plural.toLowerCase()}`,
  review: (kind: 'payment' | 'void'): string => `Review ${kinds[kind].plural.toLowerCase()}`,
} as const;
