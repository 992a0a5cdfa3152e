import type { AttemptBase } from '#core/attempt.ts';
import type { Posting } from '#core/ports/postings.ts';

/**
 * Returns the reference that the PSA has for a document; null if it refers to one of our documents that was deleted in
 * QuickBooks, so that it may be created again (domain reference 5.4).
 */
export function unlessGone(
  reference: string | null,
  gone: Posting | null,
  referenceOf: (made: { readonly number: string | null; readonly id: string }) => string,
): string | null {
  const isGone = gone !== null && reference === referenceOf({ number: gone.number, id: gone.targetId ?? '' });
  return isGone ? null : reference;
}

/**
 * Returns true if a document is created although the PSA shows it as synced: with `force`, or to replace a deleted one.
 */
export const isWantedAgain = ({ force, generation }: Pick<AttemptBase, 'force' | 'generation'>): boolean =>
  force || generation > 1;
