import type { Kind } from '#core/kinds.ts';
import type { AdvanceEffects } from '#core/records/attempts.ts';
import type { CycleResult } from '#core/records/tenant-sessions.ts';
import type { SyncState } from '#core/tenant.ts';
import type { Instant } from '#core/values/dates.ts';
import { sql } from 'kysely';
import type { Tx } from './database.ts';
import type { TenantWork } from './scope.ts';
import { clean } from './tables.ts';

/** Sync state of each kind for the Overview. */
export const syncStates = {
  readSyncStates: async ({ tx, tenantId }: TenantWork): Promise<Readonly<Partial<Record<Kind, SyncState>>>> => {
    const rows = await tx
      .selectFrom('sync_states')
      .select(['kind', 'polled_at as polledAt', 'synced_at as syncedAt', 'info'])
      .where('tenant_id', '=', tenantId)
      .execute();
    return Object.fromEntries(rows.map(({ kind, ...state }) => [kind, state]));
  },

  /** Records the end of a search. */
  markPolled: ({ tx, tenantId }: TenantWork, kind: Kind, at: Instant): Promise<void> =>
    markPolled(tx, tenantId, [{ kind, at, fingerprint: null }]),
};

/**
 * Records the end of scans, each of a different kind, with a fingerprint when there was nothing to do. An earlier scan
 * never replaces a later one.
 */
export async function markPolled(tx: Tx, tenantId: string, polled: CycleResult['polled']): Promise<void> {
  if (polled.length === 0) return;
  await tx
    .insertInto('sync_states')
    .values(polled.map(({ kind, at, fingerprint }) => ({ tenant_id: tenantId, kind, polled_at: at, fingerprint })))
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'kind']).doUpdateSet((row) => ({
        polled_at: sql`greatest(sync_states.polled_at, excluded.polled_at)`,
        fingerprint: row.ref('excluded.fingerprint'),
      })),
    )
    .execute();
}

/** Records the last live success of a kind. */
export async function markSynced(
  tx: Tx,
  tenantId: string,
  kind: Kind,
  { at, info }: NonNullable<AdvanceEffects['synced']>,
): Promise<void> {
  const values = { synced_at: at, info: clean(JSON.stringify(info)) };
  await tx
    .insertInto('sync_states')
    .values({ tenant_id: tenantId, kind, ...values })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'kind']).doUpdateSet(values))
    .execute();
}
