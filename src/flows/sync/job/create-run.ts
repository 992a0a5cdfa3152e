import type { Attempt } from '#core/attempt.ts';
import { createBatcher } from './batcher.ts';
import { createHold } from './hold.ts';
import type { Move } from '#core/ports/attempts.ts';
import { LeaseLost, type Lease } from '#core/ports/leases.ts';
import { createSemaphore } from '#core/semaphore.ts';
import { appendNotes } from '#core/transcript.ts';
import type { TenantContext } from '../../context.ts';
import type { Run, Step } from '../run.ts';
import { adoptForgotten } from './adopt-forgotten.ts';
import { chunkSize } from './run-chunk.ts';

/** Calls that change the PSA side by side: as many as its limit of threads allows (autotask reference 3). */
const psaWritesAtOnce = 3;

/**
 * How many documents whose PSA was updated are saved in one transaction, and how long the first of them waits, in
 * milliseconds, while updates of others run. After a crash those are made again: it is the same value.
 */
const savedTogether = { most: 25, longestMs: 2_000 } as const;

/** Makes the run with which everything that waits for one tenant is done. */
export function createRun(
  given: Omit<
    Run,
    'advance' | 'advanceAll' | 'advanceGathered' | 'afterForgotten' | 'find' | 'findByOrigin' | 'limitPsaWrites'
  >,
): Run {
  const { context, lease, accounting } = given;
  const saves = savesUnder(context, lease);
  const limitPsaWrites = createSemaphore(psaWritesAtOnce);
  /** Calls that change the PSA and run, or wait for the limit. */
  let open = 0;
  const hold = createHold({ isBusy: () => open > 0, ...savedTogether });
  const lookFor = <T>(wanted: readonly { readonly of: Attempt }[], look: () => Promise<T>): Promise<T> =>
    context.withLogContext({ kind: wanted[0]?.of.kind ?? 'invoice', psaIds: wanted.map(({ of }) => of.psaId) }, look);
  let look: Promise<void> | undefined;
  const run: Run = {
    ...given,
    ...saves,
    async afterForgotten() {
      look ??= adoptForgotten(run);
      try {
        await look;
      } catch (error) {
        // The next one that asks looks anew.
        look = undefined;
        throw error;
      }
    },
    async advanceGathered(step) {
      await hold.wait();
      return saves.advance(step);
    },
    find: createBatcher(async (wanted) => (await lookFor(wanted, () => accounting.findAll(wanted))).map(fulfilled)),
    // A whole chunk looks at once.
    findByOrigin: createBatcher(
      async (wanted) => (await lookFor(wanted, () => accounting.findByOrigin(wanted))).map(fulfilled),
      chunkSize,
    ),
    async limitPsaWrites(call) {
      open += 1;
      try {
        return await limitPsaWrites(call);
      } finally {
        open -= 1;
        if (open === 0) hold.release();
      }
    },
  };
  return run;
}

/** Functions that move attempts under a lease. */
export const savesUnder = (context: TenantContext, lease: Lease): Pick<Run, 'advance' | 'advanceAll'> => ({
  advanceAll: (steps) => saveAll(context, lease, steps),
  advance: createBatcher((steps) => saveInOneTransaction(context, lease, steps)),
});

/** Each of the steps is a failpoint, and all of them are one commit. */
async function saveAll(context: TenantContext, lease: Lease, steps: readonly Step[]): Promise<readonly Attempt[]> {
  const moves = steps.map((step) => toMove(context, step));
  for (const { to } of moves) await context.failpoint(`commit:${to.state}`, 'before');
  const saved = await context.store.advanceAll(lease, moves);
  for (const { to } of moves) await context.failpoint(`commit:${to.state}`, 'after');
  return saved;
}

const toMove = ({ clock }: TenantContext, { from, to, effects, notes = [] }: Step): Move => ({
  from,
  to: { ...to, transcript: appendNotes(from.transcript, clock.now(), notes) },
  effects,
});

async function saveInOneTransaction(
  context: TenantContext,
  lease: Lease,
  steps: readonly Step[],
): Promise<readonly PromiseSettledResult<Attempt>[]> {
  try {
    return (await saveAll(context, lease, steps)).map(fulfilled);
  } catch (error) {
    if (error instanceof LeaseLost || steps.length === 1) throw error;
    // One document that cannot be saved is no reason to lose the others.
    context.logger.warn({ error, documents: steps.length }, 'documents are saved one by one');
    const outcomes: PromiseSettledResult<Attempt>[] = [];
    for (const step of steps)
      outcomes.push(...(await Promise.allSettled([saveAll(context, lease, [step])])).map(first));
    return outcomes;
  }
}

const fulfilled = <T>(value: T): PromiseSettledResult<T> => ({ status: 'fulfilled', value });

function first<T>(outcome: PromiseSettledResult<readonly T[]>): PromiseSettledResult<T> {
  if (outcome.status === 'rejected') return outcome;
  const [value] = outcome.value;
  return value === undefined
    ? { status: 'rejected', reason: new Error('Impossible: nothing moved') }
    : fulfilled(value);
}
