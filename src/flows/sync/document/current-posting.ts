import type { Job } from '#core/ports/jobs.ts';
import type { Posting, PostingStatus } from '#core/ports/postings.ts';
import { unlessReadsAreBlocked } from '#core/service-error.ts';
import type { KindFlow, KnownDocument } from '../kinds/kind.ts';
import type { Run } from '../run.ts';

/**
 * Reads what the ledger and the books know of a document: its newest posting, looked at in the books. One that is gone
 * or voided there makes room for a new document (domain reference 5.4 point 3). A kind that changes documents of
 * another has none of its own to look at.
 *
 * @param known the newest of the ledger; null: there is none.
 */
export async function currentPosting(
  run: Run,
  flow: KindFlow<unknown>,
  known: Posting | null,
  wish: Pick<Job, 'force' | 'revises' | 'mode'>,
): Promise<KnownDocument> {
  if (known === null || flow.changesOnly === true) return { posting: known, gone: null };
  if (isGone(known.status)) return { posting: null, gone: known };
  if (!isInBooks(known.status)) return { posting: null, gone: null };
  if (wish.force || known.targetType === null || known.targetId === null) return { posting: known, gone: null };
  const reading = run.accounting.read(known.targetType, known.targetId);
  // While reads are blocked, the document counts as standing there: it is not posted a second time.
  const found = await (wish.revises === true ? reading : unlessReadsAreBlocked(reading, unread));
  if (found === unread) return { posting: known, gone: null };
  if (found !== null && !found.isVoided) {
    // A document that was posted without a number may have got one since.
    const posting = known.number === null ? { ...known, number: found.number } : known;
    if (wish.revises !== true || found.syncToken === null) return { posting, gone: null };
    const [document] = await run.accounting.readDocuments([{ type: known.targetType, id: known.targetId }]);
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
    await run.context.store.markPosting(known.id, found === null ? 'deleted_in_books' : 'voided');
  return { posting: null, gone: known };
}

const unread = Symbol('unread');
const isInBooks = (status: PostingStatus): boolean => status === 'synced' || status === 'unconfirmed';
const isGone = (status: PostingStatus): boolean => status === 'deleted_in_books' || status === 'voided';
