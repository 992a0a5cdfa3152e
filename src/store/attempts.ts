import { sql, type Selectable, type SqlBool } from 'kysely';
import { hasEnded, type Attempt, type AttemptBase } from '#core/attempt.ts';
import type { Kind } from '#core/kinds.ts';
import type { Plan } from '#core/planning/plan.ts';
import type { AdvanceEffects, Move, NewAttempt } from '#core/records/attempts.ts';
import type { JobResult } from '#core/records/jobs.ts';
import { type Lease, LeaseLost } from '#core/records/leases.ts';
import { assert } from '#core/values/assert.ts';
import type { Instant } from '#core/values/dates.ts';
import type { Tx } from './database.ts';
import { moveDrafts } from './draft-moves.ts';
import { jobsWaitingFor, recordResults } from './jobs.ts';
import { assertLease } from './leases.ts';
import { insertLogs, type NewLogRow } from './log.ts';
import { addMappings, upsertMappings } from './mappings.ts';
import { clearOnSuccess, markSynced, savePaymentState, saveSuppressions } from './sync-states.ts';
import { moveLedger, nextOrdinals, type Ordinals } from './postings.ts';
import type { Scope, TenantWork } from './scope.ts';
import { jsonArray, type Tables } from './tables.ts';
import { oncePer } from '#core/values/once-per.ts';

/** Attempts: the syncs of single documents. */
export const attempts = {
  /**
   * Opens an attempt for a document, or resumes the unfinished live one that a crashed worker left: at most one
   * unfinished live attempt exists per kind and PSA id.
   *
   * @throws LeaseLost when another worker holds the tenant.
   */
  openAttempt: async (
    work: TenantWork,
    lease: Lease,
    wanted: NewAttempt,
  ): Promise<{ readonly attempt: Attempt; readonly isResumed: boolean }> => {
    const [opened] = await openUnder(work, lease, [wanted]);
    assert(opened !== undefined, 'an attempt that was asked for is open');
    return opened;
  },

  /** Does {@link openAttempt} for several documents, in one transaction and in this order. */
  openAttempts: openUnder,

  /** Deletes attempts that decided nothing and sent nothing, as if their documents had not been started. */
  withdrawAttempts: async ({ tx, tenantId }: TenantWork, lease: Lease, ids: readonly string[]): Promise<void> => {
    if (ids.length === 0) return;
    await assertLease(tx, tenantId, lease);
    await tx
      .deleteFrom('attempts')
      .where('tenant_id', '=', tenantId)
      .where('id', 'in', ids)
      .where('state', '=', 'planning')
      .execute();
  },

  /** Lists unfinished live attempts, oldest first, without those whose `notBefore` is later than `now`. */
  listUnfinished: async ({ tx, tenantId }: TenantWork, now: Instant): Promise<readonly Attempt[]> => {
    const rows = await unfinished(tx, tenantId)
      .where((where) => where.or([where('not_before', 'is', null), where('not_before', '<=', now)]))
      .orderBy('seq')
      .execute();
    return rows.map(toAttempt);
  },

  /** Lists PSA ids of the documents that a job has started and not finished. */
  listStarted: async ({ tx, tenantId }: TenantWork, jobId: string): Promise<readonly number[]> => {
    const rows = await startedIds(tx, tenantId).where('job_id', '=', jobId).execute();
    return rows.map((row) => row.psa_id);
  },

  /** Lists PSA ids of documents that are syncing now. */
  listBusy: async ({ tx, tenantId }: TenantWork, kind: Kind): Promise<readonly number[]> => {
    const rows = await startedIds(tx, tenantId).where('kind', '=', kind).orderBy('psa_id').execute();
    return rows.map((row) => row.psa_id);
  },

  /**
   * Lists the documents of {@link listBusy} whose attempt creates, or may have created, a document: it has a plan, or a
   * user asked for another document. The other attempts have only started.
   */
  listMaking: async ({ tx, tenantId }: TenantWork, kind: Kind): Promise<readonly number[]> => {
    const rows = await startedIds(tx, tenantId)
      .where('kind', '=', kind)
      .where((where) =>
        where.or([where('state', '!=', 'planning'), where('force', '=', true), where('revises', '=', true)]),
      )
      .execute();
    return rows.map((row) => row.psa_id);
  },

  /** Lists suppressions by PSA id, for documents without a status in the PSA, e.g. zero balances and held ones. */
  listSuppressions: async (
    { tx, tenantId }: TenantWork,
    kind: Kind,
    psaIds: readonly number[],
  ): Promise<ReadonlyMap<number, string>> => {
    if (psaIds.length === 0) return new Map();
    const rows = await tx
      .selectFrom('suppressions')
      .select(['psa_id', 'reason'])
      .where('tenant_id', '=', tenantId)
      .where('kind', '=', kind)
      .where('psa_id', 'in', psaIds)
      .orderBy('psa_id')
      .execute();
    return new Map(rows.map((row) => [row.psa_id, row.reason]));
  },

  /** Counts the attempts in a row that ended `postponed` for a document since its last other final state. */
  countPostponed: async ({ tx, tenantId }: TenantWork, kind: Kind, psaId: number): Promise<number> => {
    const ended = tx
      .selectFrom('attempts')
      .where('tenant_id', '=', tenantId)
      .where('kind', '=', kind)
      .where('psa_id', '=', psaId)
      .where('mode', '=', 'live')
      .where('is_ended', '=', true);
    const other = await ended
      .select('seq')
      .where('state', '!=', 'postponed')
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst();
    const { count } = await ended
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('seq', '>', other?.seq ?? 0)
      .executeTakeFirstOrThrow();
    return count;
  },
};

