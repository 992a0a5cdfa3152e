import { moveOwner, type TenantRecordStore, type TenantListStore } from '#core/ports/tenants.ts';
import { stallSeconds } from '#core/ports/stalls.ts';
import { addSeconds } from '#core/values/dates.ts';
import { assert } from '#core/values/assert.ts';
import type { Instant } from '#core/values/dates.ts';
import type { Tx } from './database.ts';
import { acquireLease, leaseTime } from './leases.ts';
import type { RootMethods, TenantMethods } from './scope.ts';
import { externalHashes } from './secrets.ts';
import { insertAudit } from './audit.ts';
import { sql } from 'kysely';
import { cleanOrNull, isId } from './tables.ts';

/** Columns that a tenant is read from. */
export const tenantColumns = ['id', 'name', 'status', 'time_zone as timeZone'] as const;

export const tenantOf: TenantMethods<TenantRecordStore> = {
  readTenant: ({ tx, tenantId }) =>
    tx.selectFrom('tenants').select(tenantColumns).where('id', '=', tenantId).executeTakeFirstOrThrow(),

  setStatus: async ({ tx, tenantId, clock }, status) => {
    const { numUpdatedRows } = await tx
      .updateTable('tenants')
      // An active tenant is due at once and then gets its regular place in the interval; any other status is never
      // due.
      .set({ status, next_sync_at: status === 'active' ? clock.now() : null, consecutive_failures: 0 })
      .where('id', '=', tenantId)
      .executeTakeFirst();
    assert(numUpdatedRows === 1n, 'a bound tenant exists');
  },

  setTimeZone: async ({ tx, tenantId }, timeZone) => {
    await tx.updateTable('tenants').set({ time_zone: timeZone }).where('id', '=', tenantId).execute();
  },

  readGuide: async ({ tx, tenantId }) => {
    const { guide } = await tx
      .selectFrom('tenants')
      .select('guide')
      .where('id', '=', tenantId)
      .executeTakeFirstOrThrow();
    return guide;
  },

  setGuide: async ({ tx, tenantId }, guide) => {
    await tx.updateTable('tenants').set({ guide }).where('id', '=', tenantId).execute();
  },

  changeStatus: async ({ tx, tenantId, clock }, { status, reason }, event) => {
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

  beginMove: async ({ tx, tenantId, clock }, event) => {
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

  undoMove: async ({ tx, tenantId, clock }, event) => {
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

/** Ids of tenants that were moved to another deployment, as a subquery. */
export const movedTenants = sql`(select id from tenants where moved_at is not null)`;

export const tenants: RootMethods<TenantListStore> = {
  addTenant: ({ tx, clock }, { name, status, timeZone }) =>
    tx
      .insertInto('tenants')
      .values({ name, status, time_zone: timeZone, next_sync_at: status === 'active' ? clock.now() : null })
      .returning(tenantColumns)
      .executeTakeFirstOrThrow(),

  listTenants: ({ tx }) => tx.selectFrom('tenants').select(tenantColumns).orderBy('name').orderBy('id').execute(),

  listMovedTenants: async ({ tx }) =>
    (await tx.selectFrom('tenants').select('id').where('moved_at', 'is not', null).execute()).map(({ id }) => id),

  countStalledTenants: async ({ tx }, now) => {
    const { count } = await tx
      .selectFrom('stalls')
      .select((of) => of.fn.countAll<number>().as('count'))
      .where('failures', '>', 1)
      .where('since', '<=', addSeconds(now, -stallSeconds))
      .where('tenant_id', 'not in', sql<string>`${movedTenants}`)
      .executeTakeFirstOrThrow();
    return count;
  },

  findTenant: async ({ tx }, id) => {
    if (!isId(id)) return null;
    return (await tx.selectFrom('tenants').select(tenantColumns).where('id', '=', id).executeTakeFirst()) ?? null;
  },

  findConnected: async ({ tx, vault }, service, externalId) => {
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

  findHolders: async ({ tx, vault }, service, externalId) => {
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

  readTenantDetail: async ({ tx }, id) => {
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

  dueTenants: async ({ tx }, now, limit) => (await dueQuery(tx, now, limit).execute()).map((row) => row.tenant_id),

  tenantsDueForMaintenance: async ({ tx }, now, limit) => {
    const rows = await tx
      .selectFrom('tenants')
      .select('id')
      .where('maintenance_at', '<=', now)
      .orderBy('maintenance_at')
      .limit(limit)
      .execute();
    return rows.map((row) => row.id);
  },

  takeTenantsToProve: async ({ tx }, now, limit) => {
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
                sql<boolean>`extract(hour from ${now}::timestamptz at time zone time_zone) between ${night.from} and ${night.through}`,
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
const night = { from: 1, through: 4 } as const;

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
        .union(from.selectFrom('webhook_inbox').select('tenant_id').where('due_at', '<=', now))
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
