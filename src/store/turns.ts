import { sql } from 'kysely';
import type { CycleEnd, TurnStore } from '#core/ports/turns.ts';
import type { Tx } from './database.ts';
import { readBothCredentials } from './connections.ts';
import { giveBackLease, takeLease } from './leases.ts';
import type { Scope } from './scope.ts';
import { toSettings } from './settings.ts';
import { markPolled } from './sync-states.ts';

/** A worker's turn at a tenant: one transaction to begin it with all that decides what to do, one to end it. */
export const turns = (scope: Scope): TurnStore => {
  const { tenantId, clock, inTransaction } = scope;
  return {
    takeTurn: (owner, seconds, now) =>
      inTransaction(async (tx) => {
        const lease = await takeLease(tx, tenantId, owner, seconds, now);
        if (lease === null) return null;
        const found = await tx
          .selectFrom('tenants')
          .select([
            'id',
            'name',
            'status',
            'time_zone as timeZone',
            'next_sync_at as nextSyncAt',
            'sync_setbacks as setbacks',
          ])
          .select((of) => [
            of
              .selectFrom('connections')
              .select((count) => count.fn.countAll<number>().as('active'))
              .where('tenant_id', '=', tenantId)
              .where('status', '=', 'active')
              .as('connected'),
            of
              .exists(
                of
                  .selectFrom('connections')
                  .select('service')
                  .where('tenant_id', '=', tenantId)
                  .where('status', '=', 'active')
                  .where('problem', 'is not', null),
              )
              .as('needsAction'),
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
            of
              .exists(
                of
                  .selectFrom('books_changes')
                  .select('target_id')
                  .where('tenant_id', '=', tenantId)
                  .where('due_at', '<=', now),
              )
              .as('hasNotices'),
            of
              .exists(
                of
                  .selectFrom('payment_states')
                  .select('psa_id')
                  .where('tenant_id', '=', tenantId)
                  .where('is_due', '=', true),
              )
              .as('hasDuePayments'),
            of
              .selectFrom('settings')
              .select('value')
              .where('tenant_id', '=', tenantId)
              .where('section', '=', 'settings')
              .as('savedSettings'),
            of
              .selectFrom('sync_states')
              .select(
                sql<Readonly<Record<string, string>>>`coalesce(json_object_agg(kind, settled), '{}')`.as('settled'),
              )
              .where('tenant_id', '=', tenantId)
              .where('settled', 'is not', null)
              .as('settled'),
            of.selectFrom('books_feeds').select('told_at').where('tenant_id', '=', tenantId).as('toldAt'),
            of.selectFrom('books_feeds').select('read_at').where('tenant_id', '=', tenantId).as('readAt'),
            of.selectFrom('books_feeds').select('asked_at').where('tenant_id', '=', tenantId).as('askedAt'),
          ])
          .where('id', '=', tenantId)
          .executeTakeFirstOrThrow();
        const { nextSyncAt, setbacks, connected, toldAt, readAt, askedAt, ...rest } = found;
        const { hasUnfinished, hasJobs, hasNotices, hasDuePayments, needsAction, savedSettings, settled, ...tenant } =
          rest;
        return {
          lease,
          tenant,
          setbacks,
          settings: toSettings(savedSettings),
          isCycleDue: tenant.status === 'active' && nextSyncAt !== null && nextSyncAt <= now,
          areConnected: connected === 2,
          needsAction: Boolean(needsAction),
          hasUnfinished: Boolean(hasUnfinished),
          hasJobs: Boolean(hasJobs),
          hasNotices: Boolean(hasNotices),
          hasDuePayments: Boolean(hasDuePayments),
          feed: { toldAt, readAt, askedAt },
          settled: settled ?? {},
          credentials: await readBothCredentials(tx, scope),
        };
      }),

    endTurn: (lease, cycle) =>
      inTransaction(async (tx) => {
        const wasHeld = await giveBackLease(tx, lease, clock.now());
        if (wasHeld && cycle !== null) await endCycle(tx, tenantId, cycle);
      }),
  };
};

async function endCycle(tx: Tx, tenantId: string, { polled, nextSyncAt, setbacks }: CycleEnd): Promise<void> {
  await markPolled(tx, tenantId, polled);
  await tx
    .updateTable('tenants')
    .set({
      next_sync_at: sql`case when status = 'active' then ${nextSyncAt}::timestamptz end`,
      sync_setbacks: setbacks,
    })
    .where('id', '=', tenantId)
    .execute();
}
