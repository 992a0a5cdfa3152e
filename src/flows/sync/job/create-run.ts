import { type Attempt, hasEnded, type Posted } from '#core/attempt.ts';
import type { AccountingDocument } from '#core/documents/accounting-document.ts';
import type { UnreadableRecord } from '#core/documents/accounting-change.ts';
import type { SalesReference } from '#core/documents/sales-state.ts';
import { createSemaphore } from '#core/in-parallel.ts';
import type { Move } from '#core/records/attempts.ts';
import { type Lease, LeaseLost } from '#core/records/leases.ts';
import { isUnreadableRecord, ServiceError } from '#core/service-error.ts';
import { appendNotes } from '#core/transcript.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import { noteUnreadable } from '../../connections/unreadable-records.ts';
import type { TenantContext } from '../../context.ts';
import type { Run, Step } from '../run.ts';
import { adoptLostDocuments } from './adopt-lost-documents.ts';
import { createBatcher } from './batcher.ts';
import { chunkSize } from './run-chunk.ts';

/** Seconds until another worker can replace a dead one (promise: within 20 seconds), by the database's clock. */
export const leaseSeconds = 12;
/**
 * Seconds for which a process relies on its lease without renewing it. Fewer, because its own time may run a tenth
 * slower than the database's clock.
 */
const reliedOnSeconds = 10;
const renewEveryMs = 3_000;

/** The lease of a tenant, renewed as long as this process runs. */
export interface HeldLease {
  /** Aborted when another worker has taken over. */
  readonly lost: AbortSignal;
  /**
   * Invariant: a process that was suspended checks the lease before it sends anything more.
   *
   * @throws LeaseLost when the lease has expired by our own clock and another worker has taken it.
   */
  readonly proveHeld: () => Promise<void>;
  /**
   * Invariant: the first byte of a write is sent only while the lease lasts, so a process suspended for longer sends
   * nothing.
   */
  readonly isHeld: () => boolean;
  readonly stopRenewing: () => void;
}

/** @param openedAt time right before the lease was requested. */
export function keepLease(
  { store, clock, logger, tenantId }: Pick<TenantContext, 'store' | 'clock' | 'logger' | 'tenantId'>,
  lease: Lease,
  openedAt: Instant,
): HeldLease {
  let heldUntil = addSeconds(openedAt, reliedOnSeconds);
  const lost = new AbortController();
  const renew = async (): Promise<boolean> => {
    const at = clock.now();
    const isRenewed = await store.renewLease(lease, leaseSeconds);
    heldUntil = isRenewed ? addSeconds(at, reliedOnSeconds) : at;
    if (!isRenewed) lost.abort(new LeaseLost(tenantId));
    return isRenewed;
  };
  const isHeld = (): boolean => clock.now() < heldUntil;
  const renewal = setInterval(() => {
    renew().catch((error: unknown) => logger.warn({ error }, 'the lease could not be renewed'));
  }, renewEveryMs);
  return {
    lost: lost.signal,
    async proveHeld() {
      if (!isHeld() && !(await renew())) throw new LeaseLost(tenantId);
    },
    isHeld,
    stopRenewing: () => clearInterval(renewal),
  };
}

/** Delays work that is not urgent, so that it can be done together. */
interface Hold {
  /** Resolves immediately if nothing is in progress, otherwise with the next {@link release}. */
  wait(): Promise<void>;
  /** Releases all waiters. */
  release(): void;
}

/**
 * Creates a hold.
 *
 * @param options.isBusy returns true if something in progress will add more waiters.
 * @param options.maxCount number of waiters that releases all of them.
 * @param options.maxMs maximum wait in milliseconds.
 */
export function createHold(options: {
  readonly isBusy: () => boolean;
  readonly maxCount: number;
  readonly maxMs: number;
}): Hold {
  let waiting: (() => void)[] = [];
  let timer: NodeJS.Timeout | undefined;

  function release(): void {
    clearTimeout(timer);
    timer = undefined;
    const now = waiting;
    waiting = [];
    for (const go of now) go();
  }

  return {
    release,
    wait() {
      const waits = new Promise<void>((go) => waiting.push(go));
      if (!options.isBusy() || waiting.length >= options.maxCount) release();
      else timer ??= setTimeout(release, options.maxMs);
      return waits;
    },
  };
}

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
    | 'advance'
    | 'advanceAll'
    | 'advanceGathered'
    | 'afterAdoption'
    | 'find'
    | 'findByOrigin'
    | 'readDocument'
    | 'limitPsaWrites'
  >,
): Run {
  const { context, lease, accounting } = given;
  const saves = savesUnder(context, lease);
  const limitPsaWrites = createSemaphore(psaWritesAtOnce);
  /** Number of calls that change the PSA and are running or waiting for the limit. */
  let open = 0;
  const hold = createHold({ isBusy: () => open > 0, ...savedTogether });
  const search = (
    wanted: readonly { readonly of: Attempt }[],
    find: (onUnreadable: (record: UnreadableRecord) => void) => Promise<readonly (Posted | ServiceError | null)[]>,
  ): Promise<readonly PromiseSettledResult<Posted | null>[]> =>
    context.withLogContext(
      { kind: wanted[0]?.of.kind ?? 'invoice', psaIds: wanted.map(({ of }) => of.psaId) },
      async () => {
        const unreadable: UnreadableRecord[] = [];
        const found = await find((record) => unreadable.push(record));
        if (unreadable.length > 0) await noteUnreadable(context, unreadable);
        return found.map(foundOrError);
      },
    );
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
    find: createBatcher((wanted) => search(wanted, (onUnreadable) => accounting.findAll(wanted, onUnreadable))),
    // A whole chunk searches at once.
    findByOrigin: createBatcher(
      (wanted) => search(wanted, (onUnreadable) => accounting.findByOrigin(wanted, onUnreadable)),
      chunkSize,
    ),
    readDocument: createBatcher((references) => readTogether(accounting, references), chunkSize),
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

/**
 * Reads documents in one query per type. If QuickBooks cannot return one of them, each is read alone, so that only that
 * one fails.
 */
async function readTogether(
  accounting: Run['accounting'],
  references: readonly SalesReference[],
): Promise<readonly PromiseSettledResult<AccountingDocument | null>[]> {
  try {
    const found = await accounting.readDocuments(references);
    const byReference = new Map(found.map((document) => [`${document.type} ${document.id}`, document]));
    return references.map(({ type, id }) => fulfilled(byReference.get(`${type} ${id}`) ?? null));
  } catch (error) {
    if (!isUnreadableRecord(error) || references.length === 1) throw error;
    const outcomes: PromiseSettledResult<AccountingDocument | null>[] = [];
    for (const reference of references)
      outcomes.push(
        ...(await Promise.allSettled([accounting.readDocuments([reference]).then(([document]) => document ?? null)])),
      );
    return outcomes;
  }
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

const foundOrError = (found: Posted | ServiceError | null): PromiseSettledResult<Posted | null> =>
  found instanceof ServiceError ? { status: 'rejected', reason: found } : fulfilled(found);

const fulfilled = <T>(value: T): PromiseSettledResult<T> => ({ status: 'fulfilled', value });

function first<T>(outcome: PromiseSettledResult<readonly T[]>): PromiseSettledResult<T> {
  if (outcome.status === 'rejected') return outcome;
  const [value] = outcome.value;
  return value === undefined
    ? { status: 'rejected', reason: new Error('Impossible: nothing moved') }
    : fulfilled(value);
}
