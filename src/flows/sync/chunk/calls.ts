import { type Attempt, type BatchPlace, type In, nextCommand } from '#core/attempt.ts';
import { inParallel, type Semaphore } from '#core/in-parallel.ts';
import { lacksNumber, numberMissing } from '#core/planning/document-fields.ts';
import { LeaseLost } from '#core/records/leases.ts';
import { isReadBlock, ServiceError } from '#core/service-error.ts';
import { ProcessStopping } from '#core/stopping.ts';
import { assert } from '#core/values/assert.ts';
import { afterSending, type Outcome, type Sent } from '../document/posting.ts';
import { batchIdOf, requestIdOf } from '../document/request-id.ts';
import { saveRows } from '../document/save.ts';
import { withRetry } from '../retry.ts';
import { type Ready, type Run, RunStopped, type Settled, type Step } from '../run.ts';
import { admit } from './gate.ts';
import { type Chunk, halt, type Row, type Sending } from './rows.ts';
import { finish, maySend, prepare, saveSteps, takeStep } from './steps.ts';

/**
 * Calls that write to QuickBooks at once. Those with documents are fewer than the connector's seven permits, so that reads
 * and new records do not wait for them.
 */
export const callsAtOnce = { records: 2, documents: 6 } as const;
const allAtOnce = callsAtOnce.records + callsAtOnce.documents;
/** How often each of these is used at least. */
const timesUsed = 2;

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
    return await afterSending(row.doc, ready, outcome);
  } catch (error) {
    // Only a read shows whether an earlier try of the command was carried out.
    if (!isReadBlock(error) || outcome.came !== 'failure') throw error;
    const { attempt: tried } = outcome;
    return { from: tried, to: { ...tried, state: 'unsure', sentAt: run.context.clock.now() } };
  }
}

/**
 * Composes calls from commands that are ready. Commands that were already sent together stay together under their batch
 * id, so that QuickBooks recognizes the call. A command that changes a record is sent alone, because the record was
 * read right before.
 *
 * The others begin with small calls, so that the first documents are posted early. Of calls that run side by side, each
 * has one command more than the one before: their documents come at an even pace, and the write-backs to the PSA, which
 * take longest, never wait. One after another, each is twice as large as the one before. The largest call is QuickBooks'
 * limit or, in a small job, what lets each parallel call be used twice.
 *
 * @param rules.total documents of the whole job.
 * @param rules.isOrdered one call after another in the order of the PSA ids.
 * @param rules.max commands that QuickBooks accepts in one call.
 * @param rules.sent calls already sent.
 * @returns calls in the order to send them.
 */
export function composeCalls<T extends { readonly ready: Ready }>(
  waiting: readonly T[],
  rules: { readonly total: number; readonly isOrdered: boolean; readonly max: number; readonly sent: number },
): readonly (readonly T[])[] {
  const inOrder = waiting.toSorted((a, b) => a.ready.from.psaId - b.ready.from.psaId);
  const alone = inOrder.filter(({ ready }) => ['void', 'update'].includes(nextCommand(ready.to).do));
  const others = inOrder.filter((one) => !alone.includes(one));
  const again = Map.groupBy(
    others.filter(({ ready }) => placeOf(ready) !== null),
    ({ ready }) => placeOf(ready)?.id,
  );
  const first = others.filter(({ ready }) => placeOf(ready) === null);
  const largest = rules.isOrdered ? rules.max : Math.min(rules.max, Math.ceil(rules.total / (timesUsed * allAtOnce)));
  const sizeOf = (call: number) => Math.min(largest, rules.isOrdered ? 2 ** (rules.sent + call) : rules.sent + call);
  return [...again.values(), ...growing(first, sizeOf), ...alone.map((one) => [one])].toSorted((a, b) =>
    rules.isOrdered ? lowestOf(a) - lowestOf(b) : 0,
  );
}

/** Splits into calls of the sizes for the 1st, 2nd, 3rd, ... call. */
function growing<T>(all: readonly T[], sizeOf: (call: number) => number): readonly (readonly T[])[] {
  const calls: (readonly T[])[] = [];
  for (let from = 0; from < all.length;) {
    const size = Math.max(1, sizeOf(calls.length + 1));
    calls.push(all.slice(from, from + size));
    from += size;
  }
  return calls;
}

const lowestOf = (call: readonly { readonly ready: Ready }[]): number =>
  Math.min(...call.map(({ ready }) => ready.from.psaId));

const placeOf = ({ to }: Ready) => to.batch ?? null;

/**
 * Sends commands of several documents in one call. A single command gets a separate call.
 *
 * Invariant: before the first byte is sent, one transaction records for every command that it was sent, in which call
 * and under which id. Commands that a dead worker sent are searched for, never repeated.
 *
 * @returns the result of each command, in the given order.
 * @throws LeaseLost when another worker has taken over; nothing was sent.
 */
