import type { AttemptBase } from '#core/attempt.ts';
import type { Posting } from '#core/ports/postings.ts';

/**
 * What the PSA says that a document is synced as; null when that is a document of ours which is gone from the books, so
 * that it may be made anew (domain reference 5.4).
 */
export function unlessGone(
  told: string | null,
  gone: Posting | null,
  referenceOf: (made: { readonly number: string | null; readonly id: string }) => string,
): string | null {
  const isGone = gone !== null && told === referenceOf({ number: gone.number, id: gone.targetId ?? '' });
  return isGone ? null : told;
}

/** Documents that are made although the PSA says that they are synced: asked for by force, or in place of one that is gone. */
export const wantedAgain = (
  documents: readonly Pick<AttemptBase, 'psaId' | 'force' | 'generation'>[],
): ReadonlySet<number> =>
  new Set(documents.flatMap(({ psaId, force, generation }) => (force || generation > 1 ? [psaId] : [])));
