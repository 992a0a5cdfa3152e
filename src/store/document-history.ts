import { sql, type SqlBool } from 'kysely';
import type { Kind } from '#core/kinds.ts';
import type { DocumentDraft, DocumentEntry, DocumentProof, ShownPlan } from '#core/records/document-history.ts';
import { month, type Month } from '#core/reconciliation/month.ts';
import type { Tx } from './database.ts';
import { literal } from './literals.ts';
import { headColumns } from './log.ts';
import type { TenantWork } from './scope.ts';

/** What happened to one document, from all tables that know about it. Every list has a maximum length. */
export const documentHistory = {
  /**
   * Lists the log entries of a document, newest first, with their runs.
   *
   * @param kinds the document's kind and those that change it
   */
  listDocumentEntries: async (
    { tx, tenantId }: TenantWork,
    kinds: readonly Kind[],
    psaId: number,
    limit: number,
  ): Promise<readonly DocumentEntry[]> =>
    (
      await entriesOf(tx, tenantId, kinds, psaId)
        .orderBy('logs.at', 'desc')
        .orderBy('logs.seq', 'desc')
        .limit(limit)
        .execute()
    ).map(toEntry),

  /** Lists the newest live entry of each kind of a document. */
  listNewestLive: async (
    { tx, tenantId }: TenantWork,
    kinds: readonly Kind[],
    psaId: number,
  ): Promise<readonly DocumentEntry[]> =>
    (
      await entriesOf(tx, tenantId, kinds, psaId)
        .distinctOn('logs.type')
        .where('logs.is_test', '=', literal(false))
        .orderBy('logs.type')
        .orderBy('logs.at', 'desc')
        .orderBy('logs.seq', 'desc')
        .execute()
    ).map(toEntry),

  /** Lists the drafts of a document with their decisions, newest first. */
  listDocumentDrafts: async (
    { tx, tenantId }: TenantWork,
    kinds: readonly Kind[],
    psaId: number,
    limit: number,
  ): Promise<readonly DocumentDraft[]> =>
    tx
      .selectFrom('drafts')
      .select([
        'id',
        'kind',
        'state',
        'first_approved_by as firstApprovedBy',
        'decided_by as decidedBy',
        'decided_at as decidedAt',
        'reason',
      ])
      .where('tenant_id', '=', tenantId)
      .where('kind', 'in', kinds)
      .where('psa_id', '=', psaId)
      .orderBy('seq', 'desc')
      .limit(limit)
      .execute(),

  /** Whether a live sync of the document is in progress. */
  isDocumentBusy: async ({ tx, tenantId }: TenantWork, kind: Kind, psaId: number): Promise<boolean> => {
    const row = await tx
      .selectFrom('attempts')
      .select('id')
      .where('tenant_id', '=', tenantId)
      .where('kind', '=', kind)
      .where('psa_id', '=', psaId)
      // A literal condition, because PostgreSQL uses the partial index only with this exact condition.
      .where(sql<SqlBool>`not is_ended and mode = 'live'`)
      .executeTakeFirst();
    return row !== undefined;
  },

  /**
   * Reads the newest plan of a document that was shown; null without one.
   *
   * @param isPosted prefers the plan that was posted
   */
  readShownPlan: async (
    { tx, tenantId }: TenantWork,
    kind: Kind,
    psaId: number,
    isPosted: boolean,
  ): Promise<ShownPlan | null> => {
    const { rows } = await sql<ShownPlan>`
      select logs.key, logs.at, logs.is_test as "isTest", detail.preview
        from logs join log_details as detail on detail.tenant_id = logs.tenant_id and detail.key = logs.key
       where logs.tenant_id = ${tenantId}::uuid and logs.psa_id = ${psaId} and logs.type = ${kind}
         and detail.preview is not null
       order by (${isPosted} and logs.success and not logs.is_test) desc, logs.at desc, logs.seq desc
       limit 1
    `.execute(tx);
    return rows[0] ?? null;
  },

  /**
   * Reads what the newest proof of a month reports about a document; null without a proof.
   *
   * @param limit maximum number of decisions
   */
  readDocumentProof: async (
    { tx, tenantId }: TenantWork,
    kinds: readonly Kind[],
    psaId: number,
    of: Month,
    limit: number,
  ): Promise<DocumentProof | null> => {
    // The keys of a document's differences begin with its kind and id.
    const patterns = kinds.map((kind) => `${kind.replaceAll('_', String.raw`\_`)} ${psaId} %`);
    const { rows } = await sql<Omit<DocumentProof, 'month' | 'decisions'>>`
      select prepared_at as at, prepared_by as by,
             (select count(*)::int from jsonb_to_recordset(differences) as d(key text)
               where d.key like any(${patterns}::text[])) as differences
        from closes where tenant_id = ${tenantId}::uuid and month = ${of}
       order by seq desc limit 1
    `.execute(tx);
    const [proof] = rows;
    if (proof === undefined) return null;
    const decisions = await tx
      .selectFrom('close_decisions')
      .select(['decided_at as at', 'decided_by as by', 'decision', 'reason'])
      .where('tenant_id', '=', tenantId)
      .where('month', '=', of)
      .where(sql<SqlBool>`key like any(${patterns}::text[])`)
      .orderBy('seq', 'desc')
      .limit(limit)
      .execute();
    return { ...proof, month: month(of), decisions };
  },
};

