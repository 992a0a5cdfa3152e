import type { AttemptBase } from '#core/attempt.ts';
import type { Kind } from '#core/kinds.ts';
import type { Posting } from '#core/records/postings.ts';
import { referenceOf } from '#core/sync-status.ts';

/**
 * Returns the reference that the PSA has for a document; null if it refers to one of our documents that was deleted in
 * QuickBooks, so that it may be created again (domain reference 5.4).
 */
export const unlessGone = (kind: Kind, reference: string | null, gone: Posting | null): string | null =>
  gone !== null && reference === referenceOfPosting(kind, gone) ? null : reference;

/** Returns the reference that the PSA shows for a posting. */
export const referenceOfPosting = (kind: Kind, { number, targetId }: Pick<Posting, 'number' | 'targetId'>): string =>
  referenceOf(kind, { number, id: targetId ?? '' });

/**
 * Returns true if a document is created although the PSA shows it as synced: with `force`, or to replace a deleted one.
 */
export const isWantedAgain = ({ force, generation }: Pick<AttemptBase, 'force' | 'generation'>): boolean =>
  force || generation > 1;
