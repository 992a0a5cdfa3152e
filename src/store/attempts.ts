import { sql, type Selectable, type SqlBool } from 'kysely';
import { hasEnded, type Attempt, type AttemptBase } from '#core/attempt.ts';
import type { AdvanceEffects, AttemptStore, Move, NewAttempt } from '#core/ports/attempts.ts';
import { LeaseLost } from '#core/ports/leases.ts';
import { assert } from '#core/values/assert.ts';
import type { Instant } from '#core/values/dates.ts';
import type { Tx } from './database.ts';
import { moveDraft } from './draft-moves.ts';
import { jobsWaitingFor, recordResult } from './jobs.ts';
import { proveLease } from './leases.ts';
import { insertLog } from './log.ts';
import { addMappings, upsertMappings } from './mappings.ts';
import { savePaymentState } from './payment-states.ts';
import { moveLedger, nextOrdinals } from './postings.ts';
import { clearOnSuccess } from './suppressions.ts';
import type { Scope } from './scope.ts';
import { markSynced } from './sync-states.ts';
import { clean, toJson, type Tables } from './tables.ts';

export const attempts = (scope: Scope): AttemptStore => {
  const { tenantId, inTransaction } = scope;
  return {
    openAttempt: (lease, wanted) =>
      inTransaction(async (tx) => {
        await proveLease(tx, tenantId, lease);
        return open(tx, tenantId, wanted);
      }),

    openAttempts: (lease, wanted) =>
      inTransaction(async (tx) => {
        await proveLease(tx, tenantId, lease);
        const opened: Opened[] = [];
        for (const one of wanted) opened.push(await open(tx, tenantId, one));
        return opened;
      }),

    withdrawAttempts: async (lease, ids) => {
      if (ids.length === 0) return;
      await inTransaction(async (tx) => {
        await proveLease(tx, tenantId, lease);
        await tx
          .deleteFrom('attempts')
          .where('tenant_id', '=', tenantId)
          .where('id', 'in', ids)
          .where('state', '=', 'planning')
          .execute();
      });
    },

    advance: (lease, from, to, effects) =>
      inTransaction(async (tx) => {
        await proveLease(tx, tenantId, lease);
        return advance(tx, scope, { from, to, effects });
      }),

    advanceAll: (lease, moves) =>
      inTransaction(async (tx) => {
        await proveLease(tx, tenantId, lease);
        const moved: Attempt[] = [];
        for (const one of moves) moved.push(await advance(tx, scope, one));
        return moved;
      }),

    listUnfinished: (now) =>
      inTransaction(async (tx) => {
        const rows = await unfinished(tx, tenantId)
          .where((where) => where.or([where('not_before', 'is', null), where('not_before', '<=', now)]))
          .orderBy('seq')
          .execute();
        return rows.map(toAttempt);
      }),

    listBusy: (kind) =>
      inTransaction(async (tx) => {
        const rows = await unfinished(tx, tenantId).where('kind', '=', kind).orderBy('psa_id').execute();
        return rows.map((row) => row.psa_id);
      }),

    listSuppressions: async (kind, psaIds) =>
      psaIds.length === 0
        ? new Map()
        : inTransaction(async (tx) => {
            const rows = await tx
              .selectFrom('suppressions')
              .select(['psa_id', 'reason'])
              .where('tenant_id', '=', tenantId)
              .where('kind', '=', kind)
              .where('psa_id', 'in', psaIds)
              .orderBy('psa_id')
              .execute();
            return new Map(rows.map((row) => [row.psa_id, row.reason]));
          }),

    countPostponed: (kind, psaId) =>
      inTransaction(async (tx) => {
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
      }),
  };
};

type Row = Selectable<Tables['attempts']>;

const unfinished = (tx: Tx, tenantId: string) =>
  tx
    .selectFrom('attempts')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('mode', '=', 'live')
    .where('is_ended', '=', false);

async function advance(tx: Tx, scope: Scope, { from, to, effects = {} }: Move): Promise<Attempt> {
  await move(tx, scope.tenantId, from, to);
  await apply(tx, scope, from, to, effects);
  return to;
}

type Opened = { readonly attempt: Attempt; readonly isResumed: boolean };

const open = (tx: Tx, tenantId: string, wanted: NewAttempt): Promise<Opened> =>
  wanted.mode === 'test' ? openTest(tx, tenantId, wanted) : openLive(tx, tenantId, wanted);

/** A test leaves nothing behind that could be taken up: what a dead worker left of one is dropped. */
async function openTest(tx: Tx, tenantId: string, wanted: NewAttempt): Promise<Opened> {
  await tx
    .deleteFrom('attempts')
    .where('tenant_id', '=', tenantId)
    .where('kind', '=', wanted.kind)
    .where('psa_id', '=', wanted.psaId)
    .where('mode', '=', 'test')
    .where('is_ended', '=', false)
    .execute();
  const row = await insert(tx, tenantId, wanted).returningAll().executeTakeFirstOrThrow();
  return { attempt: toAttempt(row), isResumed: false };
}

async function openLive(tx: Tx, tenantId: string, wanted: NewAttempt): Promise<Opened> {
  for (;;) {
    const left = await unfinished(tx, tenantId)
      .where('kind', '=', wanted.kind)
      .where('psa_id', '=', wanted.psaId)
      .forUpdate()
      .executeTakeFirst();
    if (left !== undefined) return { attempt: toAttempt(await takeUp(tx, tenantId, left, wanted)), isResumed: true };
    const { generation, revision } = await nextOrdinals(tx, tenantId, wanted);
    const row = await insert(tx, tenantId, wanted, generation, revision)
      .onConflict((conflict) =>
        conflict
          .columns(['tenant_id', 'kind', 'psa_id'])
          // Written out, because the partial index is found only by its literal condition.
          .where(sql<SqlBool>`not is_ended and mode = 'live'`)
          .doNothing(),
      )
      .returningAll()
      .executeTakeFirst();
    if (row !== undefined) return { attempt: toAttempt(row), isResumed: false };
  }
}