/** Saves the steps of attempts, and remembers their plans after the commit. */
export const attemptSteps = (scope: Scope) => ({
  /**
   * Moves an attempt to its next state, only from the given state and only under a live lease. Final states write the
   * log row and the job's result in the same transaction; posting states update the ledger (`postings`).
   *
   * @throws LeaseLost when the row has changed or the lease is lost.
   */
  advance: async (lease: Lease, from: Attempt, to: Attempt, effects?: AdvanceEffects): Promise<Attempt> => {
    await advanceUnder(scope, lease, [{ from, to, effects }]);
    return to;
  },
  /** Does {@link advance} for several attempts in one transaction: all of them move, or none. */
  advanceAll: async (lease: Lease, moves: readonly Move[]): Promise<readonly Attempt[]> => {
    await advanceUnder(scope, lease, moves);
    return moves.map(({ to }) => to);
  },
});

type Row = Selectable<Tables['attempts']>;

const unfinished = (tx: Tx, tenantId: string) =>
  tx
    .selectFrom('attempts')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('mode', '=', 'live')
    .where('is_ended', '=', false);

/** Selects the PSA ids only, because a row contains a whole plan. */
const startedIds = (tx: Tx, tenantId: string) => unfinished(tx, tenantId).clearSelect().select('psa_id');

async function advanceUnder(scope: Scope, lease: Lease, moves: readonly Move[]): Promise<void> {
  await scope.inTransaction(async (tx) => {
    await assertLease(tx, scope.tenantId, lease);
    if (moves.length === 0) return;
    await moveRows(tx, scope.tenantId, moves);
    await apply(
      tx,
      scope,
      moves.map((move) => ({ ...move, effects: move.effects ?? {} })),
    );
  });
  for (const { to } of moves) if ('plan' in to) savedPlan(to.plan).of = to.id;
}

/**
 * Plans already stored in the rows of these attempts as JSON, so that a step with the same plan does not rewrite it.
 */
const savedPlan = oncePer<Plan, { of: string | null }>(() => ({ of: null }));

interface Opened {
  readonly attempt: Attempt;
  readonly isResumed: boolean;
}

