import { sql, type Selectable, type SqlBool } from 'kysely';
import { isProgram, maxProgramJobs } from '#core/api-key.ts';
import type { Kind } from '#core/kinds.ts';
import { maxCause, noticeRoles, type Notice } from '#core/notices.ts';
import { wakeChannel } from '#core/ports/announcements.ts';
import type { Job, JobResult, NewestOutcome, NewJob, Run, RunFilter, RunPage } from '#core/records/jobs.ts';
import { type Lease, LeaseLost } from '#core/records/leases.ts';
import { tooManyJobs } from '#core/refusal.ts';
import { assert } from '#core/values/assert.ts';
import type { Instant } from '#core/values/dates.ts';
import type { Decimal } from '#core/values/decimal.ts';
import { truncate } from '#core/values/text.ts';
import type { Tx } from './database.ts';
import { withdrawApprovals } from './draft-moves.ts';
import { assertLease } from './leases.ts';
import { offsetOf } from './log.ts';
import { insertNotices } from './notices.ts';
import type { TenantWork } from './scope.ts';
import { clean, cleanOrNull, isId, toJson, type Tables } from './tables.ts';

/** Maximum number of recent jobs that are searched for the newest one of each kind. */
const newestJobs = 200;

/** Jobs that users or the schedule started. */
export const jobs = {
  /**
   * Saves a job and wakes a worker, in one transaction.
   *
   * @throws Refusal `rate_limited` when too many jobs of a program wait.
   */
  addJob: async ({ tx, tenantId }: TenantWork, wanted: NewJob): Promise<Job> => {
    await limitPrograms(tx, tenantId, wanted);
    const row = await insertOrFind(tx, tenantId, wanted);
    await sql`select pg_notify(${wakeChannel}, ${tenantId})`.execute(tx);
    return toJob(row, await resultsOf(tx, tenantId, row.id));
  },

  readJob: async ({ tx, tenantId }: TenantWork, id: string): Promise<Job | null> => {
    if (!isId(id)) return null;
    const row = await oneJob(tx, tenantId, id).executeTakeFirst();
    return row === undefined ? null : toJob(row, await resultsOf(tx, tenantId, id));
  },

  // A list shows counters only; the results, possibly thousands, are read with the single job.
  listJobs: async ({ tx, tenantId }: TenantWork, limit: number): Promise<readonly Job[]> => {
    const rows = await tx
      .selectFrom('jobs')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .orderBy('seq', 'desc')
      .limit(limit)
      .execute();
    return rows.map((row) => toJob(row, []));
  },

  /** Lists the newest result of each of the documents in recent jobs. Documents without one are left out. */
  listNewestOutcomes: async (
    { tx, tenantId }: TenantWork,
    kind: Kind,
    psaIds: readonly number[],
  ): Promise<readonly NewestOutcome[]> => {
    const { rows } = await sql<NewestOutcome>`
      select distinct on (r.psa_id) r.psa_id as "psaId", r.outcome, j.mode
        from (
          select id, kind, mode, seq from jobs where tenant_id = ${tenantId}::uuid order by seq desc limit ${newestJobs}
        ) as j
        join job_results as r on r.tenant_id = ${tenantId}::uuid and r.job_id = j.id
       where j.kind = ${kind} and r.psa_id = any(${psaIds}::bigint[]) and r.outcome <> 'pending'
       order by r.psa_id, j.seq desc
    `.execute(tx);
    return rows;
  },

  /** Returns a page of the jobs, newest first, without results, with the money of their synced documents. */
  listRuns: ({ tx, tenantId }: TenantWork, filter: RunFilter): Promise<RunPage> => selectRuns(tx, tenantId, filter),

  /** Lists the newest job of each kind, without results. Kinds without a recent job are left out. */
  listNewestJobs: async ({ tx, tenantId }: TenantWork): Promise<readonly Job[]> => {
    const rows = await tx
      .selectFrom('jobs')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('id', 'in', (of) =>
        of
          .selectFrom((from) =>
            from
              .selectFrom('jobs')
              .select(['id', 'kind', 'seq'])
              .where('tenant_id', '=', tenantId)
              .orderBy('seq', 'desc')
              .limit(newestJobs)
              .as('newest'),
          )
          .select('id')
          .distinctOn('kind')
          .orderBy('kind')
          .orderBy('seq', 'desc'),
      )
      .execute();
    return rows.map((row) => toJob(row, []));
  },

  /** Saves a run that stopped before its first document, as a failed job. */
  addStoppedJob: async (
    { tx, tenantId }: TenantWork,
    lease: Lease,
    wanted: NewJob,
    { code, message }: { readonly code: string; readonly message: string },
  ): Promise<void> => {
    await assertLease(tx, tenantId, lease);
    const { createdAt: at } = wanted;
    await tx
      .insertInto('jobs')
      .values({
        ...columnsOf(tenantId, wanted),
        status: 'failed',
        message: clean(message),
        stop_code: code,
        started_at: at,
        finished_at: at,
      })
      .execute();
  },

  /**
   * Takes the queued or interrupted job that has waited longest and marks it as running; users' jobs come before the
   * schedule's. Null when there is none.
   */
  takeJob: async ({ tx, tenantId }: TenantWork, lease: Lease, now: Instant): Promise<Job | null> => {
    await assertLease(tx, tenantId, lease);
    const next = await takeable(tx, tenantId, lease)
      // Jobs requested by a user go first, because the user waits for them.
      .orderBy(sql`trigger <> 'manual'`)
      .orderBy(sql`coalesce(waits_since, created_at)`)
      .orderBy('seq')
      .limit(1)
      .forUpdate()
      .executeTakeFirst();
    if (next === undefined) return null;
    const row = await changeJob(tx, tenantId, next.id)
      .set({ status: 'running', fence: lease.fence, started_at: sql`coalesce(started_at, ${now})` })
      .returningAll()
      .executeTakeFirstOrThrow();
    return toJob(row, await resultsOf(tx, tenantId, row.id));
  },

  /**
   * Returns true if another job waits that this running job should give way to. The schedule's jobs never go before a
   * user's.
   *
   * @param isOrdered the job's documents are created in order: only a job of another kind may run in between.
   */
  isAnotherWaiting: async (
    { tx, tenantId }: TenantWork,
    lease: Lease,
    { id, kind, trigger }: Pick<Job, 'id' | 'kind' | 'trigger'>,
    isOrdered: boolean,
  ): Promise<boolean> => {
    const others = takeable(tx, tenantId, lease).where('id', '!=', id);
    const ofUsers = trigger === 'manual' ? others.where('trigger', '=', 'manual') : others;
    const next = await (isOrdered ? ofUsers.where('kind', '!=', kind) : ofUsers).limit(1).executeTakeFirst();
    return next !== undefined;
  },

  /** Lets the other waiting jobs go before a running job. It is taken again after them, and keeps its results. */
  giveWay: async (
    { tx, tenantId }: TenantWork,
    lease: Lease,
    id: string,
    isOrdered: boolean,
    now: Instant,
  ): Promise<void> => {
    await assertLease(tx, tenantId, lease);
    // With an older fence, the job can be taken again like one whose worker is gone.
    await changeJob(tx, tenantId, id)
      .set({ waits_since: now, keeps_order: isOrdered, fence: sql`fence - 1` })
      .where('status', '=', 'running')
      .execute();
  },

  /** The id of the live job that posts the plans of this test; null if there is none. */
  findPostingOf: async ({ tx, tenantId }: TenantWork, id: string): Promise<string | null> => {
    const posted = tx.selectFrom('jobs').select('id').where('tenant_id', '=', tenantId).where('reviews', '=', id);
    return (await posted.executeTakeFirst())?.id ?? null;
  },

  saveJobTotal: async ({ tx, tenantId }: TenantWork, lease: Lease, id: string, total: number): Promise<void> => {
    await assertLease(tx, tenantId, lease);
    await changeJob(tx, tenantId, id).set({ total }).execute();
  },

  finishJob: async (
    { tx, tenantId }: TenantWork,
    lease: Lease,
    id: string,
    {
      status,
      message,
      stopCode,
    }: {
      readonly status: 'finished' | 'failed' | 'cancelled';
      readonly message: string | null;
      /** Code of the problem that stopped the whole job. Undefined if there is none. */
      readonly stopCode?: string;
    },
    now: Instant,
  ): Promise<void> => {
    await assertLease(tx, tenantId, lease);
    const row = await changeJob(tx, tenantId, id)
      .set({ status, message: cleanOrNull(message), stop_code: stopCode ?? null, finished_at: now })
      .where('status', '=', 'running')
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) throw new LeaseLost(tenantId);
    await withdrawApprovals(tx, tenantId, id, message);
    await notifyStarter(tx, tenantId, row, now);
  },

  /**
   * Records how a document of the job ended when no attempt of the job records it; replaces an earlier result of the
   * document.
   */
  saveJobResult: async ({ tx, tenantId }: TenantWork, lease: Lease, id: string, result: JobResult): Promise<void> => {
    await assertLease(tx, tenantId, lease);
    await recordResults(tx, tenantId, id, [result]);
  },

  /** Requests that a job stops before the next document; returns the job, or null when it does not exist. */
  cancelJob: async ({ tx, tenantId }: TenantWork, id: string, now: Instant): Promise<Job | null> => {
    if (!isId(id)) return null;
    const found = await oneJob(tx, tenantId, id).forUpdate().executeTakeFirst();
    if (found === undefined) return null;
    if (found.status === 'queued') {
      await changeJob(tx, tenantId, id)
        .set({ status: 'cancelled', cancel_requested_at: now, finished_at: now })
        .execute();
      await withdrawApprovals(tx, tenantId, id, null);
    } else if (found.status === 'running' && found.cancel_requested_at === null)
      await changeJob(tx, tenantId, id).set({ cancel_requested_at: now }).execute();
    return toJob(await oneJob(tx, tenantId, id).executeTakeFirstOrThrow(), await resultsOf(tx, tenantId, id));
  },

  isCancelRequested: async ({ tx, tenantId }: TenantWork, id: string): Promise<boolean> => {
    const row = await oneJob(tx, tenantId, id).executeTakeFirst();
    return row !== undefined && row.cancel_requested_at !== null;
  },
};

