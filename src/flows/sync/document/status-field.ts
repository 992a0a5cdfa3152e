import type { In } from '#core/attempt.ts';
import { LeaseLost } from '#core/ports/leases.ts';
import { ServiceError } from '#core/service-error.ts';
import { statusFieldOf } from '#core/sync-status.ts';
import { note, type Note } from '#core/transcript.ts';
import { assert } from '#core/values/assert.ts';
import type { KindFlow, WrittenReference } from '../kinds/kind.ts';
import { withPsaPermit } from '../retry.ts';
import type { Run } from '../run.ts';

/** A document's flow and what it is written with. */
interface Writer {
  readonly run: Run;
  readonly flow: KindFlow<unknown>;
}

/**
 * Writes a status word into the PSA's field of a document, as a failpoint. When this process stood still on the way, the
 * word has left late and stands over what another worker has written: the ledger's reference is restored.
 *
 * @param failpoint `psa:running` before a run, `psa:mark` for how it went.
 * @throws LeaseLost when another worker has taken over.
 * @throws ServiceError when the PSA did not take it.
 */
export async function writeStatusField(doc: Writer, psaId: number, failpoint: string, word: string): Promise<void> {
  const { run, flow } = doc;
  let mayHaveLeft = false;
  const [written] = await Promise.allSettled([
    withPsaPermit(run, failpoint, () => {
      mayHaveLeft = true;
      assert(flow.writeMark !== undefined, 'a kind that decides on a mark can write it');
      return flow.writeMark(run, psaId, word);
    }),
  ]);
  if (mayHaveLeft)
    await run.proveHeld().catch(async (error: unknown) => {
      if (error instanceof LeaseLost) await restoreReference(doc, psaId);
      throw error;
    });
  if (written.status === 'rejected') throw written.reason;
}

/** Writes the reference again of a document that the ledger has as synced; others a cycle decides anew. */
async function restoreReference({ run, flow }: Writer, psaId: number): Promise<void> {
  const postings = await run.context.store.listPostings(flow.kind, [psaId]);
  const posting = postings.find(({ status }) => status === 'synced');
  if (posting === undefined || flow.writeBack === undefined) return;
  const number = flow.referenceOf({ number: posting.number, id: posting.targetId ?? '' });
  await flow.writeBack(run, psaId, { number, at: posting.createdAt });
}

/** Tells the PSA where a document went, as a failpoint. */
export const writeReference = ({ run, flow }: Writer, psaId: number, reference: WrittenReference): Promise<void> =>
  withPsaPermit(run, 'psa:write', () => {
    assert(flow.writeBack !== undefined, 'only a kind whose documents carry a reference tells one');
    return flow.writeBack(run, psaId, reference);
  });

/**
 * Gives the PSA's field back what stood there before the run. Done before the attempt ends: a worker that dies in
 * between finds it unfinished. A word that stays because the PSA does not answer is cleared by the next run.
 *
 * @returns what the transcript says of it.
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

/** Note for the transcript about a write that the PSA did not take. */
export const psaFailureNote = ({ kind }: Pick<In<'posting'>, 'kind'>, { about }: ServiceError, what = ''): Note =>
  note('warn', `${about.code} ${statusFieldOf(kind)}${what}: ${about.detail}`);
