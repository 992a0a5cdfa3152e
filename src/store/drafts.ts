import { sql, type Selectable } from 'kysely';
import type { Approval, ClosedDraft, Draft, PostedSum } from '#core/records/drafts.ts';
import { wakeChannel } from '#core/ports/announcements.ts';
import type { Instant, CalendarDate } from '#core/values/dates.ts';
import type { Kind } from '#core/kinds.ts';
import type { Job } from '#core/records/jobs.ts';
import type { Actor } from '#core/records/audit.ts';
import type { Tx } from './database.ts';
import { insertAudit } from './audit.ts';
import { insertOrFind, toJob } from './jobs.ts';
import type { Scope, TenantWork } from './scope.ts';
import { clean, isId, type Tables } from './tables.ts';

const open = ['waiting', 'approved'] as const;

/** Drafts and the decisions about them. */
export const drafts = {
  /** Lists the newest draft of each of these documents. */
  listNewestDrafts: async (
    { tx, tenantId }: TenantWork,
    kind: Kind,
    psaIds: readonly number[],
  ): Promise<ReadonlyMap<number, Draft>> => {
    if (psaIds.length === 0) return new Map();
    const rows = await rowsOf(tx, tenantId)
      .distinctOn('d.psa_id')
      .where('d.kind', '=', kind)
      .where('d.psa_id', 'in', psaIds)
      .orderBy('d.psa_id')
      .orderBy('d.seq', 'desc')
      .execute();
    return new Map(rows.map((row) => [row.psa_id, toDraft(row)]));
  },

  /** Lists waiting drafts, then approved ones, each oldest first. */
  listOpenDrafts: async ({ tx, tenantId }: TenantWork, limit: number, offset = 0): Promise<readonly Draft[]> => {
    const rows = await rowsOf(tx, tenantId)
      .where('d.state', 'in', open)
      .orderBy('d.state', 'desc')
      .orderBy('d.seq')
      .limit(limit)
      .offset(offset)
      .execute();
    return rows.map(toDraft);
  },

  countOpenDrafts: async ({
    tx,
    tenantId,
  }: TenantWork): Promise<{ readonly waiting: number; readonly approved: number }> => {
    const rows = await tx
      .selectFrom('drafts')
      .select((select) => ['state', select.fn.countAll<number>().as('count')])
      .where('tenant_id', '=', tenantId)
      .where('state', 'in', open)
      .groupBy('state')
      .execute();
    const of = (state: (typeof open)[number]) => rows.find((row) => row.state === state)?.count ?? 0;
    return { waiting: of('waiting'), approved: of('approved') };
  },

  /** Lists PSA ids of the waiting drafts of a kind. */
  listDraftedIds: async ({ tx, tenantId }: TenantWork, kind: Kind): Promise<readonly number[]> => {
    const rows = await tx
      .selectFrom('drafts')
      .select('psa_id')
      .where('tenant_id', '=', tenantId)
      .where('kind', '=', kind)
      .where('state', '=', 'waiting')
      .orderBy('psa_id')
      .execute();
    return rows.map((row) => row.psa_id);
  },

  readDraft: async ({ tx, tenantId }: TenantWork, id: string): Promise<Draft | null> => {
    if (!isId(id)) return null;
    const row = await rowsOf(tx, tenantId).where('d.id', '=', id).executeTakeFirst();
    return row === undefined ? null : toDraft(row);
  },

  /**
   * Closes every open draft, because it was prepared for a different QuickBooks company than the one connected now.
   *
   * @returns one entry for each closed draft; amounts in the draft's currency.
   */
  closeDrafts: async ({ tx, tenantId }: TenantWork, reason: string): Promise<readonly ClosedDraft[]> => {
    const rows = await tx
      .updateTable('drafts')
      .set({ state: 'closed', reason: clean(reason) })
      .where('tenant_id', '=', tenantId)
      // A literal condition, because PostgreSQL uses the partial index only with this exact condition.
      .where(sql<boolean>`state in ('waiting', 'approved')`)
      .returning(['kind', 'amount', 'currency', 'home_currency'])
      .execute();
    return rows.map(({ kind, amount, currency, home_currency }) => ({
      kind,
      amount,
      currency: currency ?? home_currency,
    }));
  },

  /** Totals what was posted for these parties in a range of days, by kind. */
  sumPosted: async (
    { tx, tenantId }: TenantWork,
    { from, through }: { readonly from: CalendarDate; readonly through: CalendarDate },
  ): Promise<readonly PostedSum[]> => {
    const posted = tx
      .selectFrom('logs as l')
      .leftJoin('log_details as d', (join) =>
        join.onRef('d.tenant_id', '=', 'l.tenant_id').onRef('d.key', '=', 'l.key'),
      )
      .select([
        'l.type as kind',
        'l.psa_id',
        'l.party',
        // Same amount as `worthInAccounting` reads from a preview; entries without a preview have only the header from the
        // PSA.
        sql<string | null>`case when d.preview is null then l.currency
          else coalesce(d.preview -> 'view' ->> 'currency', d.preview ->> 'homeCurrency') end`.as('currency'),
        sql<Draft['view']['total']>`case when d.preview is null then l.amount
          when d.preview -> 'view' ->> 'form' = 'credit_memo' then -(d.preview -> 'view' ->> 'total')::numeric
          else (d.preview -> 'view' ->> 'total')::numeric end`.as('amount'),
      ])
      .distinctOn(['l.type', 'l.psa_id'])
      .where('l.tenant_id', '=', tenantId)
      .where('l.is_test', '=', false)
      .where('l.success', '=', true)
      .where('l.dated', '>=', from)
      .where('l.dated', '<=', through)
      .where('l.party', 'is not', null)
      .where('l.amount', 'is not', null)
      .where((where) =>
        where.exists(
          where
            .selectFrom('postings as p')
            .select('p.id')
            .whereRef('p.tenant_id', '=', 'l.tenant_id')
            .whereRef('p.kind', '=', 'l.type')
            .whereRef('p.psa_id', '=', 'l.psa_id')
            .where('p.status', 'in', ['synced', 'unconfirmed']),
        ),
      )
      .orderBy('l.type')
      .orderBy('l.psa_id')
      .orderBy('l.seq', 'desc');
    const rows = await tx
      .selectFrom(posted.as('posted'))
      .select((select) => [
        'kind',
        'party',
        'currency',
        select.fn.countAll<number>().as('count'),
        select.fn.sum<Draft['view']['total']>('amount').as('amount'),
      ])
      .groupBy(['kind', 'party', 'currency'])
      .execute();
    return rows.flatMap(({ party, ...row }) => (party === null ? [] : [{ ...row, party }]));
  },
};

