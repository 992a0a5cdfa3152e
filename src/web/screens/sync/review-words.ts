import type { JobReply } from '#contract/jobs.ts';
import type { ReviewedDocument } from '#contract/reviews.ts';
import { type Kind, kinds } from '#core/kinds.ts';
import { countOf, these } from '../../lib/format.ts';
import { countedOf, worthWithin } from '../needs-attention/headline.ts';

/** Sentences of the page that stands before every live sync. */
export const reviewWords = {
  title: 'Review',
  lead: 'Everything is planned first, as a test does. Nothing is sent before you press the last button.',
  what: 'The review',
  gone: 'This review is no longer available. To review the documents again, select them in the list and press Sync.',
  close: 'Close review',
  empty: 'Nothing can be posted now. Nothing was sent.',
  noneSelected: 'Nothing is selected. Nothing was sent yet.',
  cancel: 'Cancel',
  nothing: 'Nothing to post',
  stopped: 'It was stopped before its end.',
  /** Stands behind the reason why a test was stopped. */
  left: 'What it has not come to is not among these.',
  difference: (books: string): string =>
    `What both sides differ in becomes a document of its own in ${books}; the posted one stays as it is.`,
  again: (kind: Kind, books: string): string =>
    `Each ${nounOf(kind)} that is already synced gets another document in ${books}, and the former reference number is overwritten.`,
  update: (kind: Kind, books: string): string =>
    `Each ${nounOf(kind)} in ${books} becomes what stands here, whole: what was changed by hand there is lost. Nothing is changed that was paid in part, or that is dated in closed books.`,
  documents: 'Documents',
  count: (count: number): string => countOf(count, 'document'),
  selected: (count: number): string => `${countOf(count, 'document')} selected`,
  ofAll: (count: number): string => `What follows is of all ${countOf(count, 'document')}, selected or not.`,
  posted: 'Would be posted',
  updated: 'Would be updated',
  isNew: 'New in QuickBooks',
  nothingNew: 'Everything exists already',
  newKinds: 'customers, vendors and items',
  warnings: 'Warnings',
  noWarnings: 'Nothing was remarked',
  lookAtThem: 'Look at them before you post',
  notPosted: 'Not posted',
  allPosted: 'All of them can be posted',
  wouldNot: (count: number): string => `${countOf(count, 'document')} would not be posted`,
  details: 'Details',
  detailsOf: (id: number): string => `Details of ${id}`,
  moreInLogs: (count: number): string => `${countOf(count, 'more document')} in Logs`,
  more: (count: number): string => ` and ${countOf(count, 'more document')}`,
  heads: { document: 'Document', party: 'Customer or vendor', date: 'Date', amount: 'Amount' },
} as const;

const nounOf = (kind: Kind): string => kinds[kind].label.toLowerCase();

/** The name of a row: “Invoice 48213”, with the number where there is one, else the PSA's id. */
export const nameOfResult = ({
  what,
  number,
  entityid,
}: Pick<ReviewedDocument, 'what' | 'number' | 'entityid'>): string => `${what ?? 'Document'} ${number ?? entityid}`;

/** A document of a review, with the job that has planned it. */
export type Picked = Pick<ReviewedDocument, 'posts' | 'what' | 'amount' | 'currency'> &
  Pick<JobReply, 'type' | 'force' | 'update'>;

/** “this invoice”, “these 12 invoices and 1 purchase order”. */
export function theseOf(picked: readonly Pick<Picked, 'type'>[]): string {
  const [only] = picked;
  if (picked.length === 1 && only !== undefined) return these(1, kinds[only.type].label.toLowerCase());
  return `these ${countedOf(picked.map(({ type }) => ({ type, what: null })))}`;
}

/**
 * Question at the head of a review: “Please confirm you want to sync these 12 invoices.” An update is called one, and says
 * that the accounts below hold only what it changes.
 *
 * @param books short name of the accounting service
 */
export function askOf(picked: readonly Picked[], books: string): string {
  return picked.every(({ update }) => update)
    ? `Please confirm you want to update ${theseOf(picked)} in ${books}. Nothing was sent yet; ${picked.length === 1 ? 'it becomes' : 'they become'} exactly what stands here, and debits and credits are what that changes.`
    : `Please confirm you want to sync ${theseOf(picked)}. Nothing was sent yet; what you post is exactly what stands here.`;
}

/**
 * Label of the last button: “Post 12 invoices, $18,430.20, to QuickBooks”, or “Update 1 invoice, $2,066.25, in QuickBooks”.
 * Documents of several kinds are counted by kind.
 *
 * @param books short name of the accounting service
 */
export function postLabel(picked: readonly Picked[], books: string): string {
  const posted = picked.filter(({ posts }) => posts);
  if (picked.length === 0) return 'Nothing is selected';
  if (posted.length === 0) return `Bring ${countedOf(picked)} into step`;
  const money = worthWithin(posted);
  if (posted.every(({ update }) => update)) return `Update ${money} in ${books}`;
  const isAgain = posted.some(({ type, force }) => force && type !== 'difference');
  return `Post ${money} to ${books}${isAgain ? ' again' : ''}`;
}
