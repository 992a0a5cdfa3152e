import type { AttemptBase } from '#core/attempt.ts';
import type { Posting } from '#core/ports/postings.ts';

/**
 * The reference that the PSA has of a document; null when it names a document of ours which is gone from the books, so
 * that it may be made anew (domain reference 5.4).
 */
export function unlessGone(
  reference: string | null,
  gone: Posting | null,
  referenceOf: (made: { readonly number: string | null; readonly id: string }) => string,
): string | null {
  const isGone = gone !== null && reference === referenceOf({ number: gone.number, id: gone.targetId ?? '' });
  return isGone ? null : reference;
}

/** Whether a document is made although the PSA says that it is synced: by force, or in place of one that is gone. */
export const isWantedAgain = ({ force, generation }: Pick<AttemptBase, 'force' | 'generation'>): boolean =>
  force || generation > 1;
