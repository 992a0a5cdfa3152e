import { alreadySynced } from '#core/planning/messages.ts';
import type { Posting } from '#core/records/postings.ts';
import type { Decision } from './kind.ts';

/** Skips a document that is synced already. */
export const skipSynced = (reference: string): Decision => ({
  outcome: 'skip',
  reason: 'already_synced',
  message: alreadySynced(reference),
  isLoggedOnce: false,
  notes: [],
});

/** Skips a purchase that is synced already; if the PSA shows another reference, only writes the right one. */
export const relinkOrSkip = (posting: Posting | null, reference: string, psaReference: string | null): Decision =>
  posting !== null && psaReference !== reference
    ? { outcome: 'relink', posting, mark: null, notes: [] }
    : skipSynced(reference);
