import { sql } from 'kysely';
import type { NewAuditEvent } from '#core/records/audit.ts';
import type {
  ChangedInMonth,
  CloseContent,
  CloseDecision,
  CloseRun,
  LastOutcome,
  NewClose,
  NewSignature,
  PostedBody,
  StoredClose,
} from '#core/records/closes.ts';
import { month, type Month } from '#core/reconciliation/month.ts';
import { equals, negate, type Decimal } from '#core/values/decimal.ts';
import type { JsonObject } from '#core/values/json.ts';
import type { Signature, LeftOut } from '#core/reconciliation/close.ts';
import type { Instant, CalendarDate } from '#core/values/dates.ts';
import type { Kind } from '#core/kinds.ts';
import { insertAudit } from './audit.ts';
import type { Tx } from './database.ts';
import { postingColumns } from './postings.ts';
import type { TenantWork } from './scope.ts';
import { clean, cleanOrNull, isId, toJson } from './tables.ts';

const headColumns = [
  'id',
  'month',
  'prepared_at as preparedAt',
  'prepared_by as preparedBy',
  'sha256',
  'is_proved as isProved',
  'totals',
] as const;

/** Stored month-end closes. Rows are only added; only their left-out documents change. */
export const closes = {
  /**
   * Stores a close. A reading equal to the newest of its month returns that one, with its left-out documents updated.
   */
  addClose: async ({ tx, tenantId }: TenantWork, close: NewClose): Promise<StoredClose> => {
    const newest = await heads(tx, tenantId)
      .select('reading_sha256')
      .where('month', '=', close.month)
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst();
    if (newest !== undefined && newest.reading_sha256 === close.readingSha256) {
      // A document can become older than its window although nothing in its month changed.
      await tx
        .updateTable('closes')
        .set({ left_out: withoutNul(toJson(close.leftOut)) })
        .where('tenant_id', '=', tenantId)
        .where('id', '=', newest.id)
        .execute();
      return toHead(newest);
    }
    const { id } = await tx
      .insertInto('closes')
      .values({
        tenant_id: tenantId,
        month: close.month,
        prepared_at: close.preparedAt,
        prepared_by: clean(close.preparedBy),
        sha256: close.sha256,
        is_proved: close.isProved,
        totals: toJson(close.totals),
        proof: withoutNul(toJson(close.proof)),
        reports: withoutNul(toJson(close.reports)),
        setup: withoutNul(toJson(close.setup)),
        changed_since: withoutNul(toJson(close.changedSince)),
        left_out: withoutNul(toJson(close.leftOut)),
        reading_sha256: close.readingSha256,
        differences: withoutNul(toJson(close.differences)),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return toHead(await heads(tx, tenantId).where('id', '=', id).executeTakeFirstOrThrow());
  },

  readClose: async ({ tx, tenantId }: TenantWork, id: string): Promise<CloseContent | null> => {
    if (!isId(id)) return null;

    const row = await heads(tx, tenantId).select(['proof', 'reports', 'setup']).where('id', '=', id).executeTakeFirst();
    return row === undefined ? null : { ...row, ...toHead(row) };
  },

  /** Lists summaries of closes, oldest first: those of one month, or of the newest `months` months. */
  listCloses: async (
    { tx, tenantId }: TenantWork,
    of: { readonly month: Month } | { readonly months: number },
  ): Promise<readonly StoredClose[]> => {
    const all = heads(tx, tenantId).orderBy('month').orderBy('seq');
    if ('month' in of) return (await all.where('month', '=', of.month).execute()).map(toHead);
    const newest = await tx
      .selectFrom('closes')
      .select('month')
      .distinct()
      .where('tenant_id', '=', tenantId)
      .orderBy('month', 'desc')
      .limit(of.months)
      .execute();
    const oldest = newest.at(-1)?.month;
    return oldest === undefined ? [] : (await all.where('month', '>=', oldest).execute()).map(toHead);
  },

  /** @returns false when it was already signed with this role, or by the same person. */
  addSignature: async (
    { tx, tenantId }: TenantWork,
    { closeId, as, by, at, checked, reason, byOneAllowed }: NewSignature,
  ): Promise<boolean> => {
    const added = await tx
      .insertInto('close_signatures')
      .values({
        tenant_id: tenantId,
        close_id: closeId,
        signed_as: as,
        signed_by: by,
        signed_at: at,
        checked: [...checked],
        reason: cleanOrNull(reason),
        by_one_allowed: byOneAllowed,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst();
    return added !== undefined;
  },

  listSignatures: async (
    { tx, tenantId }: TenantWork,
    months: readonly Month[],
  ): Promise<readonly (Signature & { readonly checked: readonly string[] })[]> => {
    if (months.length === 0) return [];
    return tx
      .selectFrom('close_signatures as s')
      .innerJoin('closes as c', (join) =>
        join.onRef('c.tenant_id', '=', 's.tenant_id').onRef('c.id', '=', 's.close_id'),
      )
      .select([
        's.close_id as closeId',
        's.signed_as as as',
        's.signed_by as by',
        's.signed_at as at',
        's.checked',
        's.reason',
      ])
      .where('s.tenant_id', '=', tenantId)
      .where('c.month', 'in', months)
      .orderBy('s.signed_at')
      .execute();
  },

  /**
   * Adds a decision and its audit event. No other decision is added between the one that `eventOf` receives and it.
   *
   * @param eventOf receives the present decision about the same amount; null for none. Its errors are rethrown, and
   *   nothing is added; undefined means no audit event.
   */
  addDecision: async (
    { tx, tenantId }: TenantWork,
    { month: of, key, amount, decision, reason, by, at }: CloseDecision,
    eventOf?: (present: CloseDecision | null) => NewAuditEvent,
  ): Promise<void> => {
    const decided = await lockDecisions(tx, tenantId, of);
    const event = eventOf?.(decided.find((one) => one.key === key && equals(one.amount, amount)) ?? null);
    await insertDecisions(tx, tenantId, [{ month: of, key, amount, decision, reason, by, at }]);
    if (event !== undefined) await insertAudit(tx, tenantId, event);
  },

  /**
   * Adds decisions of a month together, and one audit event. No other decision is added between those that `choose`
   * receives and these.
   *
   * @param choose receives the newest decision of each key, and returns what to add; without decisions, there is no event.
   */
  addDecisions: async (
    { tx, tenantId }: TenantWork,
    of: Month,
    choose: (present: readonly CloseDecision[]) => {
      readonly decisions: readonly CloseDecision[];
      readonly event: NewAuditEvent;
    },
  ): Promise<void> => {
    const { decisions, event } = choose(await lockDecisions(tx, tenantId, of));
    if (decisions.length === 0) return;
    await insertDecisions(tx, tenantId, decisions);
    await insertAudit(tx, tenantId, event);
  },

  /** Lists changes after posting without a later decision, in the newest close of each of the newest months. */
  listChangedSince: async ({ tx, tenantId }: TenantWork, months: number): Promise<readonly ChangedInMonth[]> =>
    (await newestOf(tx, tenantId, months)).flatMap(({ month: of, changes: found, isDecided }) => {
      const changes = found.filter(({ key, amount }) => !isDecided(key, amount));
      return changes.length === 0 ? [] : [{ month: month(of), changes }];
    }),

  /** Lists documents left out of the newest closes of this many months, without those that a user has decided about. */
  listLeftOut: async ({ tx, tenantId }: TenantWork, months: number): Promise<readonly LeftOut[]> =>
    (await newestOf(tx, tenantId, months)).flatMap(({ left, isDecided }) =>
      // The difference of a document that was left out is its negated amount: QuickBooks lacks it.
      left.filter(({ key, amount }) => !isDecided(key, negate(amount))),
    ),

  /** Lists the decisions of a month, the newest of each key. */
  listDecisions: ({ tx, tenantId }: TenantWork, of: Month): Promise<readonly CloseDecision[]> =>
    selectDecisions(tx, tenantId, of),

  /**
   * Records the start of a close preparation. Runs that began before `staleBefore` count as crashed.
   *
   * @param maxAtOnce maximum number of months in preparation at the same time.
   * @returns `busy` when the month is already in preparation, `full` when `maxAtOnce` other months are.
   */
  beginCloseRun: async (
    { tx, tenantId }: TenantWork,
    of: Month,
    now: Instant,
    staleBefore: Instant,
    maxAtOnce: number,
  ): Promise<'begun' | 'busy' | 'full'> => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`close runs ${tenantId}`}, 0))`.execute(tx);
    const { count } = await tx
      .selectFrom('close_runs')
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('tenant_id', '=', tenantId)
      .where('month', '<>', of)
      .where('ended_at', 'is', null)
      .where('started_at', '>=', staleBefore)
      .executeTakeFirstOrThrow();
    if (count >= maxAtOnce) return 'full';
    const started = await tx
      .insertInto('close_runs')
      .values({ tenant_id: tenantId, month: of, started_at: now, ended_at: null, problem: null })
      .onConflict((conflict) =>
        conflict
          .columns(['tenant_id', 'month'])
          .doUpdateSet({ started_at: now, ended_at: null, problem: null })
          .where((where) =>
            where.or([where('close_runs.ended_at', 'is not', null), where('close_runs.started_at', '<', staleBefore)]),
          ),
      )
      .returning('month')
      .executeTakeFirst();
    return started === undefined ? 'busy' : 'begun';
  },

  /** Date of the earliest document in the log; null without any. */
  readFirstDocumentDate: async ({ tx, tenantId }: TenantWork): Promise<CalendarDate | null> => {
    const { first } = await tx
      .selectFrom('logs')
      .select((of) => of.fn.min('dated').as('first'))
      .where('tenant_id', '=', tenantId)
      .executeTakeFirstOrThrow();
    return first;
  },

  /**
   * @param problem why there is no proof; null if there is one.
   * @param sourcesSha256 hash of what the proof depends on besides QuickBooks; null: unknown.
   */
  endCloseRun: async (
    { tx, tenantId }: TenantWork,
    of: Month,
    now: Instant,
    problem: string | null,
    sourcesSha256: string | null = null,
  ): Promise<void> => {
    await tx
      .updateTable('close_runs')
      .set((column) =>
        problem === null
          ? { ended_at: now, problem, checked_at: column.ref('started_at'), sources_sha256: sourcesSha256 }
          : { ended_at: now, problem: clean(problem) },
      )
      .where('tenant_id', '=', tenantId)
      .where('month', '=', of)
      .execute();
  },

  /** Records that nothing that these proofs depend on has changed up to this time. */
  saveCloseChecks: async ({ tx, tenantId }: TenantWork, months: readonly Month[], now: Instant): Promise<void> => {
    if (months.length === 0) return;
    await tx
      .updateTable('close_runs')
      .set({ checked_at: now })
      .where('tenant_id', '=', tenantId)
      .where('month', 'in', months)
      .where('checked_at', 'is not', null)
      .execute();
  },

  readCloseRun: async ({ tx, tenantId }: TenantWork, of: Month): Promise<CloseRun | null> => {
    const row = await tx
      .selectFrom('close_runs')
      .select([
        'started_at as startedAt',
        'ended_at as endedAt',
        'problem',
        'checked_at as checkedAt',
        'sources_sha256 as sourcesSha256',
      ])
      .where('tenant_id', '=', tenantId)
      .where('month', '=', of)
      .executeTakeFirst();
    return row ?? null;
  },

  /** Lists postings with the request body, if a document exists or existed for them. */
  listPostedBodies: async (
    { tx, tenantId }: TenantWork,
    kind: Kind,
    psaIds: readonly number[],
  ): Promise<readonly PostedBody[]> => {
    if (psaIds.length === 0) return [];
    const rows = await tx
      .selectFrom('postings')
      .select([...postingColumns, 'body', 'answered'])
      .where('tenant_id', '=', tenantId)
      .where('kind', '=', kind)
      .where('psa_id', 'in', psaIds)
      .where('target_id', 'is not', null)
      .orderBy('psa_id')
      .orderBy('generation')
      .orderBy('revision')
      .execute();
    // Only documents of a connector are stored there.
    return rows.map((row) => ({ ...row, body: row.body as JsonObject }));
  },

  /** Lists postings of a kind whose document was sent with a date in these days, if a document exists or existed. */
  listPostedDated: async (
    { tx, tenantId }: TenantWork,
    kind: Kind,
    { from, through }: { readonly from: CalendarDate; readonly through: CalendarDate },
  ): Promise<readonly PostedBody[]> => {
    const datedOn = sql<string>`body ->> 'TxnDate'`;
    const rows = await tx
      .selectFrom('postings')
      .select([...postingColumns, 'body', 'answered'])
      .where('tenant_id', '=', tenantId)
      .where('kind', '=', kind)
      .where(datedOn, '>=', from)
      .where(datedOn, '<=', through)
      .where('target_id', 'is not', null)
      .orderBy('psa_id')
      .orderBy('generation')
      .orderBy('revision')
      .execute();
    // Only documents of a connector are stored there.
    return rows.map((row) => ({ ...row, body: row.body as JsonObject }));
  },

  /** Lists the last outcomes of documents without a posting, as an administrator sees them. */
  listLastOutcomes: async (
    { tx, tenantId }: TenantWork,
    kind: Kind,
    psaIds: readonly number[],
  ): Promise<ReadonlyMap<number, LastOutcome>> => {
    const outcomes = new Map<number, LastOutcome>();
    if (psaIds.length === 0) return outcomes;
    const logged = await tx
      .selectFrom('logs')
      .select(['psa_id', 'is_test', 'success'])
      .distinctOn('psa_id')
      .where('tenant_id', '=', tenantId)
      .where('type', '=', kind)
      .where('psa_id', 'in', psaIds)
      .orderBy('psa_id')
      // A test does not replace the result of the newest live attempt.
      .orderBy('is_test')
      .orderBy('seq', 'desc')
      .execute();
    for (const { psa_id: id, is_test: isTest, success } of logged)
      outcomes.set(id, isTest ? 'tested' : success ? 'held' : 'failed');
    const held = await tx
      .selectFrom('job_results as r')
      .innerJoin('jobs as j', (join) => join.onRef('j.tenant_id', '=', 'r.tenant_id').onRef('j.id', '=', 'r.job_id'))
      .select(['r.psa_id', 'r.outcome'])
      .distinctOn('r.psa_id')
      .where('r.tenant_id', '=', tenantId)
      .where('j.kind', '=', kind)
      .where('j.mode', '=', 'live')
      .where('r.psa_id', 'in', psaIds)
      .orderBy('r.psa_id')
      .orderBy('r.seq', 'desc')
      .execute();
    for (const { psa_id: id, outcome } of held) if (outcome === 'held') outcomes.set(id, 'held');
    const drafted = await tx
      .selectFrom('drafts')
      .select('psa_id')
      .where('tenant_id', '=', tenantId)
      .where('kind', '=', kind)
      .where('psa_id', 'in', psaIds)
      .where('state', '=', 'waiting')
      .execute();
    for (const { psa_id: id } of drafted) outcomes.set(id, 'awaits_approval');
    return outcomes;
  },
};

/** Returns the decisions of a month. No other decision is added until the transaction ends. */
async function lockDecisions(tx: Tx, tenantId: string, of: Month): Promise<readonly CloseDecision[]> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`close decisions ${tenantId}`}, 0))`.execute(tx);
  return selectDecisions(tx, tenantId, of);
}

async function insertDecisions(tx: Tx, tenantId: string, decisions: readonly CloseDecision[]): Promise<void> {
  await tx
    .insertInto('close_decisions')
    .values(
      decisions.map(({ month: of, key, amount, decision, reason, by, at }) => ({
        tenant_id: tenantId,
        month: of,
        key: clean(key),
        amount,
        decision,
        reason: clean(reason),
        decided_by: by,
        decided_at: at,
      })),
    )
    .execute();
}

async function selectDecisions(tx: Tx, tenantId: string, of: Month): Promise<readonly CloseDecision[]> {
  const rows = await tx
    .selectFrom('close_decisions')
    .select(['month', 'key', 'amount', 'decision', 'reason', 'decided_by as by', 'decided_at as at'])
    .distinctOn('key')
    .where('tenant_id', '=', tenantId)
    .where('month', '=', of)
    .orderBy('key')
    .orderBy('seq', 'desc')
    .execute();
  return rows.map((row) => ({ ...row, month: month(row.month) }));
}

/** Returns what the newest proofs of the newest `months` months report, and the decisions about it. */
async function newestOf(tx: Tx, tenantId: string, months: number) {
  const newest = await tx
    .selectFrom('closes')
    .select(['month', 'changed_since as changes', 'left_out as left'])
    .distinctOn('month')
    .where('tenant_id', '=', tenantId)
    .orderBy('month', 'desc')
    .orderBy('seq', 'desc')
    .limit(months)
    .execute();
  const filled = newest.filter(({ changes, left }) => changes.length + left.length > 0);
  if (filled.length === 0) return [];
  const decisions = await tx
    .selectFrom('close_decisions')
    .select(['month', 'key', 'amount'])
    .distinctOn(['month', 'key'])
    .where('tenant_id', '=', tenantId)
    .where(
      'month',
      'in',
      filled.map((one) => one.month),
    )
    .orderBy('month')
    .orderBy('key')
    .orderBy('seq', 'desc')
    .execute();
  return filled.map((one) => ({
    ...one,
    isDecided: (key: string, amount: Decimal) =>
      decisions.some((other) => other.month === one.month && other.key === key && equals(other.amount, amount)),
  }));
}

/**
 * Counts the differences of a month's newest proof without a current decision: no decision, or one about another
 * amount.
 */
const undecided = sql<number>`case when exists (
    select from closes later
    where later.tenant_id = closes.tenant_id and later.month = closes.month and later.seq > closes.seq
  ) then 0 else (
    select count(*)::int from jsonb_to_recordset(closes.differences) as d(key text, amount numeric)
    left join (
      select distinct on (key) key, amount from close_decisions
      where close_decisions.tenant_id = closes.tenant_id and close_decisions.month = closes.month
      order by key, seq desc
    ) as decided using (key)
    where decided.amount is distinct from d.amount
  ) end`.as('undecided');

const heads = (tx: Tx, tenantId: string) =>
  tx.selectFrom('closes').select(headColumns).select(undecided).where('tenant_id', '=', tenantId);

const toHead = <Row extends { readonly month: string }>(row: Row): Omit<Row, 'month'> & { readonly month: Month } => ({
  ...row,
  month: month(row.month),
});

/** JSON may contain U+0000 as an escape, but PostgreSQL accepts it in no text. */
const withoutNul = (json: string): string => json.replaceAll(String.raw`\u0000`, String.raw`\ufffd`);
