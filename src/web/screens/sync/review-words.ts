import type { JobReply } from '#contract/jobs.ts';
import type { ReviewedDocument } from '#contract/reviews.ts';
import { kinds } from '#core/kinds.ts';
import { these } from '../../lib/format.ts';
import { countedOf, worthOf } from '../needs-attention/headline.ts';

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
  const worth = worthOf(posted);
  const money = worth.includes(', ') ? `${worth},` : worth;
  if (posted.every(({ update }) => update)) return `Update ${money} in ${books}`;
  const isAgain = posted.some(({ type, force }) => force && type !== 'difference');
  return `Post ${money} to ${books}${isAgain ? ' again' : ''}`;
}
