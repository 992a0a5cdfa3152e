import { stateOf } from './attention.ts';
import type { Posting } from './records/postings.ts';
import type { Problem } from './problems.ts';

/**
 * State of a document for people: `voided` and `deleted` describe its QuickBooks document; `waiting` was not posted yet,
 * or is tried again.
 */
export const documentStates = [
  'waiting',
  'syncing',
  'synced',
  'awaits_approval',
  'held',
  'failed',
  'voided',
  'deleted',
] as const;
export type DocumentState = (typeof documentStates)[number];

/** Facts that decide the state of a document. */
export interface StateFacts {
  /** A live sync of the document is in progress. */
  readonly isBusy: boolean;
  /** A draft of the document waits for approval. */
  readonly isDrafted: boolean;
  /** The current posting; null if it was never posted. */
  readonly posting: Pick<Posting, 'status'> | null;
  /** The newest live attempt; null without one. */
  readonly newest: { readonly success: boolean; readonly problems: readonly Partial<Problem>[] } | null;
}

/** Returns the state of a document. A failure after the posting counts, because the document is not as it should be. */
export function documentStateOf({ isBusy, isDrafted, posting, newest }: StateFacts): DocumentState {
  if (isBusy) return 'syncing';
  if (isDrafted) return 'awaits_approval';
  if (newest !== null && !newest.success) {
    const state = stateOf(newest.problems);
    if (state !== 'retrying') return state === 'needs_you' ? 'failed' : 'held';
  }
  switch (posting?.status) {
    case 'synced':
    case 'unconfirmed':
      return 'synced';
    case 'voided':
      return 'voided';
    case 'deleted_in_accounting':
      return 'deleted';
    default:
      return 'waiting';
  }
}
