import { nextCommand, type Attempt, type In, type Posted } from '#core/attempt.ts';
import { sharedRecordOf } from '#core/planning/plan.ts';
import type { Problem } from '#core/problems.ts';
import { unlessReadsAreBlocked } from '#core/service-error.ts';
import { addSeconds } from '#core/values/dates.ts';
import type { Run } from '../run.ts';
import type { DocumentContext } from './context.ts';

/** Seconds by which the clock of the books may be behind ours. */
const clocksApart = 600;

/**
 * Looks for the document itself in the books, right before it would be made: a ledger that was restored from a backup is
 * older than the books, and knows nothing of what was posted since. Another document of a source that has one is wanted
 * once: of these, one counts that was made since it was asked for, and for nothing else that the ledger knows.
 *
 * @returns what stands there for the same source; null when there is none, or the ledger knows what became of it.
 * @throws ServiceError when the books cannot be asked: nothing is sent then.
 */
export async function findAdoptable(doc: DocumentContext, attempt: In<'posting'>): Promise<Posted | null> {
  const { run, flow, askedAt } = doc;
  if (flow.changesOnly === true || flow.needsFresh === true) return null;
  const isAnother = attempt.force && askedAt !== null;
  if (!isAnother && !isUnknown(doc, attempt)) return null;
  if (attempt.posted.length + 1 < attempt.plan.commands.length) return null;
  const command = nextCommand(attempt);
  if (sharedRecordOf(command) !== null) return null;
  const [shared, facts] = [await doc.shared(), await doc.facts()];
  if (flow.mayBeInBooks?.(shared, facts) === false) return null;
  const madeSince = isAnother
    ? { from: addSeconds(askedAt, -clocksApart), except: await idsOfKnownAttempts(run, attempt) }
    : null;
  const found = run.findByOrigin({ of: attempt, command, sourceDatedOn: attempt.about?.on ?? null, madeSince });
  // A ledger that may be older than the books does not know what was posted: nothing is posted without looking.
  return isAnother || run.session.ledgerGap !== null ? found : unlessReadsAreBlocked(found, null);
}

/** The ledger has no document for it, and nobody has asked for another one. */
const isUnknown = ({ known }: DocumentContext, { force, generation }: Attempt): boolean =>
  !force && generation === 1 && known.gone === null && (known.posting === null || known.posting.targetId === null);

/**
 * Ids of all documents for the source of an attempt of which the ledger knows what they were made for. One that it has only
 * taken in after a gap may be the one that is asked for.
 */
const idsOfKnownAttempts = async ({ context }: Run, { kind, psaId }: Attempt): Promise<readonly string[]> => {
  const postings = await context.store.listPostings(kind, [psaId]);
  return postings.flatMap(({ targetId, wasAdopted }) => (wasAdopted ? [] : (targetId ?? [])));
};

/** Problems that stand against a document of the books being that of the PSA. */
export const differencesOf = async (doc: DocumentContext, { type, id }: Posted): Promise<readonly Problem[]> => {
  const { run, flow } = doc;
  const link = { targetType: type, targetId: id, psaTotal: null };
  return (await flow.findDifferences?.(run, await doc.shared(), await doc.facts(), link)) ?? [];
};
