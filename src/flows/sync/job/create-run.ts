import type { Attempt, Posted } from '#core/attempt.ts';
import type { AccountingDocument } from '#core/documents/accounting-document.ts';
import type { UnreadableRecord } from '#core/documents/accounting-change.ts';
import type { SalesReference } from '#core/documents/sales-state.ts';
import { createSemaphore } from '#core/in-parallel.ts';
import { type Lease, LeaseLost } from '#core/records/leases.ts';
import { isUnreadableRecord, ServiceError } from '#core/service-error.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import { noteUnreadable } from '../../connections/unreadable-records.ts';
import type { TenantContext } from '../../context.ts';
import { chunkSize } from '../chunk/rows.ts';
import type { Run } from '../run.ts';
import { adoptLostDocuments } from './adopt-lost-documents.ts';
import { createBatcher } from './batcher.ts';

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

/** Maximum parallel calls that change the PSA, from its thread limit (autotask reference 3). */
const psaWritesAtOnce = 3;

/** Creates the run that does all waiting work of one tenant. */
export function createRun(
  given: Omit<Run, 'afterAdoption' | 'find' | 'findByOrigin' | 'readDocument' | 'limitPsaWrites'>,
): Run {
  const { context, accounting } = given;
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
    find: createBatcher((wanted) => search(wanted, (onUnreadable) => accounting.findAll(wanted, onUnreadable))),
    // A whole chunk searches at once.
    findByOrigin: createBatcher(
      (wanted) => search(wanted, (onUnreadable) => accounting.findByOrigin(wanted, onUnreadable)),
      chunkSize,
    ),
    readDocument: createBatcher((references) => readTogether(accounting, references), chunkSize),
    limitPsaWrites: createSemaphore(psaWritesAtOnce),
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

const foundOrError = (found: Posted | ServiceError | null): PromiseSettledResult<Posted | null> =>
  found instanceof ServiceError ? { status: 'rejected', reason: found } : fulfilled(found);

const fulfilled = <T>(value: T): PromiseSettledResult<T> => ({ status: 'fulfilled', value });