async function openUnder(
  { tx, tenantId }: TenantWork,
  lease: Lease,
  wanted: readonly NewAttempt[],
): Promise<readonly Opened[]> {
  await assertLease(tx, tenantId, lease);
  const opened = new Map<NewAttempt, Opened>();
  for (const [mode, ofMode] of Map.groupBy(wanted, (one) => one.mode))
    for (const [kind, all] of Map.groupBy(ofMode, (one) => one.kind))
      for (const [one, is] of await (mode === 'test' ? openTests : openLive)(tx, tenantId, kind, all))
        opened.set(one, is);
  return wanted.map((one) => {
    const is = opened.get(one);
    assert(is !== undefined, 'an attempt that was asked for is open');
    return is;
  });
}

const psaIdsOf = (all: readonly { readonly psaId: number }[]): readonly number[] => all.map(({ psaId }) => psaId);
const isOneOf = (psaIds: readonly number[]) => sql<SqlBool>`psa_id = any(${psaIds}::bigint[])`;

/** Tests are never resumed: unfinished tests of dead workers are dropped. */
async function openTests(
  tx: Tx,
  tenantId: string,
  kind: Kind,
  wanted: readonly NewAttempt[],
): Promise<ReadonlyMap<NewAttempt, Opened>> {
  await tx
    .deleteFrom('attempts')
    .where('tenant_id', '=', tenantId)
    .where('kind', '=', kind)
    .where(isOneOf(psaIdsOf(wanted)))
    .where('mode', '=', 'test')
    .where('is_ended', '=', false)
    .execute();
  const rows = await insert(
    tx,
    tenantId,
    wanted.map((one) => ({ ...one, generation: 1, revision: 0 })),
  )
    .returningAll()
    .execute();
  return inOrder(wanted, rows);
}

async function openLive(
  tx: Tx,
  tenantId: string,
  kind: Kind,
  wanted: readonly NewAttempt[],
): Promise<ReadonlyMap<NewAttempt, Opened>> {
  const opened = new Map<NewAttempt, Opened>();
  // The next round finds attempts that another transaction opens in between.
  for (let open = wanted; open.length > 0; open = open.filter((one) => !opened.has(one))) {
    const rows = await unfinished(tx, tenantId)
      .where('kind', '=', kind)
      .where(isOneOf(psaIdsOf(open)))
      .orderBy('psa_id')
      .forUpdate()
      .execute();
    const left = new Map(rows.map((row) => [row.psa_id, row]));
    const ordinals = await nextOrdinals(tx, tenantId, kind, open);
    for (const one of open) {
      const row = left.get(one.psaId);
      if (row === undefined) continue;
      const taken = await resume(tx, tenantId, row, one, ordinals.get(one.psaId));
      opened.set(one, { attempt: toAttempt(taken), isResumed: true });
    }
    const fresh = open.filter((one) => !opened.has(one));
    if (fresh.length === 0) break;
    const made = await insert(
      tx,
      tenantId,
      fresh.map((one) => ({ ...one, ...(ordinals.get(one.psaId) ?? { generation: 1, revision: 0 }) })),
    )
      .onConflict((conflict) =>
        conflict
          .columns(['tenant_id', 'kind', 'psa_id'])
          // A literal condition, because PostgreSQL uses the partial index only with this exact condition.
          .where(sql<SqlBool>`not is_ended and mode = 'live'`)
          .doNothing(),
      )
      .returningAll()
      .execute();
    for (const [one, is] of inOrder(fresh, made)) opened.set(one, is);
  }
  return opened;
}

/** Returns the inserted rows by requested attempt, matched by document. */
function inOrder(wanted: readonly NewAttempt[], rows: readonly Row[]): ReadonlyMap<NewAttempt, Opened> {
  const byDocument = new Map(rows.map((row) => [row.psa_id, row]));
  return new Map(
    wanted.flatMap((one): [NewAttempt, Opened][] => {
      const row = byDocument.get(one.psaId);
      return row === undefined ? [] : [[one, { attempt: toAttempt(row), isResumed: false }]];
    }),
  );
}

