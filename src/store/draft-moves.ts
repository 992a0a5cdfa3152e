import { sql } from 'kysely';
import { hasEnded, type Attempt, type Ended } from '#core/attempt.ts';
import type { Kind } from '#core/kinds.ts';
import type { AdvanceEffects } from '#core/records/attempts.ts';
import type { NewDraft } from '#core/records/drafts.ts';
import type { Tx } from './database.ts';
import { clean, cleanOrNull, toJson } from './tables.ts';

/** Applies the steps of live attempts to the drafts of their documents, in the transaction of the steps. */
export async function moveDrafts(
  tx: Tx,
  tenantId: string,
  moves: readonly { readonly to: Attempt; readonly effects: AdvanceEffects }[],
): Promise<void> {
  const ends: (Attempt & Ended)[] = [];
  for (const { to, effects } of moves) {
    if (!hasEnded(to) || to.mode === 'test' || effects.keepsDraft === true) continue;
    if (effects.draft !== undefined) await replaceDraft(tx, tenantId, effects.draft);
    else if (to.state === 'postponed')
      await openOf(tx, tenantId, to.kind, to.psaId)
        .set({ ...undecided, reason: clean(to.message) })
        .execute();
    else ends.push(to);
  }
  if (ends.length === 0) return;
  await sql`
    update drafts as d set state = m.state, reason = m.reason
      from unnest(
        ${ends.map(({ kind }) => kind)}::text[], ${ends.map(({ psaId }) => psaId)}::bigint[],
        ${ends.map(({ state }) => (state === 'done' ? 'posted' : 'closed'))}::text[],
        ${ends.map(({ message }) => clean(message))}::text[]
      ) as m(kind, psa_id, state, reason)
     where d.tenant_id = ${tenantId} and d.kind = m.kind and d.psa_id = m.psa_id and d.state in ('waiting', 'approved')
  `.execute(tx);
}

/** Resets a draft to waiting, without any approval: the approval was for this one try only. */
const undecided = {
  state: 'waiting',
  first_approved_by: null,
  decided_by: null,
  decided_at: null,
  job_id: null,
} as const;

const openOf = (tx: Tx, tenantId: string, kind: Kind, psaId: number) =>
  tx
    .updateTable('drafts')
    .where('tenant_id', '=', tenantId)
    .where('kind', '=', kind)
    .where('psa_id', '=', psaId)
    // A literal condition, because PostgreSQL uses the partial index only with this exact condition.
    .where(sql<boolean>`state in ('waiting', 'approved')`);

async function replaceDraft(tx: Tx, tenantId: string, draft: NewDraft): Promise<void> {
  const newest = await tx
    .selectFrom('drafts')
    .select(['id', 'state', 'plan_hash'])
    .where('tenant_id', '=', tenantId)
    .where('kind', '=', draft.kind)
    .where('psa_id', '=', draft.psaId)
    .orderBy('seq', 'desc')
    .limit(1)
    .forUpdate()
    .executeTakeFirst();
  const isOpen = newest?.state === 'waiting' || newest?.state === 'approved';
  if (isOpen && newest.plan_hash === draft.planHash) return;
  if (isOpen)
    await openOf(tx, tenantId, draft.kind, draft.psaId)
      .set({ state: newest.state === 'approved' ? 'changed' : 'replaced' })
      .execute();
  const { about } = draft;
  await tx
    .insertInto('drafts')
    .values({
      tenant_id: tenantId,
      kind: draft.kind,
      psa_id: draft.psaId,
      force: draft.force,
      revises: draft.revises ?? false,
      state: 'waiting',
      plan: json(draft.plan),
      plan_hash: draft.planHash,
      psa_hash: draft.psaHash,
      what: clean(about.what),
      number: cleanOrNull(about.number),
      party: cleanOrNull(about.party),
      dated: about.on,
      amount: about.amount,
      currency: cleanOrNull(about.currency),
      home_currency: draft.homeCurrency,
      view: json(draft.view),
      effect: json(draft.effect),
      warnings: json(draft.warnings),
      prepared_by: draft.preparedBy,
      prepared_at: draft.preparedAt,
      // A posted or closed draft is not replaced: the document starts a new chain of drafts.
      replaces: newest === undefined || newest.state === 'posted' || newest.state === 'closed' ? null : newest.id,
    })
    .execute();
}

/**
 * Withdraws the approval of the drafts of a job that has ended, except those that are still being posted. The approval
 * was for a posting by this job.
 */
export async function withdrawApprovals(
  tx: Tx,
  tenantId: string,
  jobId: string,
  message: string | null,
): Promise<void> {
  await tx
    .updateTable('drafts')
    .set({ ...undecided, reason: cleanOrNull(message) ?? 'It was approved, and its run ended before its turn came.' })
    .where('tenant_id', '=', tenantId)
    .where('job_id', '=', jobId)
    .where('state', '=', 'approved')
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('attempts as a')
            .select('a.id')
            .whereRef('a.tenant_id', '=', 'drafts.tenant_id')
            .whereRef('a.kind', '=', 'drafts.kind')
            .whereRef('a.psa_id', '=', 'drafts.psa_id')
            .where('a.mode', '=', 'live')
            .where('a.is_ended', '=', false)
            .where('a.state', '!=', 'planning'),
        ),
      ),
    )
    .execute();
}

/** JSON may contain U+0000 as an escape, but PostgreSQL accepts it in no text. */
const json = (value: unknown): string => toJson(value).replaceAll(String.raw`\u0000`, String.raw`\ufffd`);