/** Both undo their transaction if one of the drafts is no longer waiting. */
export const draftDecisions = ({ tenantId, inTransaction }: Scope) => ({
  /**
   * Approves drafts and saves the jobs that post them, in one transaction.
   *
   * @returns null without any change when one of the drafts is no longer waiting.
   */
  approveDrafts: ({ actor, at, final, first, jobs }: Approval): Promise<readonly Job[] | null> =>
    undoable(inTransaction, async (tx) => {
      const by = nameOf(actor);
      const added = [];
      for (const job of jobs) {
        const row = await insertOrFind(tx, tenantId, job);
        const { numUpdatedRows } = await tx
          .updateTable('drafts')
          .set({ state: 'approved', decided_by: by, decided_at: at, reason: null, job_id: row.id })
          .where('tenant_id', '=', tenantId)
          .where('id', 'in', final)
          .where('kind', '=', job.kind)
          .where('force', '=', job.force)
          .where('revises', '=', job.revises ?? false)
          .where('state', '=', 'waiting')
          .executeTakeFirst();
        if (numUpdatedRows !== BigInt(job.psaIds?.length ?? 0)) return null;
        added.push(toJob(row, []));
      }
      if (first.length > 0) {
        const { numUpdatedRows } = await tx
          .updateTable('drafts')
          .set({ first_approved_by: by })
          .where('tenant_id', '=', tenantId)
          .where('id', 'in', first)
          .where('state', '=', 'waiting')
          .where('first_approved_by', 'is', null)
          .executeTakeFirst();
        if (numUpdatedRows !== BigInt(first.length)) return null;
      }
      await insertAudit(tx, tenantId, {
        at,
        actor,
        action: 'drafts.approved',
        subject: added.length === 1 ? (added[0]?.id ?? null) : null,
        before: null,
        after: { approved: final.length, first_of_two: first.length },
      });
      if (added.length > 0) await sql`select pg_notify(${wakeChannel}, ${tenantId})`.execute(tx);
      return added;
    }),

  /** @returns false without any change when one of the drafts is no longer waiting. */
  rejectDrafts: async ({
    ids,
    actor,
    at,
    reason,
  }: {
    readonly ids: readonly string[];
    readonly actor: Actor;
    readonly at: Instant;
    readonly reason: string;
  }): Promise<boolean> =>
    (await undoable(inTransaction, async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable('drafts')
        .set({ state: 'rejected', decided_by: nameOf(actor), decided_at: at, reason: clean(reason) })
        .where('tenant_id', '=', tenantId)
        .where('id', 'in', ids)
        .where('state', '=', 'waiting')
        .executeTakeFirst();
      if (numUpdatedRows !== BigInt(ids.length)) return null;
      await insertAudit(tx, tenantId, {
        at,
        actor,
        action: 'drafts.rejected',
        subject: null,
        before: null,
        after: { rejected: ids.length, reason },
      });
      return true;
    })) ?? false,
});