/** Inserts the rows of new attempts in one statement. */
const insert = (tx: Tx, tenantId: string, wanted: readonly (NewAttempt & Ordinals)[]) =>
  tx
    .insertInto('attempts')
    .columns([
      ...(['tenant_id', 'job_id', 'kind', 'psa_id', 'mode', 'force', 'revises', 'trigger', 'log_level'] as const),
      ...(['generation', 'revision', 'started_at', 'state', 'transcript', 'warnings', 'body'] as const),
    ])
    .expression(
      sql`
        select ${tenantId}::uuid, n.*, 'planning', '[]', '[]', '{}'
          from unnest(
            ${wanted.map(({ jobId }) => jobId)}::uuid[], ${wanted.map(({ kind }) => kind)}::text[],
            ${wanted.map(({ psaId }) => psaId)}::bigint[], ${wanted.map(({ mode }) => mode)}::text[],
            ${wanted.map(({ force }) => force)}::boolean[],
            ${wanted.map(({ revises = false }) => revises)}::boolean[],
            ${wanted.map(({ trigger }) => trigger)}::text[], ${wanted.map(({ logLevel }) => logLevel)}::text[],
            ${wanted.map(({ generation }) => generation)}::integer[],
            ${wanted.map(({ revision }) => revision)}::integer[],
            ${wanted.map(({ startedAt }) => startedAt)}::timestamptz[]
          ) as n
      `,
    );

/**
 * Resumes an attempt of a dead worker for the job that requests it. Two things change. If nothing was sent yet, the
 * options of the new job apply (force, trigger, level). If a command was sent without an answer, it may have arrived,
 * so the attempt becomes `unsure` from now: the dead worker may have kept trying until it lost the tenant. The flow
 * decides how long to wait.
 */
