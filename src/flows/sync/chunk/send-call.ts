import { type Attempt, type BatchPlace, type In, nextCommand } from '#core/attempt.ts';
import { LeaseLost } from '#core/records/leases.ts';
import { isReadBlock, ServiceError } from '#core/service-error.ts';
import { ProcessStopping } from '#core/stopping.ts';
import { assert } from '#core/values/assert.ts';
import { batchIdOf, requestIdOf } from '../document/request-id.ts';
import { saveRows } from '../document/save.ts';
import { withRetry } from '../retry.ts';
import type { Sent } from '../document/sent.ts';
import type { Ready, Run, Step } from '../run.ts';

/**
 * Calls that write to QuickBooks at once. Those with documents are fewer than the connector's seven permits, so that reads
 * and new records do not wait for them.
 */
export const callsAtOnce = { records: 2, documents: 6 } as const;
const allAtOnce = callsAtOnce.records + callsAtOnce.documents;
/** How often each of these is used at least. */
const timesUsed = 3;

/**
 * Composes calls from commands that are ready. Commands that were already sent together stay together under their batch
 * id, so that QuickBooks recognizes the call. A command that changes a record is sent alone, because the record was
 * read right before.
 *
 * The others follow one rule: calls of 2, 4, 8, ... commands, so that the first documents are posted early, up to the
 * largest call, which is QuickBooks' limit or, in a small job, what lets each parallel call be used three times: smaller
 * calls are answered sooner, so that the write-backs to the PSA, which take longest, never wait for documents.
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
  return [...again.values(), ...doubling(first, rules.sent, largest), ...alone.map((one) => [one])].toSorted((a, b) =>
    rules.isOrdered ? lowestOf(a) - lowestOf(b) : 0,
  );
}

/** Splits into calls of 2, 4, 8, ... up to `largest`, as if `sent` calls had been sent before. */
function doubling<T>(all: readonly T[], sent: number, largest: number): readonly (readonly T[])[] {
  const calls: (readonly T[])[] = [];
  for (let from = 0; from < all.length;) {
    const size = Math.max(1, Math.min(largest, 2 ** (sent + calls.length + 1)));
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
export async function sendCall(run: Run, ready: readonly Ready[]): Promise<readonly Sent[]> {
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
