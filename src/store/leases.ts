import { type Lease, LeaseLost, type RecentCalls } from '#core/records/leases.ts';
import type { Instant } from '#core/values/dates.ts';
import { sql } from 'kysely';
import type { Tx } from './database.ts';
import type { Scope } from './scope.ts';

/** The time for leases: that of the database, so the clocks of processes may differ. */
export const leaseTime = sql<Instant>`clock_timestamp()`;

const after = (seconds: number) => sql<Instant>`clock_timestamp() + make_interval(secs => ${seconds})`;

/** Leases: exclusive access of one worker to a tenant, timed by the database's clock alone. */
export const leases = ({ tenantId, inTransaction }: Scope) => ({
  /** Takes the lease of the tenant for one worker; null while another holds it. Each lease has a higher fence. */
  acquireLease: (owner: string, seconds: number): Promise<Lease | null> =>
    inTransaction((tx) => acquireLease(tx, tenantId, owner, seconds)),

  /** Returns false when the lease was lost. */
  renewLease: (lease: Lease, seconds: number): Promise<boolean> =>
    inTransaction(async (tx) => {
      const { numUpdatedRows } = await held(tx, lease)
        .set({ ends_at: after(seconds) })
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    }),

  /** @param calls what the successor has to count; undefined if unknown. */
  releaseLease: (lease: Lease, calls: readonly RecentCalls[] | null = null): Promise<void> =>
    inTransaction(async (tx) => {
      await releaseLease(tx, lease, calls);
    }),

  /** Ends the lease of the tenant: its holder can write nothing more. */
  breakLease: (): Promise<void> =>
    inTransaction(async (tx) => {
      await tx
        .updateTable('leases')
        .set({ owner: null, fence: sql`fence + 1`, ends_at: leaseTime })
        .where('tenant_id', '=', tenantId)
        .execute();
    }),
});

/** Takes the tenant's lease within a transaction; returns null while another worker holds it. */
export async function acquireLease(tx: Tx, tenantId: string, owner: string, seconds: number): Promise<Lease | null> {
  const endsAt = after(seconds);
  const row = await tx
    .insertInto('leases')
    .values({ tenant_id: tenantId, owner, fence: 1, ends_at: endsAt })
    .onConflict((conflict) =>
      conflict
        .column('tenant_id')
        .doUpdateSet({ owner, fence: sql`leases.fence + 1`, ends_at: endsAt })
        .where((where) =>
          where.or([
            where('leases.owner', 'is', null),
            where('leases.owner', '=', owner),
            where('leases.ends_at', '<=', leaseTime),
          ]),
        ),
    )
    .returning((of) => {
      // Reads the row as it was before this statement.
      const previous = of.selectFrom('leases as previous').where('tenant_id', '=', tenantId);
      return [
        'fence',
        previous
          .select(sql<number>`greatest(0, extract(epoch from clock_timestamp() - ends_at))::float8`.as('seconds'))
          .as('secondsSincePrevious'),
        previous
          .select('calls')
          .where('owner', 'is', null)
          .whereRef('calls_fence', '=', 'previous.fence')
          .as('callsBefore'),
      ];
    })
    .executeTakeFirst();
  return row === undefined ? null : { tenantId, owner, ...row };
}

/** Releases the tenant; returns false if the lease was already lost. */
export async function releaseLease(tx: Tx, lease: Lease, calls: readonly RecentCalls[] | null): Promise<boolean> {
  const { numUpdatedRows } = await held(tx, lease)
    .set({
      owner: null,
      ends_at: leaseTime,
      calls: calls === null ? null : JSON.stringify(calls),
      calls_fence: lease.fence,
    })
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

const held = (tx: Tx, { tenantId, owner, fence }: Lease) =>
  tx.updateTable('leases').where('tenant_id', '=', tenantId).where('owner', '=', owner).where('fence', '=', fence);

/**
 * Checks that no other worker has taken over the tenant, and prevents a takeover until this transaction ends. An
 * expired lease that no other worker has taken is still valid: its holder's results are worth saving, and no other
 * worker can have changed anything.
 *
 * @throws LeaseLost
 */
export async function assertLease(tx: Tx, tenantId: string, lease: Lease): Promise<void> {
  const row = await tx
    .selectFrom('leases')
    .select('fence')
    .where('tenant_id', '=', tenantId)
    .where('owner', '=', lease.owner)
    .where('fence', '=', lease.fence)
    .forShare()
    .executeTakeFirst();
  if (row === undefined || lease.tenantId !== tenantId) throw new LeaseLost(tenantId);
}
