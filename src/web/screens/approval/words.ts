import type { DraftReply } from '#contract/drafts.ts';
import { countOf } from '../../lib/format.ts';
import { documentStates } from '../../ui/badge.tsx';
import { describeWithinSentence } from '../needs-attention/summaries.ts';

/** Sentences of the Approval page, and of what it shares with the review before a sync. */

export const approvalWords = {
  title: 'Approval',
  lead: 'What automatic runs have prepared. Nothing of it is posted before you approve it, and then exactly so.',
  print: 'Print',
  refresh: 'Refresh',
  what: 'What waits for approval',
  nothing: (isRequired: boolean): string =>
    isRequired
      ? 'Nothing is waiting for approval. What the next automatic run finds is shown here before it is posted.'
      : 'Nothing is waiting for approval. Automatic runs post by themselves; Require approval in Settings changes that.',
  onlyAdministrators: 'You see all of it. An administrator approves.',
  changedAfter: (count: number): string =>
    `${countOf(count, 'document')} would be posted differently from what was approved, so nothing of ${count === 1 ? 'it' : 'them'} was posted. What was and what is stands in the row; open it for the whole.`,
  needsTwo: (count: number): string =>
    `${countOf(count, 'document')} ${count === 1 ? 'is' : 'are'} above what one person approves: two people approve, one after the other.`,
  documents: 'Documents',
  firstOfTwo: (count: number): string =>
    `${countOf(count, 'document')} now ${count === 1 ? 'waits' : 'wait'} for a second person.`,
  reject: 'Reject',
  heads: { document: 'Document', party: 'Customer or vendor', date: 'Date', state: 'State', amount: 'Amount' },
  count: (count: number): string => countOf(count, 'document'),
  selected: (count: number): string => `${countOf(count, 'document')} selected`,
  onItsWay: 'On its way',
  changed: 'Changed since',
  waiting: documentStates.awaits_approval,
  approvedBy: (who: string): string => `Approved by ${who}; one more is needed.`,
  startedBy: (who: string): string => `Started by ${who}.`,
} as const;

/** The dialog that asks why documents are rejected. */
export const rejectWords = {
  title: (count: number): string => `Reject ${countOf(count, 'document')}`,
  text: (count: number): string =>
    `${count === 1 ? 'It is' : 'They are'} not posted, and prepared again once something about ${count === 1 ? 'it' : 'them'} changes.`,
  why: 'Why',
} as const;

/** The dialog that shows one document. */
export const draftWords = {
  title: (name: string): string => `${name}, as it would be posted`,
  draft: 'The draft',
  changedIn: (psa: string): string => `Changed in ${psa} since`,
  changedElsewhere: 'Changed by settings, mappings or QuickBooks since',
  heads: ['What', 'Was', 'Is'],
  books: 'What it books',
  accounts: 'Accounts of this document',
} as const;

/** The parts that add a run up. */
export const summaryWords = {
  waits: documentStates.awaits_approval,
  isNew: 'New in QuickBooks',
  nothingNew: 'Everything exists already',
  warnings: 'Warnings',
  noWarnings: 'Nothing was remarked',
  warned: (count: number): string => `on ${countOf(count, 'document')}`,
  onTheirWay: 'On their way',
  notPostedYet: 'Approved, not posted yet',
  more: (count: number): string => ` and ${countOf(count, 'more document')}`,
  selectOnly: (count: number): string => `Select only ${count === 1 ? 'this' : `these ${count}`}`,
  selectOnlyOf: (count: number, message: string): string => `Select only ${countOf(count, 'document')}: ${message}`,
  /** @param currency where there are several */
  ledger: (currency: string | null): string =>
    currency === null ? 'Debits and credits' : `Debits and credits, ${currency}`,
  accountsIn: (currency: string | null): string => `Accounts in ${currency}`,
  taxUnknown: 'QuickBooks decides the tax of some of these; it stands here as it was billed.',
  heads: { account: 'Account', class: 'Class', tax: 'Tax', debit: 'Debit', credit: 'Credit', total: 'Total' },
  parties: 'By customer and vendor, compared with last month',
  partiesList: 'By customer and vendor',
  partyHeads: { name: 'Name', documents: 'Documents', now: 'Now', before: 'Last month', difference: 'Difference' },
  none: 'none',
  count: (count: number): string => countOf(count, 'document'),
} as const;

/** Label of the last button: what it does. @param books short name of the accounting service */
export function approveLabel(drafts: readonly DraftReply[], books: string): string {
  const first = drafts.filter(({ approval }) => approval === 'first');
  const final = drafts.filter(({ approval }) => approval === 'final');
  if (drafts.length === 0) return 'Nothing is selected';
  if (final.length === 0) return `Approve ${describeWithinSentence(first)} as the first of two`;
  const post = `Post ${describeWithinSentence(final)} to ${books}`;
  return first.length === 0 ? post : `${post}; approve ${countOf(first.length, 'other')} as the first of two`;
}

/** Why the person cannot approve some of what is chosen; null when they can. */
export function obstacleOf(drafts: readonly DraftReply[]): string | null {
  const [worst] = drafts.flatMap(({ approval }) => (approval === 'first' || approval === 'final' ? [] : [approval]));
  if (worst === undefined) return null;
  const count = drafts.filter(({ approval }) => approval === worst).length;
  return {
    changed_setup:
      'You have changed settings or mappings since somebody else last approved a run, so somebody else approves this one.',
    prepared_it: `You started the sync of ${countOf(count, 'document')} yourself, so somebody else approves ${count === 1 ? 'it' : 'them'}.`,
    approved_it: `You have approved ${countOf(count, 'document')} already; a second person is needed.`,
  }[worst];
}