/** Selects the log entries of a document with their runs. */
const entriesOf = (tx: Tx, tenantId: string, kinds: readonly Kind[], psaId: number) =>
  tx
    .selectFrom('logs')
    .leftJoin('log_details as detail', (join) =>
      join.onRef('detail.tenant_id', '=', 'logs.tenant_id').onRef('detail.key', '=', 'logs.key'),
    )
    // The results of a run have no index by entry; the attempts lead to the run.
    .leftJoinLateral(
      (from) =>
        from
          .selectFrom('attempts as a')
          .innerJoin('job_results as r', (join) =>
            join
              .onRef('r.tenant_id', '=', 'a.tenant_id')
              .onRef('r.job_id', '=', 'a.job_id')
              .onRef('r.psa_id', '=', 'a.psa_id'),
          )
          .innerJoin('jobs as j', (join) =>
            join.onRef('j.tenant_id', '=', 'a.tenant_id').onRef('j.id', '=', 'a.job_id'),
          )
          .select(['j.id as runId', 'j.submitted_by as runBy', 'j.revises as isUpdate', 'r.outcome'])
          .whereRef('a.tenant_id', '=', 'logs.tenant_id')
          .whereRef('a.kind', '=', 'logs.type')
          .whereRef('a.psa_id', '=', 'logs.psa_id')
          .whereRef('r.log_key', '=', 'logs.key')
          .limit(1)
          .as('run'),
      (join) => join.onTrue(),
    )
    .select(headColumns)
    .select(['run.runId', 'run.runBy', 'run.isUpdate', 'run.outcome'])
    .select(
      sql<string | null>`case when logs.success and not logs.is_test and detail.document->>'EmailStatus' = 'EmailSent'
        then coalesce(detail.document->'BillEmail'->>'Address', '') end`.as('mailedTo'),
    )
    .where('logs.tenant_id', '=', tenantId)
    .where('logs.psa_id', '=', psaId)
    .where('logs.type', 'in', kinds);

type EntryRow = Awaited<ReturnType<ReturnType<typeof entriesOf>['execute']>>[number];

const toEntry = ({ runId, runBy, isUpdate, outcome, ...head }: EntryRow): DocumentEntry => ({
  ...head,
  run:
    runId === null || outcome === null
      ? null
      : { id: runId, by: runBy?.username ?? null, outcome, isUpdate: isUpdate === true },
});