const oneJob = (tx: Tx, tenantId: string, id: string) =>
  tx.selectFrom('jobs').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id);

const changeJob = (tx: Tx, tenantId: string, id: string) =>
  tx.updateTable('jobs').where('tenant_id', '=', tenantId).where('id', '=', id);

/** Notifies the user who started a live run that failed, or in which documents failed. */
async function notifyStarter(tx: Tx, tenantId: string, row: Row, at: Instant): Promise<void> {
  const { id, kind, mode, trigger, status, failed, submitted_by: by, message } = row;
  if (trigger !== 'manual' || mode !== 'live' || by === null || (failed === 0 && status !== 'failed')) return;
  const [sums, cause] =
    failed === 0 ? [[], message ?? ''] : [await sumsOf(tx, tenantId, [id], 'failed'), await causeOf(tx, tenantId, id)];
  const notice: Notice = {
    kind: 'run_failed',
    runId: id,
    documents: kind,
    count: failed,
    sums: sums.map(({ currency, amount }) => ({ currency, amount })),
    cause: truncate(cause, maxCause, '…'),
  };
  await insertNotices(tx, tenantId, [
    { notice, at, roles: noticeRoles(notice.kind), only: [by.masquerader ?? by.username] },
  ]);
}

/** Returns the most frequent message of the failed documents of a job. */
async function causeOf(tx: Tx, tenantId: string, jobId: string): Promise<string> {
  const { rows } = await sql<{ message: string }>`
    select message from job_results
     where tenant_id = ${tenantId} and job_id = ${jobId} and outcome = 'failed'
     group by message order by count(*) desc, message limit 1`.execute(tx);
  return rows[0]?.message ?? '';
}

