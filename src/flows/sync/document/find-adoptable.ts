import { nextCommand, type Attempt, type In, type Posted } from '#core/attempt.ts';
import { sharedRecordOf } from '#core/planning/plan.ts';
import type { Problem } from '#core/problems.ts';
import type { DocumentContext } from './context.ts';

/**
 * Looks for the document itself in the books, right before it would be made for the first time: a ledger that was restored
 * from a backup is older than the books, and knows nothing of what was posted since.
 *
 * @returns what stands there for the same source; null when there is none, or the ledger knows what became of it.
 * @throws ServiceError when the books cannot be asked: nothing is sent then.
 */
export async function findAdoptable(doc: DocumentContext, attempt: In<'posting'>): Promise<Posted | null> {
  if (!isUnknown(doc, attempt) || attempt.posted.length + 1 < attempt.plan.commands.length) return null;
  const command = nextCommand(attempt);
  if (sharedRecordOf(command) !== null) return null;
  const [shared, facts] = [await doc.shared(), await doc.facts()];
  if (doc.flow.mayBeInBooks?.(shared, facts) === false) return null;
  return doc.run.findByOrigin({ of: attempt, command, sourceDatedOn: attempt.about?.on ?? null });
}

/** The ledger has no document for it, and nobody has asked for another one. */
const isUnknown = ({ flow, known }: DocumentContext, { force, generation }: Attempt): boolean =>
  flow.changesOnly !== true &&
  flow.needsFresh !== true &&
  !force &&
  generation === 1 &&
  known.gone === null &&
  (known.posting === null || known.posting.targetId === null);

/** Problems that stand against a document of the books being that of the PSA. */
export const differencesOf = async (doc: DocumentContext, { type, id }: Posted): Promise<readonly Problem[]> => {
  const { run, flow } = doc;
  const link = { targetType: type, targetId: id, psaTotal: null };
  return (await flow.findDifferences?.(run, await doc.shared(), await doc.facts(), link)) ?? [];
};
