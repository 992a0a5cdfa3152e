import { sql, type ExpressionBuilder } from 'kysely';
import { wakeChannel } from '#core/ports/announcements.ts';
import type { CycleResult, TenantSession } from '#core/records/tenant-sessions.ts';
import type { Instant } from '#core/values/dates.ts';
import type { Lease } from '#core/records/leases.ts';
import type { Tx } from './database.ts';
import { readBothCredentials } from './connections.ts';
import { releaseLease, acquireLease } from './leases.ts';
import type { TenantWork } from './scope.ts';
import { toSettings } from './settings.ts';
import type { Tables } from './tables.ts';
import { markPolled, openGap, openLedgerGap } from './sync-states.ts';

/** A worker's session for a tenant: one transaction starts it and reads all it needs, one ends it. */
export const tenantSessions = {
  /** Takes the lease and returns, in the same transaction, the work to do; null while another worker holds it. */
  openSession: async (
    work: TenantWork,
    owner: string,
    seconds: number,
    now: Instant,
  ): Promise<TenantSession | null> => {
    const { tx, tenantId } = work;
    const lease = await acquireLease(tx, tenantId, owner, seconds);
    if (lease === null) return null;
    const found = await readFacts(tx, tenantId, now);
    const { nextSyncAt, consecutiveFailures, connected, lastNotificationAt, cursor, polledAt, ...others } = found;
    const { cursorBeforeGap, polledAtBeforeGap, ...rest } = others;
    const {
      hasUnfinished,
      hasJobs,
      hasFailedBefore,
      hasNotifications,
      hasChanges,
      hasDuePayments,
      needsAction,
      gap,
      ledgerGap,
      savedSettings,
      fingerprints,
      ...tenant
    } = rest;
    return {
      lease,
      tenant,
      consecutiveFailures,
      settings: toSettings(savedSettings),
      isCycleDue: tenant.status === 'active' && nextSyncAt !== null && nextSyncAt <= now,
      areConnected: connected === 2,
      needsAction: Boolean(needsAction),
      hasUnfinished: Boolean(hasUnfinished),
      hasJobs: Boolean(hasJobs),
      hasFailedBefore: Boolean(hasFailedBefore),
      hasNotifications: Boolean(hasNotifications),
      hasChanges: Boolean(hasChanges),
      hasDuePayments: Boolean(hasDuePayments),
      gap,
      ledgerGap,
      cdc: { lastNotificationAt, cursor, polledAt },
      beforeGap: { cursor: cursorBeforeGap, polledAt: polledAtBeforeGap },
      fingerprints: fingerprints ?? {},
      credentials: await readBothCredentials(work),
    };
  },

  /**
   * Releases the lease and records the result of a cycle, in one transaction. Does nothing after the lease was lost.
   *
   * @param how.isHandedOver announces the tenant's work to the other workers, because this one stops.
   */
  closeSession: async (
    { tx, tenantId }: TenantWork,
    lease: Lease,
    cycle: CycleResult | null,
    { isHandedOver = false }: { readonly isHandedOver?: boolean } = {},
  ): Promise<void> => {
    const wasHeld = await releaseLease(tx, lease);
    if (wasHeld && cycle !== null) await endCycle(tx, tenantId, cycle);
    if (isHandedOver) await sql`select pg_notify(${wakeChannel}, ${tenantId})`.execute(tx);
  },
};

type Of = ExpressionBuilder<Tables, 'tenants'>;

/** Reads all facts of a session in one statement. */
const readFacts = (tx: Tx, tenantId: string, now: Instant) =>
  tx
    .selectFrom('tenants')
    .select([
      'id',
      'name',
      'status',
      'time_zone as timeZone',
      'next_sync_at as nextSyncAt',
      'consecutive_failures as consecutiveFailures',
      openGap,
      openLedgerGap,
    ])
    .select((of) => connectionsAndSettings(of, tenantId))
    .select((of) => openWork(of, tenantId))
    .select((of) => reportedChanges(of, tenantId, now))
    .where('id', '=', tenantId)
    .executeTakeFirstOrThrow();

function connectionsAndSettings(of: Of, tenantId: string) {
  const active = of.selectFrom('connections').where('tenant_id', '=', tenantId).where('status', '=', 'active');
  return [
    active.select((count) => count.fn.countAll<number>().as('active')).as('connected'),
    of.exists(active.select('service').where('problem', 'is not', null)).as('needsAction'),
    of
      .selectFrom('settings')
      .select('value')
      .where('tenant_id', '=', tenantId)
      .where('section', '=', 'settings')
      .as('savedSettings'),
    of
      .selectFrom('sync_states')
      .select(
        sql<Readonly<Record<string, string>>>`coalesce(json_object_agg(kind, fingerprint), '{}')`.as('fingerprints'),
      )
      .where('tenant_id', '=', tenantId)
      .where('fingerprint', 'is not', null)
      .as('fingerprints'),
  ];
}

function openWork(of: Of, tenantId: string) {
  return [
    of
      .exists(
        of
          .selectFrom('attempts')
          .select('id')
          .where('tenant_id', '=', tenantId)
          .where('is_ended', '=', false)
          .where('mode', '=', 'live'),
      )
      .as('hasUnfinished'),
    of
      .exists(
        of
          .selectFrom('jobs')
          .select('id')
          .where('tenant_id', '=', tenantId)
          .where('status', 'in', ['queued', 'running']),
      )
      .as('hasJobs'),
    of.exists(of.selectFrom('stalls').select('tenant_id').where('tenant_id', '=', tenantId)).as('hasFailedBefore'),
    of
      .exists(
        of.selectFrom('payment_states').select('psa_id').where('tenant_id', '=', tenantId).where('is_due', '=', true),
      )
      .as('hasDuePayments'),
  ];
}

/** What QuickBooks reported, and how far it was read. */
function reportedChanges(of: Of, tenantId: string, now: Instant) {
  const inbox = of.selectFrom('notifications').select('target_id').where('tenant_id', '=', tenantId);
  const feed = of.selectFrom('cdc_states').where('tenant_id', '=', tenantId);
  return [
    of.exists(inbox.where('due_at', '<=', now)).as('hasNotifications'),
    of.exists(inbox).as('hasChanges'),
    feed.select('last_notification_at').as('lastNotificationAt'),
    feed.select('cursor').as('cursor'),
    feed.select('polled_at').as('polledAt'),
    feed.select(sql<Instant | null>`coalesce(before_gap_cursor, cursor)`.as('cursor')).as('cursorBeforeGap'),
    feed.select(sql<Instant | null>`coalesce(before_gap_polled_at, polled_at)`.as('polledAt')).as('polledAtBeforeGap'),
  ];
}

async function endCycle(
  tx: Tx,
  tenantId: string,
  { polled, nextSyncAt, consecutiveFailures }: CycleResult,
): Promise<void> {
  await markPolled(tx, tenantId, polled);
  await tx
    .updateTable('tenants')
    .set({
      next_sync_at: sql`case when status = 'active' then ${nextSyncAt}::timestamptz end`,
      consecutive_failures: consecutiveFailures,
    })
    .where('id', '=', tenantId)
    .execute();
}