/** Selects the jobs that a session may take: queued ones, and running ones whose worker is gone or that gave way. */
const takeable = (tx: Tx, tenantId: string, lease: Lease) =>
  tx
    .selectFrom('jobs')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where((where) =>
      where.or([
        where('status', '=', 'queued'),
        where.and([where('status', '=', 'running'), where('fence', '<', lease.fence)]),
      ]),
    )
    // Documents of one kind that are created in order are not mixed with those of another job.
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('jobs as ordered')
            .select('ordered.id')
            .where('ordered.tenant_id', '=', tenantId)
            .where('ordered.status', '=', 'running')
            .where('ordered.keeps_order', '=', true)
            .whereRef('ordered.kind', '=', 'jobs.kind')
            .whereRef('ordered.id', '!=', 'jobs.id'),
        ),
      ),
    );

type Row = Selectable<Tables['jobs']>;

/** Maximum number of runs counted. */
const countedUpTo = 10_000;

async function selectRuns(tx: Tx, tenantId: string, { kind, mode, outcome, ...page }: RunFilter): Promise<RunPage> {
  const failed = sql<SqlBool>`(jobs.failed > 0 or jobs.status = 'failed')`;
  const held = sql<SqlBool>`jobs.held > 0`;
  const all = tx
    .selectFrom('jobs')
    .where('tenant_id', '=', tenantId)
    .$if(kind !== undefined, (query) => query.where('kind', '=', kind ?? 'invoice'))
    .$if(mode !== undefined, (query) => query.where('mode', '=', mode ?? 'test'))
    .orderBy('seq', 'desc');
  const { limit, offset } = offsetOf(page);
  const rows = await all
    .selectAll()
    .$if(outcome !== undefined, (query) => query.where(outcome === 'failed' ? failed : held))
    .limit(limit)
    .offset(offset)
    .execute();
  const counts = await tx
    .selectFrom(all.select(['failed', 'held', 'status']).limit(countedUpTo).as('jobs'))
    .select((select) => [
      select.fn.countAll<number>().as('all'),
      select.fn.countAll<number>().filterWhere(failed).as('failed'),
      select.fn.countAll<number>().filterWhere(held).as('held'),
    ])
    .executeTakeFirstOrThrow();
  const sums = await sumsOf(
    tx,
    tenantId,
    rows.map(({ id }) => id),
  );
  return {
    counts,
    runs: rows.map((row) => ({
      ...toJob(row, []),
      sums: sums.flatMap(({ jobId, ...sum }) => (jobId === row.id ? [sum] : [])),
    })),
  };
}