async function sendCall(run: Run, ready: readonly Ready[]): Promise<readonly Sent[]> {
  const [first, ...others] = ready;
  if (first === undefined) return [];
  if (others.length === 0 && (first.to.batch ?? null) === null) return [await sendAlone(run, first)];
  const places = placesOf(run, ready);
  let sent: readonly In<'posting'>[];
  try {
    sent = await saveSent(
      run,
      ready.map((one, index) => ({ ...one, to: { ...one.to, batch: places[index] ?? null } })),
    );
  } catch (error) {
    if (error instanceof LeaseLost || others.length === 0) throw error;
    // One document that cannot be saved must not hold back the others.
    run.context.logger.warn({ error, documents: ready.length }, 'a batch could not be saved: its documents go alone');
    return eachAlone(run, ready);
  }
  return sendBatch(run, ready, sent, places[0]?.id ?? '');
}

async function sendBatch(
  run: Run,
  ready: readonly Ready[],
  sent: readonly In<'posting'>[],
  id: string,
): Promise<readonly Sent[]> {
  const items = sent.map((one) => ({ id: one.batch?.item ?? '', command: nextCommand(one), answers: one.posted }));
  try {
    const outcomes = await withRetry(run, 'post:batch', () => run.accounting.postBatch(items, id));
    return sent.map((attempt, index): Sent => {
      const came = outcomes[index];
      assert(came !== undefined, 'a batch has an outcome for each of its commands');
      return came instanceof ServiceError
        ? { came: 'failure', attempt, error: came }
        : {
            came: 'answer',
            attempt,
            answer: came,
            call: `batch ${id.slice(0, 8)}…, item ${attempt.batch?.item ?? ''}`,
          };
    });
  } catch (error) {
    if (error instanceof ProcessStopping) await saveUnsent(run, ready, sent);
    if (!(error instanceof ServiceError)) throw error;
    // A single command may have caused the rejection of the call, so each is sent alone. While Intuit blocks batches,
    // single commands are posted.
    const isRefused = error.about.outcome === 'not_applied' && error.about.next === 'refuse' && sent.length > 1;
    if (isRefused || isReadBlock(error))
      return eachAlone(
        run,
        sent.map((attempt) => ({ from: attempt, to: { ...attempt, batch: null } })),
      );
    return sent.map((attempt) => ({ came: 'failure', attempt, error }));
  }
}

async function eachAlone(run: Run, ready: readonly Ready[]): Promise<readonly Sent[]> {
  const outcomes: Sent[] = [];
  for (const one of ready)
    try {
      outcomes.push(
        await run.context.withLogContext({ kind: one.from.kind, psaIds: [one.from.psaId] }, () => sendAlone(run, one)),
      );
    } catch (error) {
      if (error instanceof LeaseLost || error instanceof ProcessStopping) throw error;
      outcomes.push({ came: 'error', error });
    }
  return outcomes;
}

async function sendAlone(run: Run, ready: Ready): Promise<Sent> {
  const command = nextCommand(ready.to);
  const [sent] = await saveSent(run, [ready]);
  assert(sent !== undefined, 'a saved command can be sent');
  const requestId = requestIdOf(run.context.tenantId, sent);
  try {
    const answer = await withRetry(run, `post:${command.do}`, () =>
      run.accounting.post(command, sent.posted, requestId),
    );
    return { came: 'answer', attempt: sent, answer, call: `request ${requestId.slice(0, 8)}…` };
  } catch (error) {
    if (error instanceof ProcessStopping) await saveUnsent(run, [ready], [sent]);
    if (!(error instanceof ServiceError)) throw error;
    return { came: 'failure', attempt: sent, error };
  }
}

async function saveSent(run: Run, ready: readonly Ready[]): Promise<readonly In<'posting'>[]> {
  return (
    await saveRows(
      run,
      ready.map((one) => sendStep(run, one)),
    )
  ).map(asSent);
}

/** Records that commands were not sent because the process stops, so that another worker sends them at once. */
async function saveUnsent(run: Run, ready: readonly Ready[], sent: readonly In<'posting'>[]): Promise<void> {
  const batchOf = (index: number) => ready[index]?.to.batch ?? null;
  await saveRows(
    run,
    sent.map((from, index) => ({ from, to: { ...from, sentAt: null, batch: batchOf(index) } })),
  );
}

/** Returns the step that records that a command is being sent. */
const sendStep = (run: Run, ready: Ready): Step => ({
  ...ready,
  to: { ...ready.to, sentAt: run.context.clock.now() },
});

function asSent(attempt: Attempt): In<'posting'> {
  assert(attempt.state === 'posting', 'a sent attempt is posting');
  return attempt;
}

/**
 * Returns the positions of the commands in their batch: the old ones if it was already sent, else those of a new batch.
 */
function placesOf(run: Run, ready: readonly Ready[]): readonly BatchPlace[] {
  const id = batchIdOf(ready.map(({ to }) => requestIdOf(run.context.tenantId, to)));
  return ready.map(({ to }, index) => to.batch ?? { id, item: String(index + 1) });
}
