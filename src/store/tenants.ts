import { type CompanyHolder, moveOwner, type TenantDetail } from '#core/records/tenants.ts';
import { stallSeconds } from '#core/records/stalls.ts';
import { addSeconds } from '#core/values/dates.ts';
import { assert } from '#core/values/assert.ts';
import type { Instant } from '#core/values/dates.ts';
import type { Tenant, SubscriptionStatus, GuideState, Service } from '#core/tenant.ts';
import type { NewAuditEvent } from '#core/records/audit.ts';
import type { Tx } from './database.ts';
import { acquireLease, leaseTime } from './leases.ts';
import type { RootWork, TenantWork } from './scope.ts';
import { externalHashes } from './secrets.ts';
import { insertAudit } from './audit.ts';
import { sql } from 'kysely';
import { cleanOrNull, isId, movedTenants } from './tables.ts';

/** Columns that a tenant is read from. */
export const tenantColumns = ['id', 'name', 'status', 'time_zone as timeZone'] as const;

/** The record of the tenant. */
export const tenantOf = {
  readTenant: ({ tx, tenantId }: TenantWork): Promise<Tenant> =>
    tx.selectFrom('tenants').select(tenantColumns).where('id', '=', tenantId).executeTakeFirstOrThrow(),

  setStatus: async ({ tx, tenantId, clock }: TenantWork, status: SubscriptionStatus): Promise<void> => {
    const { numUpdatedRows } = await tx
      .updateTable('tenants')
      // An active tenant is due at once and then gets its regular place in the interval; any other status is never
      // due.
      .set({ status, next_sync_at: status === 'active' ? clock.now() : null, consecutive_failures: 0 })
      .where('id', '=', tenantId)
      .executeTakeFirst();
    assert(numUpdatedRows === 1n, 'a bound tenant exists');
  },

  /** Sets the time zone (IANA name) in which documents are dated from now on. */
  setTimeZone: async ({ tx, tenantId }: TenantWork, timeZone: string): Promise<void> => {
    await tx.updateTable('tenants').set({ time_zone: timeZone }).where('id', '=', tenantId).execute();
  },

  readGuide: async ({ tx, tenantId }: TenantWork): Promise<GuideState> => {
    const { guide } = await tx
      .selectFrom('tenants')
      .select('guide')
      .where('id', '=', tenantId)
      .executeTakeFirstOrThrow();
    return guide;
  },

  setGuide: async ({ tx, tenantId }: TenantWork, guide: GuideState): Promise<void> => {
    await tx.updateTable('tenants').set({ guide }).where('id', '=', tenantId).execute();
  },

  /**
   * Changes the status for a system administrator, with an audit event. If the tenant does not sync afterward, queued
   * jobs are canceled and running ones are asked to stop.
   */
  changeStatus: async (
    { tx, tenantId, clock }: TenantWork,
    { status, reason }: { readonly status: SubscriptionStatus; readonly reason: string | null },
    event: NewAuditEvent,
  ): Promise<void> => {
    const now = clock.now();
    await tx
      .updateTable('tenants')
      .set({
        status,
        status_reason: cleanOrNull(reason),
        next_sync_at: status === 'active' ? now : null,
        consecutive_failures: 0,
      })
      .where('id', '=', tenantId)
      .execute();
    if (status === 'suspended' || status === 'cancelled') {
      const open = tx.updateTable('jobs').where('tenant_id', '=', tenantId);
      await open.set({ cancel_requested_at: now }).where('status', '=', 'running').execute();
      await open
        .set({
          status: 'cancelled',
          cancel_requested_at: now,
          finished_at: now,
          message: 'The subscription was suspended.',
        })
        .where('status', '=', 'queued')
        .execute();
    }
    await insertAudit(tx, tenantId, event);
  },

  /**
   * Marks the tenant as moved to another deployment: suspends it, ends its sessions, and holds its lease, so that no
   * worker takes it again. Safe to call again.
   *
   * @returns false while a worker holds the tenant; nothing was changed then.
   */
  beginMove: async ({ tx, tenantId, clock }: TenantWork, event: NewAuditEvent): Promise<boolean> => {
    const now = clock.now();
    const lease = await acquireLease(tx, tenantId, moveOwner, endlessSeconds);
    if (lease === null) return false;
    const { numUpdatedRows } = await tx
      .updateTable('tenants')
      .set({
        moved_at: now,
        before_move: sql`jsonb_build_object('status', status, 'reason', status_reason)`,
        status: sql`case status when 'cancelled' then status else 'suspended' end`,
        status_reason: 'Moved to another deployment.',
        next_sync_at: null,
      })
      .where('id', '=', tenantId)
      .where('moved_at', 'is', null)
      .executeTakeFirst();
    await tx
      .updateTable('sessions')
      .set({ revoked_at: now })
      .where('tenant_id', '=', tenantId)
      .where('revoked_at', 'is', null)
      .execute();
    if (numUpdatedRows === 1n) await insertAudit(tx, tenantId, event);
    return true;
  },

  /** Reverts {@link beginMove}. Returns false if the tenant is not marked. */
  undoMove: async ({ tx, tenantId, clock }: TenantWork, event: NewAuditEvent): Promise<boolean> => {
    const now = clock.now();
    const { numUpdatedRows } = await tx
      .updateTable('tenants')
      .set({
        moved_at: null,
        before_move: null,
        status: sql`before_move ->> 'status'`,
        status_reason: sql`before_move ->> 'reason'`,
        next_sync_at: sql`case before_move ->> 'status' when 'active' then ${now}::timestamptz end`,
      })
      .where('id', '=', tenantId)
      .where('moved_at', 'is not', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    await tx
      .updateTable('leases')
      .set({ owner: null, ends_at: leaseTime })
      .where('tenant_id', '=', tenantId)
      .where('owner', '=', moveOwner)
      .execute();
    await insertAudit(tx, tenantId, event);
    return true;
  },
};

/** Length of a lease that never ends. */
const endlessSeconds = 1_000 * 366 * 86_400;

/** All tenants. */
export const tenants = {
  addTenant: ({ tx, clock }: RootWork, { name, status, timeZone }: Omit<Tenant, 'id'>): Promise<Tenant> =>
    tx
      .insertInto('tenants')
      .values({ name, status, time_zone: timeZone, next_sync_at: status === 'active' ? clock.now() : null })
      .returning(tenantColumns)
      .executeTakeFirstOrThrow(),

  listTenants: ({ tx }: RootWork): Promise<readonly Tenant[]> =>
    tx.selectFrom('tenants').select(tenantColumns).orderBy('name').orderBy('id').execute(),

  /** Lists the ids of tenants that were moved to another deployment and are not deleted here yet. */
  listMovedTenants: async ({ tx }: RootWork): Promise<readonly string[]> =>
    (await tx.selectFrom('tenants').select('id').where('moved_at', 'is not', null).execute()).map(({ id }) => id),

  /** Counts the tenants whose syncs are stalled by a defect. */
  countStalledTenants: async ({ tx }: RootWork, now: Instant): Promise<number> => {
    const { count } = await tx
      .selectFrom('stalls')
      .select((of) => of.fn.countAll<number>().as('count'))
      .where('failures', '>', 1)
      .where('since', '<=', addSeconds(now, -stallSeconds))
      .where('tenant_id', 'not in', sql<string>`${movedTenants}`)
      .executeTakeFirstOrThrow();
    return count;
  },

  findTenant: async ({ tx }: RootWork, id: string): Promise<Tenant | null> => {
    if (!isId(id)) return null;
    return (await tx.selectFrom('tenants').select(tenantColumns).where('id', '=', id).executeTakeFirst()) ?? null;
  },

  /** Finds tenants with an active connection to this company. */
  findConnected: async ({ tx, vault }: RootWork, service: Service, externalId: string): Promise<readonly string[]> => {
    const rows = await tx
      .selectFrom('connections')
      .select('tenant_id')
      .where('service', '=', service)
      .where('status', '=', 'active')
      .where('external_hash', 'in', externalHashes(vault, service, externalId))
      .orderBy('tenant_id')
      .execute();
    return rows.map((row) => row.tenant_id);
  },

  /** Finds tenants whose current or last connection is to this company. */
  findHolders: async (
    { tx, vault }: RootWork,
    service: Service,
    externalId: string,
  ): Promise<readonly CompanyHolder[]> => {
    const rows = await tx
      .selectFrom('connections')
      .innerJoin('tenants', 'tenants.id', 'connections.tenant_id')
      .select(['connections.tenant_id as tenantId', 'tenants.status as tenantStatus', 'connections.status'])
      .where('service', '=', service)
      .where('external_hash', 'in', externalHashes(vault, service, externalId))
      .orderBy('tenantId')
      .execute();
    return rows.map(({ status, ...holder }) => ({ ...holder, isActive: status === 'active' }));
  },

  readTenantDetail: async ({ tx }: RootWork, id: string): Promise<TenantDetail | null> => {
    if (!isId(id)) return null;
    return (
      (await tx
        .selectFrom('tenants')
        .select([...tenantColumns, 'status_reason as reason', 'created_at as createdAt'])
        .select((of) => [
          of
            .selectFrom('users')
            .select((user) => user.fn.countAll<number>().as('count'))
            .whereRef('users.tenant_id', '=', 'tenants.id')
            .where('is_active', '=', true)
            .$asScalar()
            .$notNull()
            .as('users'),
          of
            .selectFrom('users')
            .select((user) => user.fn.max('last_sign_in_at').as('at'))
            .whereRef('users.tenant_id', '=', 'tenants.id')
            .as('lastSignInAt'),
        ])
        .where('id', '=', id)
        .executeTakeFirst()) ?? null
    );
  },

  /**
   * Lists tenants with due work and no live lease: queued or interrupted jobs, unfinished attempts that are due, or a
   * cycle of the schedule. The tenant that has waited longest comes first.
   */
  dueTenants: async ({ tx }: RootWork, now: Instant, limit: number): Promise<readonly string[]> =>
    (await dueQuery(tx, now, limit).execute()).map((row) => row.tenant_id),

  /** Lists tenants whose QuickBooks connection is due for maintenance, longest overdue first. */
  tenantsDueForMaintenance: async ({ tx }: RootWork, now: Instant, limit: number): Promise<readonly string[]> => {
    const rows = await tx
      .selectFrom('tenants')
      .select('id')
      .where('maintenance_at', '<=', now)
      .orderBy('maintenance_at')
      .limit(limit)
      .execute();
    return rows.map((row) => row.id);
  },

  /**
   * Takes active tenants whose open months are due for the automatic close check: once a day, in the four hours from
   * `fromHour` of their clock, or at any time after a missed night. Each tenant is taken by one worker only.
   */
  takeTenantsToProve: async (
    { tx }: RootWork,
    now: Instant,
    { limit, fromHour }: { readonly limit: number; readonly fromHour: number },
  ): Promise<readonly string[]> => {
    const hour = sql<number>`extract(hour from ${now}::timestamptz at time zone time_zone)`;
    const taken = await tx
      .updateTable('tenants')
      .set({ proved_at: now })
      .where('id', 'in', (from) =>
        from
          .selectFrom('tenants')
          .select('id')
          .where('status', '=', 'active')
          .where('created_at', '<', addSeconds(now, -provedAgainSeconds))
          .where((where) =>
            where.or([
              where('proved_at', '<', addSeconds(now, -missedNightSeconds)),
              where.and([
                where.or([
                  where('proved_at', 'is', null),
                  where('proved_at', '<', addSeconds(now, -provedAgainSeconds)),
                ]),
                sql<boolean>`mod(${hour}::int - ${fromHour}::int + 24, 24) < ${nightHours}::int`,
              ]),
            ]),
          )
          .orderBy('proved_at', (order) => order.asc().nullsFirst())
          .limit(limit)
          .forUpdate()
          .skipLocked(),
      )
      .returning('id')
      .execute();
    return taken.map(({ id }) => id);
  },
};

/** Interval for proving open months again, at these hours of the tenant's clock; after a missed night, at any hour. */
const provedAgainSeconds = 20 * 3_600;
const missedNightSeconds = 36 * 3_600;
/** Number of hours, from the configured one, in which proofs begin. */
const nightHours = 4;

/** Uses one statement over indexes, so that a check every two seconds is cheap for any number of tenants. */
export const dueQuery = (tx: Tx, now: Instant, limit: number) =>
  tx
    .selectFrom((from) =>
      from
        .selectFrom('jobs')
        .select('tenant_id')
        .where('status', 'in', ['queued', 'running'])
        .union(
          from
            .selectFrom('attempts')
            .select('tenant_id')
            .where('is_ended', '=', false)
            .where('mode', '=', 'live')
            .where((where) => where.or([where('not_before', 'is', null), where('not_before', '<=', now)])),
        )
        .union(
          from
            .selectFrom('tenants')
            .select('id as tenant_id')
            .where('status', '=', 'active')
            .where('next_sync_at', '<=', now),
        )
        .union(from.selectFrom('notifications').select('tenant_id').where('due_at', '<=', now))
        .as('due'),
    )
    .leftJoin('leases', 'leases.tenant_id', 'due.tenant_id')
    .select('due.tenant_id')
    .where((where) => where.or([where('leases.owner', 'is', null), where('leases.ends_at', '<=', leaseTime)]))
    // The tenant served longest ago comes first, so that the limit starves no tenant.
    .orderBy('leases.ends_at', (order) => order.asc().nullsFirst())
    .orderBy('due.tenant_id')
    .limit(limit);

/** Makes the tenant's next cycle due at once, because an obstacle was removed. */
export async function makeDue(tx: Tx, tenantId: string, now: Instant): Promise<void> {
  await tx
    .updateTable('tenants')
    .set({ next_sync_at: now, consecutive_failures: 0 })
    .where('id', '=', tenantId)
    .where('status', '=', 'active')
    .execute();
}