const sumsOf = (
  tx: Tx,
  tenantId: string,
  jobIds: readonly string[],
  outcome: 'succeeded' | 'failed' = 'succeeded',
): Promise<({ readonly jobId: string } & Run['sums'][number])[]> =>
  tx
    .selectFrom('job_results')
    .innerJoin('logs', (join) =>
      join.onRef('logs.tenant_id', '=', 'job_results.tenant_id').onRef('logs.key', '=', 'job_results.log_key'),
    )
    .select(['job_results.job_id as jobId', 'logs.currency', sql<Decimal>`sum(logs.amount)`.as('amount')])
    .where('job_results.tenant_id', '=', tenantId)
    .where(sql<SqlBool>`job_results.job_id = any(${jobIds}::uuid[])`)
    .where('job_results.outcome', '=', outcome)
    .where('logs.amount', 'is not', null)
    .groupBy(['job_results.job_id', 'logs.currency'])
    .orderBy('logs.currency')
    .execute();

const columnsOf = (tenantId: string, wanted: NewJob) => ({
  tenant_id: tenantId,
  kind: wanted.kind,
  mode: wanted.mode,
  force: wanted.force,
  revises: wanted.revises ?? false,
  prefers: wanted.prefers === undefined ? null : toJson(wanted.prefers),
  trigger: wanted.trigger,
  log_level: wanted.logLevel,
  psa_ids: wanted.psaIds,
  submitted_by: wanted.submittedBy === null ? null : toJson(wanted.submittedBy),
  same_as: clean(wanted.sameAs),
  created_at: wanted.createdAt,
  approves: wanted.approves ?? false,
  reviews: wanted.reviews ?? null,
});

