import { hasEnded, type Attempt } from '#core/attempt.ts';
import { createBatcher } from './batcher.ts';
import { createHold } from './hold.ts';
import type { Move } from '#core/records/attempts.ts';
import { type Lease, LeaseLost } from '#core/records/leases.ts';
import { createSemaphore } from '#core/in-parallel.ts';
import { appendNotes } from '#core/transcript.ts';
import type { TenantContext } from '../../context.ts';
import type { Run, Step } from '../run.ts';
import { adoptLostDocuments } from './adopt-lost-documents.ts';
import { chunkSize } from './run-chunk.ts';

/** Maximum parallel calls that change the PSA, from its thread limit (autotask reference 3). */
const psaWritesAtOnce = 3;

/**
 * Maximum documents whose end is saved in one transaction after their PSA update, and how long the first one waits in
 * milliseconds while other updates run. After a crash their updates are repeated with the same value.
 */
const savedTogether = { maxCount: 25, maxMs: 2_000 } as const;

/** Creates the run that does all waiting work of one tenant. */
export function createRun(
  given: Omit<
    Run,
    'advance' | 'advanceAll' | 'advanceGathered' | 'afterAdoption' | 'find' | 'findByOrigin' | 'limitPsaWrites'
  >,
): Run {
  const { context, lease, accounting } = given;
  const saves = savesUnder(context, lease);
  const limitPsaWrites = createSemaphore(psaWritesAtOnce);
  /** Number of calls that change the PSA and are running or waiting for the limit. */
  let open = 0;
  const hold = createHold({ isBusy: () => open > 0, ...savedTogether });
  const lookFor = <T>(wanted: readonly { readonly of: Attempt }[], look: () => Promise<T>): Promise<T> =>
    context.withLogContext({ kind: wanted[0]?.of.kind ?? 'invoice', psaIds: wanted.map(({ of }) => of.psaId) }, look);
  let look: Promise<void> | undefined;
  const run: Run = {
    ...given,
    ...saves,
    async afterAdoption() {
      look ??= adoptLostDocuments(run);
      try {
        await look;
      } catch (error) {
        // The next caller searches again.
        look = undefined;
        throw error;
      }
    },
    async advanceGathered(step) {
      await hold.wait();
      return saves.advance(step);
    },
    find: createBatcher(async (wanted) => (await lookFor(wanted, () => accounting.findAll(wanted))).map(fulfilled)),
    // A whole chunk searches at once.
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

/** Returns the functions that save attempts under a lease. */
export const savesUnder = (context: TenantContext, lease: Lease): Pick<Run, 'advance' | 'advanceAll'> => ({
  advanceAll: (steps) => saveAll(context, lease, steps),
  advance: createBatcher((steps) => saveInOneTransaction(context, lease, steps)),
});

/** Saves the steps in one transaction. Each one is a failpoint. */
async function saveAll(context: TenantContext, lease: Lease, steps: readonly Step[]): Promise<readonly Attempt[]> {
  const moves = steps.map((step) => toMove(context, step));
  for (const { to } of moves) await context.failpoint(`commit:${to.state}`, 'before');
  const saved = await context.store.advanceAll(lease, moves);
  for (const { to } of moves) {
    await context.failpoint(`commit:${to.state}`, 'after');
    if (hasEnded(to)) context.onDocument?.(to.kind, to.state);
  }
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
    // One document that cannot be saved must not prevent saving the others.
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
