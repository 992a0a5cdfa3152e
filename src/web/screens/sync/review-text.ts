import type { JobReply } from '#contract/jobs.ts';
import type { ReviewedDocument } from '#contract/reviews.ts';
import { kinds } from '#core/kinds.ts';
import { formatCount, thisOrThese } from '../../data/format.ts';
import { countByKind, describeWithinSentence } from '../needs-attention/summaries.ts';

/** Returns the label of the link from a test to its review. */
export const reviewLabel = (count: number): string =>
  count === 1 ? 'Review this one and post' : `Review these ${formatCount(count)} and post`;

/** Returns the name of a row: “Invoice 48213”, with the document’s number, or its PSA id if it has none. */
export const nameOfResult = ({
  what,
  number,
  entityid,
}: Pick<ReviewedDocument, 'what' | 'number' | 'entityid'>): string => `${what ?? 'Document'} ${number ?? entityid}`;

/** A document of a review, with properties of the job that planned it. */
export type PlannedDocument = Pick<ReviewedDocument, 'posts' | 'what' | 'amount' | 'currency'> &
  Pick<JobReply, 'type' | 'force' | 'update' | 'choice'>;

/** Returns “this invoice” or “these 12 invoices and 1 purchase order”. */
export function describeSelection(selected: readonly Pick<PlannedDocument, 'type'>[]): string {
  const [only] = selected;
  if (selected.length === 1 && only !== undefined) return thisOrThese(1, kinds[only.type].label.toLowerCase());
  return `these ${countByKind(selected.map(({ type }) => ({ type, what: null })))}`;
}

/** Returns whether a payment uses money that the accounting service already has. */
const appliesMoney = ({ choice }: Pick<PlannedDocument, 'choice'>): boolean => choice === 'apply';

/**
 * Returns the question at the top of a review.
 *
 * @param accounting short name of the accounting service
 */
export function confirmQuestion(selected: readonly PlannedDocument[], accounting: string): string {
  if (selected.every(appliesMoney))
    return `Please confirm you want to apply existing money in ${accounting} to pay ${selected.length === 1 ? 'this invoice' : `these ${selected.length} invoices`}. An uncovered rest becomes a new payment. Nothing was sent yet.`;
  return selected.every(({ update }) => update)
    ? `Please confirm you want to update ${describeSelection(selected)} in ${accounting}. Nothing was sent yet. Debits and credits show only the change.`
    : `Please confirm you want to sync ${describeSelection(selected)}. Nothing was sent yet.`;
}

/**
 * Returns the label of the last button: “Post 12 invoices, $18,430.20, to QuickBooks”, or “Update 1 invoice, $2,066.25, in
 * QuickBooks”.
 *
 * @param accounting short name of the accounting service
 */
export function postLabel(selected: readonly PlannedDocument[], accounting: string): string {
  const posted = selected.filter(({ posts }) => posts);
  if (selected.length === 0) return 'Nothing is selected';
  if (posted.length === 0) return `Sync ${countByKind(selected)}`;
  const documents = describeWithinSentence(posted);
  if (posted.every(({ update }) => update)) return `Update ${documents} in ${accounting}`;
  if (posted.every(appliesMoney)) return `Apply existing money for ${documents} in ${accounting}`;
  const isAgain = posted.some(({ type, force }) => force && type !== 'difference' && type !== 'payment');
  return `Post ${documents} to ${accounting}${isAgain ? ' again' : ''}`;
}