/**
 * Two users who click at the same time get the same job. The loop ends because an open twin job either still exists or
 * has ended.
 */
export async function insertOrFind(tx: Tx, tenantId: string, wanted: NewJob): Promise<Row> {
  for (;;) {
    const added = await tx
      .insertInto('jobs')
      .values({ ...columnsOf(tenantId, wanted), status: 'queued' })
      .onConflict((conflict) => conflict.columns(['tenant_id', 'same_as']).where(isOpen).doNothing())
      .returningAll()
      .executeTakeFirst();
    if (added !== undefined) return added;
    const twin = await tx
      .selectFrom('jobs')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('same_as', '=', clean(wanted.sameAs))
      .where(isOpen)
      .executeTakeFirst();
    if (twin !== undefined) return twin;
  }
}

/** Counts the open jobs of programs, one submission after the other. A job that is open already is not counted twice. */
async function limitPrograms(tx: Tx, tenantId: string, { submittedBy: by, sameAs }: NewJob): Promise<void> {
  if (by === null || !isProgram(by)) return;
  await sql`select pg_advisory_xact_lock(hashtextextended(${`jobs of programs ${tenantId}`}, 0))`.execute(tx);
  const open = await tx
    .selectFrom('jobs')
    .select(['submitted_by as by', 'same_as as sameAs'])
    .where('tenant_id', '=', tenantId)
    .where(isOpen)
    .execute();
  if (open.some((one) => one.sameAs === clean(sameAs))) return;
  const ofPrograms = open.filter((one) => one.by !== null && isProgram(one.by));
  const { ofKey, ofClient } = maxProgramJobs;
  if (ofPrograms.filter((one) => one.by?.username === by.username).length >= ofKey)
    throw tooManyJobs(ofKey, 'this API key');
  if (ofPrograms.length >= ofClient) throw tooManyJobs(ofClient, 'all API keys');
}

// A literal condition, because PostgreSQL uses the partial index only with this exact condition.
const isOpen = sql<SqlBool>`status in ('queued', 'running')`;

async function resultsOf(tx: Tx, tenantId: string, jobId: string): Promise<JobResult[]> {
  const rows = await tx
    .selectFrom('job_results')
    .leftJoin('logs', (join) =>
      join.onRef('logs.tenant_id', '=', 'job_results.tenant_id').onRef('logs.key', '=', 'job_results.log_key'),
    )
    .select([
      'job_results.psa_id as psaId',
      'job_results.outcome',
      'job_results.message',
      'job_results.log_key as logKey',
      'logs.what',
      'logs.number',
      'logs.party',
      'logs.dated as on',
      'logs.amount',
      'logs.currency',
      'logs.awaits_approval as awaitsApproval',
    ])
    .where('job_results.tenant_id', '=', tenantId)
    .where('job_results.job_id', '=', jobId)
    .orderBy('job_results.seq')
    .execute();
  return rows.map(({ psaId, outcome, message, logKey, awaitsApproval, ...head }) => ({
    psaId,
    outcome,
    message,
    logKey,
    ...(awaitsApproval === true && { awaitsApproval }),
    ...(head.what !== null && { head }),
  }));
}

