import type { Attempt, AttemptBase, Posted } from '#core/attempt.ts';
import type { BooksReferenceData, PsaReferenceData } from '#core/documents/reference-data.ts';
import type { Mapping } from '#core/mapping/mapping.ts';
import type { Accounting, Wanted } from '#core/ports/accounting.ts';
import type { Psa } from '#core/ports/psa.ts';
import type { Move } from '#core/ports/attempts.ts';
import { LeaseLost, type Lease } from '#core/ports/leases.ts';
import type { TenantSession } from '#core/ports/tenant-sessions.ts';
import { createSemaphore } from '#core/semaphore.ts';
import type { ItemSettings } from '#core/settings/item-settings.ts';
import type { Settings } from '#core/settings/definitions.ts';
import type { Tenant } from '#core/tenant.ts';
import type { Note, TranscriptLine } from '#core/transcript.ts';
import type { TenantContext } from '../context.ts';
import { createBatcher } from './coalesce.ts';

/** What a worker is given for one tenant: both services, the lease, and when to stop. */
interface Hold {
  readonly context: TenantContext;
  readonly lease: Lease;
  /** What was known when the turn began. */
  readonly turn: TenantSession;
  readonly tenant: Tenant;
  readonly psa: Psa;
  readonly accounting: Accounting;
  /** Aborted when the lease is lost or the process is asked to stop: nothing new begins. */
  readonly signal: AbortSignal;
  /**
   * Asked before anything is sent.
   *
   * @throws LeaseLost when the lease is over by our own clock, and somebody else has taken it.
   */
  readonly proveHeld: () => Promise<void>;
}

/** What a search for documents needs: no lease, since it changes nothing of them. */
export type Searcher = Pick<Run, 'context' | 'tenant' | 'psa' | 'accounting'> & {
  /** Null for a person's search outside a turn. */
  readonly turn: TenantSession | null;
};

/** What one worker holds while it works for one tenant, and what its documents share. */
export interface Run extends Hold {
  /** Moves attempts to their next states: all of them in one transaction, or none. */
  readonly advanceAll: (moves: readonly Move[]) => Promise<readonly Attempt[]>;
  /** Moves an attempt to its next state; what comes at one moment is one transaction. */
  readonly advance: (move: Move) => Promise<Attempt>;
  /** Looks in the books for what a command would have made; what comes at one moment is as few queries as possible. */
  readonly find: (wanted: Wanted & { readonly of: Attempt }) => Promise<Posted | null>;
  /** Makes a call that changes the PSA, in its turn. */
  readonly inTurn: <T>(call: () => Promise<T>) => Promise<T>;
}

/** Calls that change the PSA side by side: as many as its limit of threads allows (autotask reference 3). */
const psaWritesAtOnce = 3;

/** Everything that waits for one tenant is done with one of these. */
export function newRun(hold: Hold): Run {
  const { context, lease, accounting } = hold;
  return {
    ...hold,
    ...saves(context, lease),
    find: createBatcher(async (wanted) => {
      const kind = wanted[0]?.of.kind ?? 'invoice';
      const psaIds = wanted.map(({ of }) => of.psaId);
      return (await context.withLogContext({ kind, psaIds }, () => accounting.findAll(wanted))).map(fulfilled);
    }),
    inTurn: createSemaphore(psaWritesAtOnce),
  };
}

/** How attempts are moved under a lease. */
export const saves = (context: TenantContext, lease: Lease): Pick<Run, 'advance' | 'advanceAll'> => ({
  advanceAll: (moves) => saveAll(context, lease, moves),
  advance: createBatcher((moves) => saveGathered(context, lease, moves)),
});

/** Each of the moves is a named effect, and all of them are one commit. */
async function saveAll(context: TenantContext, lease: Lease, moves: readonly Move[]): Promise<readonly Attempt[]> {
  for (const { to } of moves) context.failpoint(`commit:${to.state}`, 'before');
  const saved = await context.store.advanceAll(lease, moves);
  for (const { to } of moves) context.failpoint(`commit:${to.state}`, 'after');
  return saved;
}

async function saveGathered(context: TenantContext, lease: Lease, moves: readonly Move[]) {
  try {
    return (await saveAll(context, lease, moves)).map(fulfilled);
  } catch (error) {
    if (error instanceof LeaseLost || moves.length === 1) throw error;
    // What cannot be kept of one document is no reason to lose the others.
    context.logger.warn({ error, documents: moves.length }, 'documents are saved one by one');
    const outcomes: PromiseSettledResult<Attempt>[] = [];
    for (const move of moves)
      outcomes.push(...(await Promise.allSettled([saveAll(context, lease, [move])])).map(first));
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

/** The facts that all documents of a job share, read once. */
export interface Shared {
  readonly settings: Settings;
  readonly itemSettings: ItemSettings;
  readonly mappings: readonly Mapping[];
  readonly psa: PsaReferenceData;
  /** Replaced when a command of this job has created a record, so that the next document finds it. */
  books: BooksReferenceData;
}

/** Adds notes to a transcript with the time at which they were taken. */
export function appendNotes(
  run: Pick<Run, 'context'>,
  attempt: AttemptBase,
  ...notes: readonly Note[]
): TranscriptLine[] {
  const at = run.context.clock.now();
  return [...attempt.transcript, ...notes.map((note) => ({ at, ...note }))];
}
