import type { Attempt } from '#core/attempt.ts';
import type { Kind } from '#core/kinds.ts';
import type { AdvanceEffects } from '#core/ports/attempts.ts';
import type { Posting, PostingStore } from '#core/ports/postings.ts';
import { assert, never } from '#core/values/assert.ts';
import type { Instant } from '#core/values/dates.ts';
import { sql } from 'kysely';
import type { Tx } from './database.ts';
import type { Scope } from './scope.ts';
import { cleanOrNull, isId, toJson } from './tables.ts';

export const postingColumns = [
  'id',
  'kind',
  'psa_id as psaId',
  'generation',
  'revision',
  'status',
  'request_id as requestId',
  'target_type as targetType',
  'target_id as targetId',
  'number',
  'total',
  'tax',
  'psa_total as psaTotal',
  'created_at as createdAt',
  'drift',
] as const;

export const postings = ({ tenantId, clock, inTransaction }: Scope): PostingStore => ({
  readPosting: (kind, psaId) => inTransaction((tx) => standingPosting(tx, tenantId, kind, psaId)),

  // The one that counts comes last for each document, as readPosting would answer it.
  listPostings: async (kind, psaIds) =>
    psaIds.length === 0
      ? []
      : inTransaction((tx) =>
          tx
            .selectFrom('postings')
            .select(postingColumns)
            .where('tenant_id', '=', tenantId)
            .where('kind', '=', kind)
            .where('psa_id', 'in', psaIds)
            .orderBy('psa_id')
            .orderBy(wasMade)
            .orderBy('generation')
            .orderBy('revision')
            .execute(),
        ),

  findPostings: async (kind, targetIds) =>
    targetIds.length === 0
      ? []
      : inTransaction((tx) =>
          tx
            .selectFrom('postings')
            .select(postingColumns)
            .where('tenant_id', '=', tenantId)
            .where('kind', '=', kind)
            .where('target_id', 'in', targetIds)
            .orderBy('psa_id')
            .orderBy('generation')
            .execute(),
        ),

  markPosting: async (id, status) => {
    assert(isId(id), 'a posting has an id of ours');
    await inTransaction(async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable('postings')
        .set({ status, ...(status === 'superseded' ? { superseded_at: clock.now() } : {}) })
        .where('tenant_id', '=', tenantId)
        .where('id', '=', id)
        .executeTakeFirst();
      assert(numUpdatedRows === 1n, 'a posting that is marked exists');
    });
  },

  saveDrift: async (found) => {
    if (found.length === 0) return;
    await inTransaction(async (tx) => {
      for (const { id, drift } of found)
        await tx
          .updateTable('postings')
          .set({ drift: toJson(drift) })
          .where('tenant_id', '=', tenantId)
          .where('id', '=', id)
          .execute();
    });
  },

  markPostingsGone: async (service) => {
    const made = ['synced', 'unconfirmed', 'voided'] as const;
    await inTransaction(async (tx) => {
      await tx
        .updateTable('postings')
        .set({ status: 'deleted_in_books', drift: '[]' })
        .where('tenant_id', '=', tenantId)
        .where('status', 'in', [...made, ...(service === 'psa' ? (['sending'] as const) : [])])
        .execute();
      const nothing = { balance: null, was_paid: false, written_on: null, is_due: false };
      await tx
        .updateTable('payment_states')
        .set({ ...nothing, seen_on: null, seen_at: null, seen_balance: null })
        .where('tenant_id', '=', tenantId)
        .execute();
      for (const table of ['suppressions', 'found_marks'] as const)
        await tx.deleteFrom(table).where('tenant_id', '=', tenantId).execute();
    });
  },
});

/**
 * The newest posting that was not refused: a second document that the books refused must not hide the first one, which
 * stands. Only when all were refused, the newest of these.
 */