function insert(tx: Tx, tenantId: string, wanted: NewAttempt, generation = 1, revision = 0) {
  return tx.insertInto('attempts').values({
    tenant_id: tenantId,
    job_id: wanted.jobId,
    kind: wanted.kind,
    psa_id: wanted.psaId,
    mode: wanted.mode,
    force: wanted.force,
    revises: wanted.revises ?? false,
    trigger: wanted.trigger,
    log_level: wanted.logLevel,
    state: 'planning',
    generation,
    revision,
    started_at: wanted.startedAt,
    transcript: '[]',
    warnings: '[]',
    body: '{}',
  });
}

/**
 * What a dead worker left goes on as it is, for the job that takes it up. Two things change: while nothing was sent,
 * the wishes of whoever takes it up count (force, trigger, level); and a command that was sent without an answer may
 * have arrived, so the attempt is `unsure` from now on: until it lost the tenant, the dead worker may have gone on trying.
 * The flow decides how long to wait.
 */
async function takeUp(tx: Tx, tenantId: string, left: Row, wanted: NewAttempt): Promise<Row> {
  const change =
    left.state === 'planning'
      ? {
          force: wanted.force,
          revises: wanted.revises ?? false,
          trigger: wanted.trigger,
          log_level: wanted.logLevel,
          ...(await nextOrdinals(tx, tenantId, wanted)),
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

/** A command was sent, and neither its answer nor the doubt about it was saved. */
const isCutShort = (attempt: Attempt): boolean =>
  attempt.state === 'posting' && attempt.sentAt !== null && attempt.posted.length < attempt.plan.commands.length;

/** Compare and set: the row must still stand where `from` says. */
async function move(tx: Tx, tenantId: string, from: Attempt, to: Attempt): Promise<void> {
  assert(from.id === to.id && !hasEnded(from), 'only an unfinished attempt moves');
  const stood = standing(from);
  const { numUpdatedRows } = await tx
    .updateTable('attempts')
    .set({
      state: to.state,
      sent_at: standing(to).sentAt,
      answered: standing(to).answered,
      not_before: to.notBefore,
      // The story of an ended attempt stands in the log.
      transcript: hasEnded(to) ? '[]' : toJson(to.transcript),
      warnings: toJson(to.warnings),
      body: hasEnded(to) ? '{}' : toJson(bodyOf(to)),
    })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', from.id)
    .where('state', '=', from.state)
    .where('answered', '=', stood.answered)
    .where('sent_at', stood.sentAt === null ? 'is' : '=', stood.sentAt)
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) throw new LeaseLost(tenantId);
}

/** What tells whether a row has moved: each send and each answer changes one of them. */
const standing = (attempt: Attempt): { readonly sentAt: Instant | null; readonly answered: number } =>
  'plan' in attempt ? { sentAt: attempt.sentAt, answered: attempt.posted.length } : { sentAt: null, answered: 0 };

async function apply(tx: Tx, scope: Scope, from: Attempt, to: Attempt, effects: AdvanceEffects): Promise<void> {
  const { tenantId, clock } = scope;
  const now = clock.now();
  const ledgerNumber = await moveLedger(tx, tenantId, to, effects, now);
  if (effects.mappings !== undefined && effects.mappings.length > 0)
    await upsertMappings(tx, tenantId, effects.mappings);
  if (effects.matches !== undefined) await addMappings(tx, tenantId, effects.matches);
  if (effects.synced !== undefined) await markSynced(tx, tenantId, to.kind, effects.synced);
  if (effects.remembers !== undefined && to.mode === 'live') {
    const values = { at: now, reason: clean(effects.remembers) };
    await tx
      .insertInto('suppressions')
      .values({ tenant_id: tenantId, kind: to.kind, psa_id: to.psaId, ...values })
      .onConflict((conflict) => conflict.columns(['tenant_id', 'kind', 'psa_id']).doUpdateSet(values))
      .execute();
  }
  if (to.state === 'done' && to.mode === 'live') await clearOnSuccess(tx, tenantId, to.kind, to.psaId);
  if (effects.payment !== undefined && to.mode === 'live') await savePaymentState(tx, tenantId, effects.payment);
  await moveDraft(tx, tenantId, to, effects);
  let logKey: string | null = null;
  if (hasEnded(to) && effects.log !== undefined) {
    const number = ledgerNumber ?? ('plan' in from ? (from.posted.at(-1)?.number ?? null) : null);
    logKey = await insertLog(tx, tenantId, to, effects.log, number);
  }
  const { result } = effects;
  if (result === undefined) return;
  const told = { ...result, logKey: result.logKey ?? logKey };
  const waiting = hasEnded(to) && to.mode === 'live' ? await jobsWaitingFor(tx, tenantId, to.kind, to.psaId) : [];
  const jobIds = new Set([...(to.jobId === null ? [] : [to.jobId]), ...waiting]);
  // Always in the same order, so that two transactions never wait for each other.
  for (const jobId of [...jobIds].sort()) await recordResult(tx, tenantId, jobId, told);
}

/** What has a column of its own; everything else of an attempt belongs to its state and stands in the body. */
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
  // The body was written by bodyOf for this very state.
  return { ...base, state: row.state, ...row.body, ...(isUnderWay ? { sentAt: row.sent_at } : {}) } as Attempt;
}
