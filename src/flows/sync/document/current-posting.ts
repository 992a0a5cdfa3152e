import type { Job } from '#core/ports/jobs.ts';
import type { Posting, PostingStatus } from '#core/ports/postings.ts';
import type { KindFlow } from '../kinds/kind.ts';
import type { Run } from '../run.ts';

/** The posting that a document is decided with; a kind that changes documents of another has none of its own to check. */
export const currentPosting = (
  run: Run,
  flow: KindFlow<unknown>,
  posting: Posting | null,
  wish: Pick<Job, 'force' | 'mode'>,
): Promise<Posting | null> =>
  flow.changesOnly === true ? Promise.resolve(posting) : settledPosting(run, posting, wish);

/**
 * The newest posting of a document, checked against the books: one that is gone or voided there makes room for a new
 * document (domain reference 5.4 point 3).
 */
async function settledPosting(
  run: Run,
  posting: Posting | null,
  wish: Pick<Job, 'force' | 'mode'>,
): Promise<Posting | null> {
  if (
    posting === null ||
    wish.force ||
    !isInBooks(posting.status) ||
    posting.targetType === null ||
    posting.targetId === null
  )
    return posting !== null && isInBooks(posting.status) ? posting : null;
  const found = await run.accounting.read(posting.targetType, posting.targetId);
  if (found !== null && !found.isVoided) return posting;
  if (wish.mode === 'live')
    await run.context.store.markPosting(posting.id, found === null ? 'deleted_in_books' : 'voided');
  return null;
}

const isInBooks = (status: PostingStatus): boolean => status === 'synced' || status === 'unconfirmed';