export const toJob = (row: Row, results: readonly JobResult[]): Job => ({
  id: row.id,
  kind: row.kind,
  mode: row.mode,
  force: row.force,
  trigger: row.trigger,
  logLevel: row.log_level,
  psaIds: row.psa_ids,
  submittedBy: row.submitted_by,
  createdAt: row.created_at,
  sameAs: row.same_as,
  ...(row.approves && { approves: true }),
  ...(row.revises && { revises: true }),
  ...(row.prefers !== null && { prefers: row.prefers }),
  ...(row.reviews !== null && { reviews: row.reviews }),
  status: row.status,
  total: row.total,
  done: row.done,
  succeeded: row.succeeded,
  failed: row.failed,
  skipped: row.skipped,
  held: row.held,
  message: row.message,
  stopCode: row.stop_code,
  cancelRequestedAt: row.cancel_requested_at,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  results,
});

const counters = ['succeeded', 'failed', 'skipped', 'held'] as const;

/** Adds or replaces the results of documents, the last one of each; adjusts the job's counters by the difference. */
export async function recordResults(
  tx: Tx,
  tenantId: string,
  jobId: string,
  given: readonly JobResult[],
): Promise<void> {
  // Locking the job first keeps counters and results consistent when several documents end at once.
  const job = await tx
    .selectFrom('jobs')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', jobId)
    .forUpdate()
    .executeTakeFirst();
  assert(job !== undefined, 'a result belongs to a job of its tenant');
  const results = [...new Map(given.map((result) => [result.psaId, result])).values()];
  const named = counters.map((name) => sql`${sql.ref(name)} = j.${sql.ref(name)} + ${countedAs(name)}`);
  await sql`
    with given as (
      select * from unnest(
        ${results.map(({ psaId }) => psaId)}::bigint[], ${results.map(({ outcome }) => outcome)}::text[],
        ${results.map(({ message }) => clean(message))}::text[], ${results.map(({ logKey }) => logKey)}::text[]
      ) as g(psa_id, outcome, message, log_key)
    ), replaced as (
      select r.outcome from job_results r join given using (psa_id) where r.tenant_id = ${tenantId} and r.job_id = ${jobId}
    ), saved as (
      insert into job_results (tenant_id, job_id, psa_id, outcome, message, log_key)
      select ${tenantId}::uuid, ${jobId}::uuid, psa_id, outcome, message, log_key from given
      on conflict (tenant_id, job_id, psa_id) do update
         set outcome = excluded.outcome, message = excluded.message, log_key = excluded.log_key
    )
    update jobs j
       set done = j.done + (select count(*) from given) - (select count(*) from replaced), ${sql.join(named)}
     where j.tenant_id = ${tenantId} and j.id = ${jobId}
  `.execute(tx);
}

/** Returns the change of a counter: the new results minus the ones they replace. */
const countedAs = (name: (typeof counters)[number]) => sql`
  (select count(*) from given where outcome = ${name}) - (select count(*) from replaced where outcome = ${name})`;

/** Returns jobs of a kind that still show the documents as pending: the end of an attempt settles all of them. */
export async function jobsWaitingFor(
  tx: Tx,
  tenantId: string,
  kind: Kind,
  psaIds: readonly number[],
): Promise<readonly { readonly jobId: string; readonly psaId: number }[]> {
  return tx
    .selectFrom('job_results')
    .innerJoin('jobs', (join) =>
      join.onRef('jobs.tenant_id', '=', 'job_results.tenant_id').onRef('jobs.id', '=', 'job_results.job_id'),
    )
    .select(['job_results.job_id as jobId', 'job_results.psa_id as psaId'])
    .where('job_results.tenant_id', '=', tenantId)
    .where(sql<SqlBool>`job_results.psa_id = any(${psaIds}::bigint[])`)
    .where('job_results.outcome', '=', 'pending')
    .where((where) => where(sql<Kind>`jobs.kind`, '=', kind))
    .where('jobs.mode', '=', 'live')
    .execute();
}
