import type { In } from '#core/attempt.ts';
import { LeaseLost } from '#core/records/leases.ts';
import { ServiceError } from '#core/service-error.ts';
import { statusFieldOf } from '#core/sync-status.ts';
import { note, type Note } from '#core/transcript.ts';
import { assert } from '#core/values/assert.ts';
import { type KindFlow, referenceOfPosting, type WrittenReference } from '../kinds/kind.ts';
import { withPsaPermit } from '../retry.ts';
import type { Run } from '../run.ts';

/** A document's flow and the run that writes with it. */
interface Writer {
  readonly run: Run;
  readonly flow: KindFlow<unknown>;
}

/**
 * Writes a status text to the document's field in the PSA, as a failpoint. If this process stalled during the write,
 * the late text may have overwritten what another worker wrote; then the reference from the ledger is restored.
 *
 * @param failpoint `psa:running` before a run, `psa:mark` for its result.
 * @throws LeaseLost when another worker has taken over.
 * @throws ServiceError when the PSA rejects the write.
 */
export async function writeStatusField(doc: Writer, psaId: number, failpoint: string, text: string): Promise<void> {
  const { run, flow } = doc;
  let mayHaveLeft = false;
  const [written] = await Promise.allSettled([
    withPsaPermit(run, failpoint, () => {
      mayHaveLeft = true;
      assert(flow.statusField !== undefined, 'a kind that decides on a status text can write it');
      return flow.statusField.write(run.psa, psaId, text);
    }),
  ]);
  if (mayHaveLeft)
    await run.proveHeld().catch(async (error: unknown) => {
      if (error instanceof LeaseLost) await restoreReference(doc, psaId);
      throw error;
    });
  if (written.status === 'rejected') throw written.reason;
}

/** Writes the reference of a synced document again. A cycle decides about other documents again. */
async function restoreReference({ run, flow }: Writer, psaId: number): Promise<void> {
  const postings = await run.context.store.listPostings(flow.kind, [psaId]);
  const posting = postings.find(({ status }) => status === 'synced');
  if (posting === undefined) return;
  await flow.statusField?.write(run.psa, psaId, referenceOfPosting(flow.kind, posting), posting.createdAt);
}

/** Writes the reference of a posted document to the PSA, as a failpoint. */
export const writeReference = ({ run, flow }: Writer, psaId: number, reference: WrittenReference): Promise<void> =>
  withPsaPermit(run, 'psa:write', () => {
    assert(flow.statusField !== undefined, 'the PSA shows the reference of a linked document');
    return flow.statusField.write(run.psa, psaId, reference.number, reference.at);
  });

/**
 * Restores the text that the PSA's field had before the run. Runs before the attempt ends, so that the attempt is still
 * unfinished if the worker dies. If the PSA does not respond, the next run clears the text.
 *
 * @returns notes for the transcript.
 */
export async function clearRunningMark(doc: Writer, attempt: In<'posting'>): Promise<readonly Note[]> {
  if (attempt.running === undefined) return [];
  try {
    await writeStatusField(doc, attempt.psaId, 'psa:mark', attempt.running.before);
    return [];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return [psaFailureNote(attempt, error, ' not cleared')];
  }
}

/** Returns the transcript's note about a write that the PSA rejected. */
export const psaFailureNote = ({ kind }: Pick<In<'posting'>, 'kind'>, { about }: ServiceError, what = ''): Note =>
  note('warn', `${about.code} ${statusFieldOf(kind)}${what}: ${about.detail}`);
