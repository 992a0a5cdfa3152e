import { inParallel, type Semaphore } from '#core/in-parallel.ts';
import { lacksNumber } from '#core/planning/document-fields.ts';
import { isReadBlock } from '#core/service-error.ts';
import { sent } from '../document/posting.ts';
import { numberMissing } from '../number-missing.ts';
import type { Outcome } from '../document/sent.ts';
import { type Ready, RunStopped, type Settled } from '../run.ts';
import { admit } from './gate.ts';
import { type Chunk, halt, type Row, type Sending } from './rows.ts';
import { composeCalls, sendCall } from './send-call.ts';
import { finish, maySend, prepare, saveSteps, takeStep } from './steps.ts';

/**
 * Sends the commands of rows, from the next one to the last. Cuts the rows into calls, and each call runs to its end by
 * itself: answers are saved, further commands of its rows follow, and its write-backs run beside the next calls. An
 * ordered job sends one call after another, and none after an unknown outcome.
 */
export async function post(chunk: Chunk, rows: readonly Row[]): Promise<void> {
  await prepare(chunk, rows);
  if (rows.some(({ attempt }) => attempt.state === 'unsure')) chunk.isInDoubt = true;
  const { run, rules } = chunk;
  const writtenBack = finish(
    chunk,
    rows.filter(({ attempt }) => !maySend(attempt)),
  );
  chunk.beside.push(writtenBack);
  // What the PSA refused in an earlier session shows first whether it still does, before anything else is sent.
  if (rules.jobId === null) await writtenBack;
  const { isOrdered, total, progress } = rules;
  const calls = composeCalls(readyAmong(rows), {
    total,
    isOrdered,
    max: run.accounting.maxPerBatch,
    sent: progress.callsSent,
  });
  progress.callsSent += calls.length;
  const toItsEnd = async (call: readonly Sending[]): Promise<void> => {
    await sendAndSave(chunk, call, rules.permits.documents);
    await post(
      chunk,
      call.map(({ row }) => row),
    );
  };
  if (isOrdered) for (const call of calls) await toItsEnd(call);
  else await inParallel(calls.map(toItsEnd));
}

/** Returns the rows with a command that is ready. */
export const readyAmong = (
  rows: readonly Row[],
  isWanted: (ready: Ready) => boolean = () => true,
): readonly Sending[] =>
  rows.flatMap((row) => (row.ready === null || !isWanted(row.ready) ? [] : [{ row, ready: row.ready }]));

/** Sends one call, and saves the outcomes of its commands. */
export async function sendAndSave(chunk: Chunk, call: readonly Sending[], permits: Semaphore): Promise<void> {
  for (const { row } of call) row.ready = null;
  const outcomes = await permits(() => sendAdmitted(chunk, call));
  await saveSteps(
    chunk,
    await Promise.all(
      call.map((one) =>
        takeStep(chunk, one.row, () => settled(chunk, one, outcomes.get(one.row) ?? { came: 'deferred' })),
      ),
    ),
  );
}

/** Sends the commands of a call that the gate admits. @returns the outcomes; a command without one was not sent. */
async function sendAdmitted(chunk: Chunk, call: readonly Sending[]): Promise<ReadonlyMap<Row, Outcome>> {
  const { run, rules } = chunk;
  const outcomes = new Map<Row, Outcome>();
  try {
    const { leaving, stale } = await admit(chunk, call);
    for (const [{ row }, instead] of stale) outcomes.set(row, { came: 'stale', instead });
    const psaIds = leaving.map(({ row }) => row.attempt.psaId);
    const came = await run.context.withLogContext({ kind: rules.kind, psaIds }, () =>
      sendCall(
        run,
        leaving.map(({ ready }) => ready),
      ),
    );
    for (const [index, outcome] of came.entries()) {
      const row = leaving[index]?.row;
      if (row !== undefined) outcomes.set(row, outcome);
      if (outcome.came === 'answer' && lacksNumber(outcome.answer))
        halt(rules.progress, new RunStopped(numberMissing(run, outcome.attempt, outcome.answer.id)));
    }
  } catch (error) {
    for (const { row } of call) if (!outcomes.has(row)) outcomes.set(row, { came: 'error', error });
  }
  return outcomes;
}

async function settled({ run }: Chunk, { row, ready }: Sending, outcome: Outcome): Promise<Settled> {
  try {
    return await sent(row.doc, ready, outcome);
  } catch (error) {
    // Only a read shows whether an earlier try of the command was carried out.
    if (!isReadBlock(error) || outcome.came !== 'failure') throw error;
    const { attempt: tried } = outcome;
    return { from: tried, to: { ...tried, state: 'unsure', sentAt: run.context.clock.now() } };
  }
}
