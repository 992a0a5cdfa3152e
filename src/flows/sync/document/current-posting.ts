import type { Job } from '#core/ports/jobs.ts';
import type { Posting, PostingStatus } from '#core/ports/postings.ts';
import type { KindFlow, KnownDocument } from '../kinds/kind.ts';
import type { Run } from '../run.ts';

/**
 * Reads what the ledger and the books know of a document: its newest posting, looked at in the books. One that is gone
 * or voided there makes room for a new document (domain reference 5.4 point 3). A kind that changes documents of
 * another has none of its own to look at.
 *
 * @param posting the newest of the ledger; null: there is none.
 */
export async function currentPosting(
  run: Run,
  flow: KindFlow<unknown>,
  posting: Posting | null,
  wish: Pick<Job, 'force' | 'revises' | 'mode'>,
): Promise<KnownDocument> {
  if (posting === null || flow.changesOnly === true) return { posting, gone: null };
  if (isGone(posting.status)) return { posting: null, gone: posting };
  if (!isInBooks(posting.status)) return { posting: null, gone: null };
  if (wish.force || posting.targetType === null || posting.targetId === null) return { posting, gone: null };
  const found = await run.accounting.read(posting.targetType, posting.targetId);
  if (found !== null && !found.isVoided) {
    if (wish.revises !== true || found.syncToken === null) return { posting, gone: null };
    const [document] = await run.accounting.readDocuments([{ type: posting.targetType, id: posting.targetId }]);
    const emailStatus = found.document['EmailStatus'];
    return {
      posting,
      gone: null,
      ...(document !== undefined && {
        standing: {
          document,
          syncToken: found.syncToken,
          emailStatus: typeof emailStatus === 'string' ? emailStatus : null,
        },
      }),
    };
  }
  if (wish.mode === 'live')
    await run.context.store.markPosting(posting.id, found === null ? 'deleted_in_books' : 'voided');
  return { posting: null, gone: posting };
}

const isInBooks = (status: PostingStatus): boolean => status === 'synced' || status === 'unconfirmed';
const isGone = (status: PostingStatus): boolean => status === 'deleted_in_books' || status === 'voided';
