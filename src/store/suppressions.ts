import type { Kind } from '#core/kinds.ts';
import { sql } from 'kysely';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import type { Tx } from './database.ts';
import type { TenantWork } from './scope.ts';
import { clean } from './tables.ts';

/** A mark not seen for this long counts as removed; when it returns, its time starts again. */
const maxGapSeconds = 3_600;

/** Suppressions of documents that were not sent, and marks found in the PSA. */
export const suppressions = {
  /**
   * Deletes the suppressions of these documents: the same may be reported again, and running statuses are timed again.
   */
  clearSuppressions: async (
    { tx, tenantId }: TenantWork,
    kinds: readonly Kind[],
    psaIds: readonly number[],
  ): Promise<void> => {
    if (kinds.length === 0 || psaIds.length === 0) return;
    for (const table of ['suppressions', 'found_marks'] as const)
      await tx
        .deleteFrom(table)
        .where('tenant_id', '=', tenantId)
        .where('kind', 'in', kinds)
        .where('psa_id', 'in', psaIds)
        .execute();
    // Clears the fingerprint, so that the next search checks every document.
    await tx
      .updateTable('sync_states')
      .set({ fingerprint: null })
      .where('tenant_id', '=', tenantId)
      .where('kind', 'in', kinds)
      .execute();
  },

  /**
   * Records that these documents have a running status in the PSA, and returns when each was first found. A document
   * that was not found for an hour starts again.
   */
  noteFoundMarks: async (
    { tx, tenantId }: TenantWork,
    kind: Kind,
    psaIds: readonly number[],
    now: Instant,
  ): Promise<ReadonlyMap<number, Instant>> => {
    if (psaIds.length === 0) return new Map();
    const values = [...new Set(psaIds)].map((psaId) => ({
      tenant_id: tenantId,
      kind,
      psa_id: psaId,
      first_seen_at: now,
      last_seen_at: now,
    }));
    const oldest = addSeconds(now, -maxGapSeconds);

    const rows = await tx
      .insertInto('found_marks')
      .values(values)
      .onConflict((conflict) =>
        conflict.columns(['tenant_id', 'kind', 'psa_id']).doUpdateSet({
          first_seen_at: sql`case when found_marks.last_seen_at < ${oldest} then ${now} else found_marks.first_seen_at end`,
          last_seen_at: now,
        }),
      )
      .returning(['psa_id', 'first_seen_at'])
      .execute();
    return new Map(rows.map((row) => [row.psa_id, row.first_seen_at]));
  },
};

/** Deletes the suppressions and marks of documents that are synced now. */
export async function clearOnSuccess(tx: Tx, tenantId: string, kind: string, psaIds: readonly number[]): Promise<void> {
  await sql`
    with marks as (
      delete from found_marks where tenant_id = ${tenantId} and kind = ${kind} and psa_id = any(${psaIds}::bigint[])
    )
    delete from suppressions where tenant_id = ${tenantId} and kind = ${kind} and psa_id = any(${psaIds}::bigint[])
  `.execute(tx);
}

/** Saves suppressions, one per document; a later one replaces an earlier one. */
export async function saveSuppressions(
  tx: Tx,
  tenantId: string,
  suppressions: readonly { readonly kind: Kind; readonly psaId: number; readonly reason: string }[],
  at: Instant,
): Promise<void> {
  if (suppressions.length === 0) return;
  await tx
    .insertInto('suppressions')
    .values(
      suppressions.map(({ kind, psaId, reason }) => ({
        tenant_id: tenantId,
        kind,
        psa_id: psaId,
        at,
        reason: clean(reason),
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'kind', 'psa_id'])
        .doUpdateSet((row) => ({ at: row.ref('excluded.at'), reason: row.ref('excluded.reason') })),
    )
    .execute();
}
