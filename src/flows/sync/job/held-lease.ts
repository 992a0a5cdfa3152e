import { type Lease, LeaseLost } from '#core/records/leases.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import type { TenantContext } from '../../context.ts';

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