async function standingPosting(tx: Tx, tenantId: string, kind: Kind, psaId: number): Promise<Posting | null> {
  const row = await ofDocument(tx, tenantId, kind, psaId)
    .orderBy(wasMade, 'desc')
    .orderBy('generation', 'desc')
    .orderBy('revision', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

/** The newest posting, whatever became of it. */
async function newestPosting(tx: Tx, tenantId: string, kind: Kind, psaId: number): Promise<Posting | null> {
  const row = await ofDocument(tx, tenantId, kind, psaId)
    .orderBy('generation', 'desc')
    .orderBy('revision', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

const wasMade = sql<boolean>`status <> 'refused'`;

const ofDocument = (tx: Tx, tenantId: string, kind: Kind, psaId: number) =>
  tx
    .selectFrom('postings')
    .select(postingColumns)
    .where('tenant_id', '=', tenantId)
    .where('kind', '=', kind)
    .where('psa_id', '=', psaId);

/**
 * Which document of its source the next attempt would make, and the how manieth try of it (reliability reference 1.2):
 * a definite refusal is followed by the next revision; a document that is gone from the books, that a person asks for a
 * second time, or that is changed to what the PSA says, by the next generation.
 */
export async function nextOrdinals(
  tx: Tx,
  tenantId: string,
  {
    kind,
    psaId,
    force,
    revises = false,
  }: { readonly kind: Kind; readonly psaId: number; readonly force: boolean; readonly revises?: boolean },
): Promise<{ readonly generation: number; readonly revision: number }> {
  const newest = await newestPosting(tx, tenantId, kind, psaId);
  const isWanted = force || revises;
  if (newest === null) return { generation: 1, revision: 0 };
  if (newest.status === 'refused' && !isWanted) {
    // A second document was asked for and refused; without a new wish, it is the first one that is dealt with.
    const standing = await standingPosting(tx, tenantId, kind, psaId);
    if (standing?.status === 'synced' || standing?.status === 'unconfirmed')
      return { generation: standing.generation, revision: standing.revision };
  }
  const { generation, revision } = newest;
  switch (newest.status) {
    case 'refused':
      return { generation, revision: revision + 1 };
    case 'voided':
    case 'deleted_in_books':
      return { generation: generation + 1, revision: 0 };
    case 'sending':
      // It may have arrived: only the same request id is safe.
      return { generation, revision };
    case 'unconfirmed':
    case 'synced':
    case 'superseded':
      return isWanted ? { generation: generation + 1, revision: 0 } : { generation, revision };
    default:
      return never(newest.status);
  }
}

/**
 * Keeps the ledger in step with an attempt, within its transaction.
 *
 * @returns the document's number as far as the ledger knows it.
 */
export async function moveLedger(
  tx: Tx,
  tenantId: string,
  attempt: Attempt,
  effects: AdvanceEffects,
  now: Instant,
): Promise<string | null> {
  const { kind, psaId, generation, revision } = attempt;
  const row = () =>
    tx
      .updateTable('postings')
      .where('tenant_id', '=', tenantId)
      .where('kind', '=', kind)
      .where('psa_id', '=', psaId)
      .where('generation', '=', generation)
      .where('revision', '=', revision);
  let number: string | null = null;

  if (effects.opensPosting !== undefined) {
    assert(attempt.mode === 'live', 'a test leaves nothing in the ledger');
    const { requestId, body, psaTotal } = effects.opensPosting;
    const values = { request_id: requestId, body: toJson(body), psa_total: psaTotal };
    const opened = await tx
      .insertInto('postings')
      .values({
        tenant_id: tenantId,
        kind,
        psa_id: psaId,
        generation,
        revision,
        status: 'sending',
        created_at: now,
        ...values,
      })
      .onConflict((conflict) =>
        conflict
          .columns(['tenant_id', 'kind', 'psa_id', 'generation', 'revision'])
          .doUpdateSet(values)
          .where('postings.status', '=', 'sending'),
      )
      .returning('id')
      .executeTakeFirst();
    assert(opened !== undefined, `${kind} ${psaId}, generation ${generation}.${revision}, is in the ledger already`);
  }
  if (effects.recordsPosting !== undefined) {
    const { type, id, total, tax } = effects.recordsPosting;
    number = effects.recordsPosting.number;
    const { numUpdatedRows } = await row()
      .set({
        status: 'unconfirmed',
        target_type: type,
        target_id: id,
        number: cleanOrNull(number),
        total,
        tax,
      })
      .where('status', 'in', ['sending', 'unconfirmed'])
      .executeTakeFirst();
    assert(numUpdatedRows === 1n, `${kind} ${psaId} was recorded before it was sent`);
  }
  if (effects.confirmsPosting === true) {
    const confirmed = await row()
      .set({ status: 'synced', drift: toJson(effects.notesDrift ?? []) })
      .where('status', 'in', ['unconfirmed', 'synced'])
      .returning('number')
      .executeTakeFirst();
    assert(confirmed !== undefined, `${kind} ${psaId} is in the ledger before it is confirmed`);
    number = confirmed.number;
    await tx
      .updateTable('postings')
      .set({ status: 'superseded', superseded_at: sql`coalesce(superseded_at, ${now})` })
      .where('tenant_id', '=', tenantId)
      .where('kind', '=', kind)
      .where('psa_id', '=', psaId)
      .where('generation', '<', generation)
      .where('status', 'in', ['unconfirmed', 'synced'])
      .execute();
  }
  if (effects.marksPosting !== undefined) {
    const { marksPosting: mark } = effects;
    await tx
      .updateTable('postings')
      .set({ status: mark.status })
      .where('tenant_id', '=', tenantId)
      .where('kind', '=', mark.kind)
      .where('psa_id', '=', mark.psaId)
      .where('target_id', '=', mark.targetId)
      .execute();
  }
  if (effects.abandonsPosting === true) {
    const { numUpdatedRows } = await row()
      .set({ status: 'refused' })
      .where('status', '=', 'sending')
      .executeTakeFirst();
    assert(numUpdatedRows === 1n, `${kind} ${psaId} was recorded before it was refused`);
  }
  return number;
}