/** The responsible user: the system administrator behind a masquerade, if any. */
const nameOf = ({ username, masquerader }: { readonly username: string; readonly masquerader?: string }): string =>
  masquerader ?? username;

/** Runs a transaction that is rolled back if the work returns null. */
async function undoable<T>(
  inTransaction: Scope['inTransaction'],
  work: (tx: Tx) => Promise<T | null>,
): Promise<T | null> {
  const undone = new Error('nothing is changed');
  try {
    return await inTransaction(async (tx) => {
      const result = await work(tx);
      if (result === null) throw undone;
      return result;
    });
  } catch (error) {
    if (error === undone) return null;
    throw error;
  }
}

const rowsOf = (tx: Tx, tenantId: string) =>
  tx
    .selectFrom('drafts as d')
    .leftJoin('drafts as r', (join) => join.onRef('r.tenant_id', '=', 'd.tenant_id').onRef('r.id', '=', 'd.replaces'))
    .selectAll('d')
    .select([
      'r.id as was_id',
      'r.state as was_state',
      'r.view as was_view',
      'r.psa_hash as was_psa_hash',
      'r.decided_by as was_decided_by',
      'r.decided_at as was_decided_at',
    ])
    .where('d.tenant_id', '=', tenantId);

type Row = Selectable<Tables['drafts']> & {
  readonly was_id: string | null;
  readonly was_state: Draft['state'] | null;
  readonly was_view: Draft['view'] | null;
  readonly was_psa_hash: string | null;
  readonly was_decided_by: string | null;
  readonly was_decided_at: Instant | null;
};

const toDraft = (row: Row): Draft => ({
  id: row.id,
  kind: row.kind,
  psaId: row.psa_id,
  force: row.force,
  ...(row.revises && { revises: true }),
  state: row.state,
  plan: row.plan,
  planHash: row.plan_hash,
  psaHash: row.psa_hash,
  about: {
    what: row.what,
    psaId: row.psa_id,
    number: row.number,
    party: row.party,
    on: row.dated,
    amount: row.amount,
    currency: row.currency,
  },
  homeCurrency: row.home_currency,
  view: row.view,
  effect: row.effect,
  warnings: row.warnings,
  preparedBy: row.prepared_by,
  preparedAt: row.prepared_at,
  firstApprovedBy: row.first_approved_by,
  decidedBy: row.decided_by,
  decidedAt: row.decided_at,
  reason: row.reason,
  jobId: row.job_id,
  replaces:
    row.was_id === null || row.was_state === null || row.was_view === null || row.was_psa_hash === null
      ? null
      : {
          id: row.was_id,
          state: row.was_state,
          view: row.was_view,
          psaHash: row.was_psa_hash,
          decidedBy: row.was_decided_by,
          decidedAt: row.was_decided_at,
        },
});