async function resume(
  tx: Tx,
  tenantId: string,
  left: Row,
  wanted: NewAttempt,
  ordinals: Ordinals | undefined,
): Promise<Row> {
  const change =
    left.state === 'planning'
      ? {
          force: wanted.force,
          revises: wanted.revises ?? false,
          trigger: wanted.trigger,
          log_level: wanted.logLevel,
          ...ordinals,
        }
      : isCutShort(toAttempt(left))
        ? { state: 'unsure' as const, sent_at: wanted.startedAt, not_before: wanted.startedAt }
        : {};
  return tx
    .updateTable('attempts')
    .set({ job_id: wanted.jobId ?? left.job_id, ...change })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', left.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Returns true if a command was sent and neither its answer nor the doubt about it was saved. */
const isCutShort = (attempt: Attempt): boolean =>
  attempt.state === 'posting' && attempt.sentAt !== null && attempt.posted.length < attempt.plan.commands.length;

/** Compare and set: each row must still match `from`. */
async function moveRows(tx: Tx, tenantId: string, moves: readonly Move[]): Promise<void> {
  for (const { from, to } of moves) assert(from.id === to.id && !hasEnded(from), 'only an unfinished attempt moves');
  const rows = moves.map(({ from, to }) => ({
    from,
    to,
    before: progressOf(from),
    after: progressOf(to),
    keepsPlan: 'plan' in to && savedPlan(to.plan).of === to.id,
  }));
  const { numAffectedRows } = await sql`
    update attempts as a
       set state = m.state, sent_at = m.sent_at, answered = m.answered, not_before = m.not_before,
           transcript = m.transcript::json, warnings = m.warnings::json, body = m.body::json,
           plan = case when m.keeps_plan then a.plan else m.plan::json end
      from unnest(
        ${rows.map(({ from }) => from.id)}::uuid[], ${rows.map(({ from }) => from.state)}::text[],
        ${rows.map(({ before }) => before.answered)}::integer[], ${rows.map(({ before }) => before.sentAt)}::timestamptz[],
        ${rows.map(({ to }) => to.state)}::text[], ${rows.map(({ after }) => after.sentAt)}::timestamptz[],
        ${rows.map(({ after }) => after.answered)}::integer[], ${rows.map(({ to }) => to.notBefore)}::timestamptz[],
        ${
          // The transcript of an ended attempt is stored in the log.
          jsonArray(rows.map(({ to }) => (hasEnded(to) ? [] : to.transcript)))
        },
        ${jsonArray(rows.map(({ to }) => to.warnings))},
        ${jsonArray(rows.map(({ to }) => (hasEnded(to) ? {} : bodyOf(to))))},
        ${jsonArray(rows.map(({ to, keepsPlan }) => (keepsPlan || !('plan' in to) ? undefined : to.plan)))},
        ${rows.map(({ keepsPlan }) => keepsPlan)}::boolean[]
      ) as m(id, was, had_answered, had_sent_at, state, sent_at, answered, not_before, transcript, warnings, body,
             plan, keeps_plan)
     where a.tenant_id = ${tenantId} and a.id = m.id and a.state = m.was and a.answered = m.had_answered
       and a.sent_at is not distinct from m.had_sent_at
  `.execute(tx);
  if (numAffectedRows !== BigInt(moves.length)) throw new LeaseLost(tenantId);
}

/** Values that change with every send and every answer; they show whether a row has moved. */
const progressOf = (attempt: Attempt): { readonly sentAt: Instant | null; readonly answered: number } =>
  'plan' in attempt ? { sentAt: attempt.sentAt, answered: attempt.posted.length } : { sentAt: null, answered: 0 };

type AppliedMove = Move & { readonly effects: AdvanceEffects };

/** Saves the effects of the steps, with one statement per kind of effect. */
async function apply(tx: Tx, { tenantId, clock }: Scope, moves: readonly AppliedMove[]): Promise<void> {
  const now = clock.now();
  const ledgerNumbers = await moveLedger(tx, tenantId, moves, now);
  for (const { effects } of moves)
    if (effects.mappings !== undefined && effects.mappings.length > 0)
      await upsertMappings(tx, tenantId, effects.mappings);
  await addMappings(
    tx,
    tenantId,
    moves.flatMap(({ effects }) => effects.matches ?? []),
  );
  const live = moves.filter(({ to }) => to.mode === 'live');
  await saveSuppressions(
    tx,
    tenantId,
    live.flatMap(({ to: { kind, psaId }, effects: { suppression } }) =>
      suppression === undefined ? [] : [{ kind, psaId, reason: suppression }],
    ),
    now,
  );
  for (const [kind, ofKind] of Map.groupBy(moves, ({ to }) => to.kind)) {
    const newest = ofKind.findLast(({ effects }) => effects.synced !== undefined)?.effects.synced;
    if (newest !== undefined) await markSynced(tx, tenantId, kind, newest);
    const done = ofKind.filter(({ to }) => to.state === 'done' && to.mode === 'live');
    if (done.length > 0) await clearOnSuccess(tx, tenantId, kind, psaIdsOf(done.map(({ to }) => to)));
  }
  for (const { effects } of live)
    if (effects.payment !== undefined) await savePaymentState(tx, tenantId, effects.payment);
  await moveDrafts(tx, tenantId, moves);
  await recordJobResults(tx, tenantId, moves, await writeLog(tx, tenantId, moves, ledgerNumbers));
}

/** @returns keys of the log rows, by attempt id. */
async function writeLog(
  tx: Tx,
  tenantId: string,
  moves: readonly AppliedMove[],
  ledgerNumbers: ReadonlyMap<string, string | null>,
): Promise<ReadonlyMap<string, string>> {
  const rows = moves.flatMap(({ from, to, effects: { log } }): (NewLogRow & { readonly id: string })[] => {
    if (!hasEnded(to) || log === undefined) return [];
    const answered = 'plan' in from ? (from.posted.at(-1)?.number ?? null) : null;
    return [{ id: to.id, attempt: to, entry: log, number: ledgerNumbers.get(to.id) ?? answered }];
  });
  const keys = await insertLogs(tx, tenantId, rows);
  return new Map(rows.flatMap(({ id }, index) => (keys[index] === undefined ? [] : [[id, keys[index]]])));
}

/** Records the results in the jobs of the attempts, and in other jobs that wait for the same documents. */
async function recordJobResults(
  tx: Tx,
  tenantId: string,
  moves: readonly AppliedMove[],
  logKeys: ReadonlyMap<string, string>,
): Promise<void> {
  const results = moves.flatMap(({ to, effects: { result } }) =>
    result === undefined ? [] : [{ to, result: { ...result, logKey: result.logKey ?? logKeys.get(to.id) ?? null } }],
  );
  const byJob = new Map<string, JobResult[]>();
  const add = (jobId: string, result: JobResult): void => {
    byJob.set(jobId, [...(byJob.get(jobId) ?? []), result]);
  };
  for (const { to, result } of results) if (to.jobId !== null) add(to.jobId, result);
  const ended = results.filter(({ to }) => hasEnded(to) && to.mode === 'live');
  for (const [kind, ofKind] of Map.groupBy(ended, ({ to }) => to.kind)) {
    const byDocument = new Map(ofKind.map((one) => [one.to.psaId, one]));
    for (const { jobId, psaId } of await jobsWaitingFor(tx, tenantId, kind, [...byDocument.keys()])) {
      const one = byDocument.get(psaId);
      if (one !== undefined && one.to.jobId !== jobId) add(jobId, one.result);
    }
  }
  // The fixed order prevents deadlocks between two transactions.
  for (const [jobId, all] of [...byJob].sort(([a], [b]) => (a < b ? -1 : 1)))
    await recordResults(tx, tenantId, jobId, all);
}

/** Fields with a dedicated column; all other fields of an attempt belong to its state and are stored in the body. */
const columns: ReadonlySet<string> = new Set([
  ...Object.keys({
    id: true,
    jobId: true,
    kind: true,
    psaId: true,
    mode: true,
    force: true,
    revises: true,
    trigger: true,
    logLevel: true,
    generation: true,
    revision: true,
    startedAt: true,
    transcript: true,
    warnings: true,
    notBefore: true,
  } satisfies Record<Exclude<keyof AttemptBase, 'about'>, true>),
  'state',
  'sentAt',
  'plan',
]);

const bodyOf = (attempt: Attempt): object =>
  Object.fromEntries(Object.entries(attempt).filter(([key]) => !columns.has(key)));

function toAttempt(row: Row): Attempt {
  const base: AttemptBase = {
    id: row.id,
    jobId: row.job_id,
    kind: row.kind,
    psaId: row.psa_id,
    mode: row.mode,
    force: row.force,
    ...(row.revises && { revises: true }),
    trigger: row.trigger,
    logLevel: row.log_level,
    generation: row.generation,
    revision: row.revision,
    startedAt: row.started_at,
    transcript: row.transcript,
    warnings: row.warnings,
    notBefore: row.not_before,
  };
  const isUnderWay = row.state === 'posting' || row.state === 'unsure' || row.state === 'posted';
  // bodyOf wrote the body for this state; bodies written by earlier versions also contain the plan.
  const attempt = {
    ...base,
    state: row.state,
    ...(isUnderWay && { plan: row.plan }),
    ...row.body,
    ...(isUnderWay ? { sentAt: row.sent_at } : {}),
  } as Attempt;
  if (row.plan !== null && 'plan' in attempt && attempt.plan === row.plan) savedPlan(row.plan).of = row.id;
  return attempt;
}
