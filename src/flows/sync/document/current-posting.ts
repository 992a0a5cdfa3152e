import type { Job } from '#core/records/jobs.ts';
import type { Posting, PostingStatus } from '#core/records/postings.ts';
import { unlessReadsAreBlocked } from '#core/service-error.ts';
import type { KindFlow, KnownDocument } from '../kinds/kind.ts';
import type { Run } from '../run.ts';

/**
 * Returns the newest posting of a document, checked in QuickBooks. If the posting was deleted or voided there, a new
 * document may be posted (domain reference 5.4 point 3). Kinds that only change other documents have no posting to
 * check.
 *
 * @param known the newest posting in the ledger; null if there is none.
 */
export async function currentPosting(
  run: Run,
  flow: KindFlow<unknown>,
  known: Posting | null,
  request: Pick<Job, 'force' | 'revises' | 'mode'>,
): Promise<KnownDocument> {
  if (known === null || flow.changesOnly === true) return { posting: known, gone: null };
  if (isGone(known.status)) return { posting: null, gone: known };
  if (!isInBooks(known.status)) return { posting: null, gone: null };
  if (request.force || known.targetType === null || known.targetId === null) return { posting: known, gone: null };
  const reading = run.accounting.read(known.targetType, known.targetId);
  // While reads are blocked, assume that the document exists, so that it is not posted twice.
  const found = await (request.revises === true ? reading : unlessReadsAreBlocked(reading, unread));
  if (found === unread) return { posting: known, gone: null };
  if (found !== null && !found.isVoided) {
    // A document posted without a number may have one now.
    const posting = known.number === null ? { ...known, number: found.number } : known;
    if (request.revises !== true || found.syncToken === null) return { posting, gone: null };
    const [document] = await run.accounting.readDocuments([{ type: known.targetType, id: known.targetId }]);
    const emailStatus = found.document['EmailStatus'];
    return {
      posting,
      gone: null,
      ...(document !== undefined && {
        current: {
          document,
          syncToken: found.syncToken,
          emailStatus: typeof emailStatus === 'string' ? emailStatus : null,
        },
      }),
    };
  }
  if (request.mode === 'live')
    await run.context.store.markPosting(known.id, found === null ? 'deleted_in_books' : 'voided');
  return { posting: null, gone: known };
}

const unread = Symbol('unread');
const isInBooks = (status: PostingStatus): boolean => status === 'synced' || status === 'unconfirmed';
const isGone = (status: PostingStatus): boolean => status === 'deleted_in_books' || status === 'voided';
