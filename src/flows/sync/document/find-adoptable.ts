import { nextCommand, type Attempt, type In, type Posted } from '#core/attempt.ts';
import { sharedRecordOf } from '#core/planning/plan.ts';
import type { Problem } from '#core/problems.ts';
import type { Posting } from '#core/records/postings.ts';
import { unlessReadsAreBlocked } from '#core/service-error.ts';
import { addSeconds } from '#core/values/dates.ts';
import { isLink } from '../kinds/entered-again.ts';
import { needsFresh } from '../kinds/kind.ts';
import type { Run } from '../run.ts';
import type { DocumentContext } from './context.ts';

/** Maximum seconds by which QuickBooks' clock may be behind ours. */
const maxClockSkewSeconds = 600;

/**
 * Searches QuickBooks for the document right before it would be created. A ledger restored from a backup is older than
 * QuickBooks and does not have the postings since. With `force`, another document is requested once; a match must then
 * be created after that request and not belong to another attempt in the ledger.
 *
 * @returns the document of the same source in QuickBooks; null if there is none, or the ledger knows its result.
 * @throws ServiceError when QuickBooks cannot be read; then nothing is sent.
 */
export async function findAdoptable(doc: DocumentContext, attempt: In<'posting'>): Promise<Posted | null> {
  const { run, flow, requestedAt } = doc;
  if (needsFresh(flow)) return null;
  if (isLink(attempt) && flow.findLinked !== undefined) return flow.findLinked(run, attempt.psaId);
  const isAnother = attempt.force && requestedAt !== null;
  if (!isAnother && !isUnknown(doc, attempt)) return null;
  if (attempt.posted.length + 1 < attempt.plan.commands.length) return null;
  const command = nextCommand(attempt);
  if (sharedRecordOf(command) !== null) return null;
  const [shared, facts] = [await doc.shared(), await doc.facts()];
  if (flow.mayBeInAccounting?.(shared, facts) === false) return null;
  const madeSince = isAnother
    ? { from: addSeconds(requestedAt, -maxClockSkewSeconds), except: await idsOfKnownAttempts(run, attempt) }
    : null;
  const found = run.findByOrigin({ of: attempt, command, sourceDatedOn: attempt.about?.on ?? null, madeSince });
  // A ledger with a gap may lack postings, so nothing is posted without this search.
  return isAnother || run.session.ledgerGap !== null ? found : unlessReadsAreBlocked(found, null);
}

/** Returns true if the ledger has no document for it, and no further one was requested. */
const isUnknown = ({ known }: DocumentContext, { force, generation }: Attempt): boolean =>
  !force && generation === 1 && known.gone === null && (known.posting === null || known.posting.targetId === null);

/**
 * Returns the ids of all documents of an attempt's source that the ledger knows from their attempt. A document adopted
 * after a restore is excluded, because it may be the requested one.
 */
const idsOfKnownAttempts = async ({ context }: Run, { kind, psaId }: Attempt): Promise<readonly string[]> => {
  const postings = await context.store.listPostings(kind, [psaId]);
  return postings.flatMap(({ targetId, wasAdopted }) => (wasAdopted ? [] : (targetId ?? [])));
};

/**
 * Returns the problems that show that a QuickBooks document is not the PSA's document. A document that a user links may
 * have another date; its customer, type and amount have been compared.
 */
export const differencesOf = async (
  doc: DocumentContext,
  attempt: Attempt,
  { type, id }: Posted,
): Promise<readonly Problem[]> => {
  if (isLink(attempt)) return [];
  return differencesOfLinked(doc, { targetType: type, targetId: id, psaTotal: null });
};

/** Returns the problems that show that the document of a posting is not the PSA's document; none if it was deleted. */
export async function differencesOfLinked(
  { run, flow, ...doc }: DocumentContext,
  { targetType, targetId, psaTotal }: Pick<Posting, 'targetType' | 'targetId' | 'psaTotal'>,
): Promise<readonly Problem[]> {
  if (flow.findDifferences === undefined || targetType === null || targetId === null) return [];
  const document = await run.readDocument({ type: targetType, id: targetId });
  if (document === null) return [];
  return flow.findDifferences(run.psa.describe.label, await doc.shared(), await doc.facts(), document, psaTotal);
}
