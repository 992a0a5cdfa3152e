import type { Attempt } from '#core/attempt.ts';
import type { Kind } from '#core/kinds.ts';
import type { AdvanceEffects } from '#core/records/attempts.ts';
import type {
  AdoptedPosting,
  EarlierBill,
  GoneDocument,
  LedgerMark,
  Posting,
  PostingStatus,
} from '#core/records/postings.ts';
import { formatTranscript } from '#core/transcript.ts';
import { assert, never } from '#core/values/assert.ts';
import type { Instant } from '#core/values/dates.ts';
import type { DriftKind } from '#core/reconciliation/drift.ts';
import type { Lease } from '#core/records/leases.ts';
import type { Service } from '#core/tenant.ts';
import { sql } from 'kysely';
import type { Tx } from './database.ts';
import { assertLease } from './leases.ts';
import { insertLogs, type NewLogRow } from './log.ts';
import { openGapIfLost, savePaymentState } from './sync-states.ts';
import type { TenantWork } from './scope.ts';
import { cleanOrNull, isId, jsonArray, toJson } from './tables.ts';
import { lockInbox } from './notifications.ts';

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
  'was_adopted as wasAdopted',
  'drift',
] as const;

/** The ledger of documents that we created in QuickBooks. */
export const postings = {
  /** Reads the newest posting of a document, in any status. */
  readPosting: async ({ tx, tenantId }: TenantWork, kind: Kind, psaId: number): Promise<Posting | null> =>
    currentOf((await postingsOf(tx, tenantId, kind, [psaId])).get(psaId) ?? []),

  // Ordered so that the current posting of each document comes last, the one that readPosting would return.
  listPostings: async (
    { tx, tenantId }: TenantWork,
    kind: Kind,
    psaIds: readonly number[],
  ): Promise<readonly Posting[]> => {
    if (psaIds.length === 0) return [];
    return tx
      .selectFrom('postings')
      .select(postingColumns)
      .where('tenant_id', '=', tenantId)
      .where('kind', '=', kind)
      .where('psa_id', 'in', psaIds)
      .orderBy('psa_id')
      .orderBy(wasMade)
      .orderBy('generation')
      .orderBy('revision')
      .execute();
  },

  /** Finds postings of a kind by the ids of their QuickBooks records. */
  findPostings: async (
    { tx, tenantId }: TenantWork,
    kind: Kind,
    targetIds: readonly string[],
  ): Promise<readonly Posting[]> => {
    if (targetIds.length === 0) return [];
    return tx
      .selectFrom('postings')
      .select(postingColumns)
      .where('tenant_id', '=', tenantId)
      .where('kind', '=', kind)
      .where('target_id', 'in', targetIds)
      .orderBy('psa_id')
      .orderBy('generation')
      .execute();
  },

  /**
   * Lists the bills of existing expense reports other than the last one, which is the posting itself: those of these
   * reports, or those with these QuickBooks ids.
   */
  listEarlierBills: async (
    { tx, tenantId }: TenantWork,
    {
      psaIds,
      ids,
    }:
      | { readonly psaIds: readonly number[]; readonly ids?: undefined }
      | { readonly ids: readonly string[]; readonly psaIds?: undefined },
  ): Promise<readonly EarlierBill[]> => {
    if ((psaIds ?? ids ?? []).length === 0) return [];
    const rows = await tx
      .selectFrom('postings')
      .select(['psa_id as psaId', 'earlier'])
      .where('tenant_id', '=', tenantId)
      .where('kind', '=', 'expense_report')
      .where('status', 'in', ['synced', 'unconfirmed'])
      .where(sql<boolean>`earlier <> '[]'::jsonb`)
      .$if(psaIds !== undefined, (all) => all.where('psa_id', 'in', psaIds ?? []))
      .orderBy('psa_id')
      .orderBy('generation')
      .execute();
    const found = rows.flatMap(({ psaId, earlier }) => earlier.map((one) => ({ psaId, ...one })));
    return ids === undefined ? found : found.filter(({ id }) => ids.includes(id));
  },

  /** Lists the PSA ids of documents of a kind that were posted since a time and exist in QuickBooks. */
  listPostedSince: async ({ tx, tenantId }: TenantWork, kind: Kind, since: Instant): Promise<readonly number[]> => {
    const rows = await tx
      .selectFrom('postings')
      .select('psa_id as psaId')
      .distinct()
      .where('tenant_id', '=', tenantId)
      .where('kind', '=', kind)
      .where('status', 'in', ['synced', 'unconfirmed'])
      .where('created_at', '>=', since)
      .orderBy('psa_id')
      .execute();
    return rows.map(({ psaId }) => psaId);
  },

  markPosting: async ({ tx, tenantId, clock }: TenantWork, id: string, status: PostingStatus): Promise<void> => {
    assert(isId(id), 'a posting has a UUID');

    const { numUpdatedRows } = await tx
      .updateTable('postings')
      .set({ status, ...(status === 'superseded' ? { superseded_at: clock.now() } : {}) })
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .executeTakeFirst();
    assert(numUpdatedRows === 1n, 'a posting that is marked exists');
  },

  /** Records later differences between the two sides of postings; an empty list when they agree again. */
  saveDrift: async (
    { tx, tenantId }: TenantWork,
    found: readonly { readonly id: string; readonly drift: readonly DriftKind[] }[],
  ): Promise<void> => {
    if (found.length === 0) return;
    for (const { id, drift } of found)
      await tx
        .updateTable('postings')
        .set({ drift: toJson(drift) })
        .where('tenant_id', '=', tenantId)
        .where('id', '=', id)
        .execute();
  },

  /**
   * Adds documents that we created in QuickBooks and that the ledger lacks, as the newest of their sources, each with a
   * log entry. Logs documents that neither QuickBooks nor the ledger has as gone. Records that this was done for a gap
   * in the records.
   *
   * @param gap null keeps the gap open.
   * @throws LeaseLost when another worker holds the tenant.
   */
  adoptPostings: async (
    { tx, tenantId }: TenantWork,
    lease: Lease,
    adopted: readonly AdoptedPosting[],
    gone: readonly GoneDocument[],
    gap: number | null,
  ): Promise<void> => {
    // This changes the same rows as a reading of the change feed, so the two wait for each other.
    await lockInbox(tx, tenantId);
    await assertLease(tx, tenantId, lease);
    for (const one of adopted) await adopt(tx, tenantId, one);
    await insertLogs(tx, tenantId, [...adopted.map(logOfAdopted), ...gone.map(logOfGone)]);
    // A payment received before the ledger knew its invoice was skipped.
    for (const { kind, psaId } of adopted)
      if (kind === 'invoice' || kind === 'difference') await savePaymentState(tx, tenantId, { psaId, isDue: true });
    if (adopted.length > 0) await openGapIfLost(tx, tenantId);
    if (gap === null) return;
    const values = { ledger_gaps_settled: gap };
    await tx.updateTable('tenants').set(values).where('id', '=', tenantId).execute();
    // QuickBooks messages since the backup referred to records that were lost: the next cycle reads the change feed.
    const due = { polled_at: null, before_gap_cursor: null, before_gap_polled_at: null };
    await tx.updateTable('cdc_states').set(due).where('tenant_id', '=', tenantId).execute();
  },

  /**
   * Marks the existing postings as gone after one of the services was connected to a different company. They do not
   * exist in this QuickBooks company, or do not belong to this PSA; the same applies to stored paid states and document
   * data. With a different PSA there are no sends left to search for. With a different QuickBooks company an
   * interrupted send keeps its request id, which is unused in the new company and valid again in the old one.
   */
  markPostingsGone: async ({ tx, tenantId }: TenantWork, service: Service): Promise<void> => {
    const made = ['synced', 'unconfirmed', 'voided'] as const;

    await tx
      .updateTable('postings')
      .set({ status: 'deleted_in_accounting', drift: '[]' })
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
  },
};

/**
 * Returns true if a newer document of a source leaves the older ones unchanged: each difference bills only what earlier
 * documents did not, and a later payment pays such a difference.
 */
const areIndependent = (kind: Kind): boolean => kind === 'difference' || kind === 'payment';

/** Adds a document as the newest of its source; it supersedes the previous one. */
async function adopt(tx: Tx, tenantId: string, { kind, psaId, type, id, ...made }: AdoptedPosting): Promise<void> {
  const { number, total, tax, at } = made;
  const { newest } = await tx
    .selectFrom('postings')
    .select(sql<number>`coalesce(max(generation), 0)`.as('newest'))
    .where('tenant_id', '=', tenantId)
    .where('kind', '=', kind)
    .where('psa_id', '=', psaId)
    .executeTakeFirstOrThrow();
  if (!areIndependent(kind))
    await tx
      .updateTable('postings')
      .set({ status: 'superseded', superseded_at: at })
      .where('tenant_id', '=', tenantId)
      .where('kind', '=', kind)
      .where('psa_id', '=', psaId)
      .where('status', 'in', ['synced', 'unconfirmed'])
      .execute();
  await tx
    .insertInto('postings')
    .values({
      tenant_id: tenantId,
      kind,
      psa_id: psaId,
      generation: newest + 1,
      revision: 0,
      status: 'synced',
      created_at: at,
      was_adopted: true,
      // These records sent nothing, and the original request is unknown.
      request_id: `adopted ${type} ${id}`,
      body: '{}',
      psa_total: null,
      target_type: type,
      target_id: id,
      number: cleanOrNull(number),
      total,
      tax,
    })
    .execute();
}

const logOfAdopted = ({ kind, psaId, at, about, message, number }: AdoptedPosting): NewLogRow => ({
  attempt: {
    kind,
    psaId,
    mode: 'live',
    trigger: 'automatic',
    success: true,
    message,
    problems: [],
    document: null,
    about,
  },
  entry: { at, transcript: formatTranscript([], 'info', { at, outcome: 'OK', text: message }) },
  number,
});

const logOfGone = ({ kind, psaId, at, about, problem, number }: GoneDocument): NewLogRow => ({
  attempt: {
    kind,
    psaId,
    mode: 'live',
    trigger: 'automatic',
    success: false,
    message: problem.message,
    problems: [problem],
    document: null,
    about,
  },
  entry: { at, transcript: formatTranscript([], 'info', { at, outcome: 'FAILED', text: problem.message }) },
  number,
});

const wasMade = sql<boolean>`status <> 'refused'`;

/** Returns the postings of these documents, oldest first. */
async function postingsOf(
  tx: Tx,
  tenantId: string,
  kind: Kind,
  psaIds: readonly number[],
): Promise<ReadonlyMap<number, readonly Posting[]>> {
  const rows = await tx
    .selectFrom('postings')
    .select(postingColumns)
    .where('tenant_id', '=', tenantId)
    .where('kind', '=', kind)
    .where(sql<boolean>`psa_id = any(${psaIds}::bigint[])`)
    .orderBy('generation')
    .orderBy('revision')
    .execute();
  return Map.groupBy(rows, ({ psaId }) => psaId);
}

/**
 * Returns the newest posting that was not refused: a second document that QuickBooks refused must not hide the first
 * one, which still exists. If all were refused, returns the newest.
 *
 * @param all postings of one document, oldest first.
 */
const currentOf = (all: readonly Posting[]): Posting | null =>
  all.findLast(({ status }) => status !== 'refused') ?? all.at(-1) ?? null;

/** Ordinals of an attempt: the number of the document made for its source, and the number of the try. */
export interface Ordinals {
  readonly generation: number;
  readonly revision: number;
}

/**
 * Returns the {@link Ordinals} of the next attempt of each document (reliability reference 1.2). A definite refusal
 * increases the revision. The generation increases if the document no longer exists in QuickBooks, if a user requests a
 * second one, or if the document is updated to match the PSA.
 */
export async function nextOrdinals(
  tx: Tx,
  tenantId: string,
  kind: Kind,
  wanted: readonly { readonly psaId: number; readonly force: boolean; readonly revises?: boolean }[],
): Promise<ReadonlyMap<number, Ordinals>> {
  const known = await postingsOf(
    tx,
    tenantId,
    kind,
    wanted.map(({ psaId }) => psaId),
  );
  return new Map(
    wanted.map(({ psaId, force, revises = false }) => [
      psaId,
      // Each payment pays the open balance, so a payment after an earlier one is a new payment.
      ordinalsAfter(known.get(psaId) ?? [], force || revises || kind === 'payment'),
    ]),
  );
}

/**
 * Returns the ordinals after the given postings.
 *
 * @param all postings of one document, oldest first.
 * @param isWanted a user requests the document again.
 */
function ordinalsAfter(all: readonly Posting[], isWanted: boolean): Ordinals {
  const newest = all.at(-1);
  if (newest === undefined) return { generation: 1, revision: 0 };
  if (newest.status === 'refused' && !isWanted) {
    // A second document was requested and refused; without a new request, the first one is processed.
    const current = currentOf(all);
    if (current?.status === 'synced' || current?.status === 'unconfirmed')
      return { generation: current.generation, revision: current.revision };
  }
  const { generation, revision } = newest;
  switch (newest.status) {
    case 'refused':
      return { generation, revision: revision + 1 };
    case 'voided':
    case 'deleted_in_accounting':
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

/** A step of an attempt, with the effects that are saved together with it. */
export interface LedgerMove {
  readonly to: Attempt;
  readonly effects: AdvanceEffects;
}

/**
 * Updates the ledger for steps of attempts, within their transaction, with one statement per kind of effect.
 *
 * @returns the document numbers that the ledger has learned, by attempt id.
 */
export async function moveLedger(
  tx: Tx,
  tenantId: string,
  moves: readonly LedgerMove[],
  now: Instant,
): Promise<ReadonlyMap<string, string | null>> {
  await openRows(tx, tenantId, moves, now);
  await recordRows(tx, tenantId, moves);
  const confirmed = await confirmRows(tx, tenantId, moves, now);
  for (const { effects } of moves) if (effects.marksPosting) await markRow(tx, tenantId, effects.marksPosting);
  await abandonRows(tx, tenantId, moves);
  return new Map(
    moves.flatMap(({ to, effects }): [string, string | null][] => {
      if (effects.confirmsPosting === true) return [[to.id, confirmed.get(keyOf(to)) ?? null]];
      return effects.recordsPosting === undefined ? [] : [[to.id, effects.recordsPosting.number]];
    }),
  );
}

type RowKey = Pick<Attempt, 'kind' | 'psaId' | 'generation' | 'revision'>;

const keyOf = ({ kind, psaId, generation, revision }: RowKey): string => `${kind} ${psaId} ${generation}.${revision}`;

/** Returns the keys of the attempts' ledger rows, as a table to join with. */
const rowsOf = (attempts: readonly RowKey[]) => sql`
  unnest(
    ${attempts.map(({ kind }) => kind)}::text[], ${attempts.map(({ psaId }) => psaId)}::bigint[],
    ${attempts.map(({ generation }) => generation)}::integer[], ${attempts.map(({ revision }) => revision)}::integer[]
  )`;

const isRow = sql`p.kind = m.kind and p.psa_id = m.psa_id and p.generation = m.generation and p.revision = m.revision`;

interface ChangedRow extends RowKey {
  readonly number: string | null;
}

const changed = sql`p.kind, p.psa_id as "psaId", p.generation, p.revision, p.number`;

/** Asserts that every requested row was changed. */
function assertChanged(wanted: readonly RowKey[], rows: readonly RowKey[], what: string): void {
  if (rows.length === wanted.length) return;
  const found = new Set(rows.map(keyOf));
  const missing = wanted.find((one) => !found.has(keyOf(one)));
  assert(false, `${missing?.kind} ${missing?.psaId} ${what}`);
}

async function openRows(tx: Tx, tenantId: string, moves: readonly LedgerMove[], now: Instant): Promise<void> {
  const opened = moves.flatMap(({ to, effects }) =>
    effects.opensPosting === undefined ? [] : [{ to, opens: effects.opensPosting }],
  );
  if (opened.length === 0) return;
  assert(
    opened.every(({ to }) => to.mode === 'live'),
    'a test leaves nothing in the ledger',
  );
  const attempts = opened.map(({ to }) => to);
  const { rows } = await sql<RowKey>`
    insert into postings as p (tenant_id, kind, psa_id, generation, revision, status, created_at, request_id, body, psa_total)
    select ${tenantId}::uuid, m.kind, m.psa_id, m.generation, m.revision, 'sending', ${now}::timestamptz, m.request_id,
           m.body::json, m.psa_total
      from rows from (
        ${rowsOf(attempts)},
        unnest(
          ${opened.map(({ opens }) => opens.requestId)}::text[], ${jsonArray(opened.map(({ opens }) => opens.body))},
          ${opened.map(({ opens }) => opens.psaTotal)}::numeric[]
        )
      ) as m(kind, psa_id, generation, revision, request_id, body, psa_total)
    on conflict (tenant_id, kind, psa_id, generation, revision) do update
       set request_id = excluded.request_id, body = excluded.body, psa_total = excluded.psa_total
     where p.status = 'sending'
    returning p.kind, p.psa_id as "psaId", p.generation, p.revision
  `.execute(tx);
  assertChanged(attempts, rows, 'is in the ledger already');
}

async function recordRows(tx: Tx, tenantId: string, moves: readonly LedgerMove[]): Promise<void> {
  const made = moves.flatMap(({ to, effects }) =>
    effects.recordsPosting === undefined ? [] : [{ ...effects.recordsPosting, to }],
  );
  if (made.length === 0) return;
  const attempts = made.map(({ to }) => to);
  const { rows } = await sql<ChangedRow>`
    update postings as p
       set status = 'unconfirmed', target_type = m.type, target_id = m.id, number = m.number, total = m.total, tax = m.tax,
           answered = m.answered::jsonb, earlier = m.earlier::jsonb
      from rows from (
        ${rowsOf(attempts)},
        unnest(
          ${made.map(({ type }) => type)}::text[], ${made.map(({ id }) => id)}::text[],
          ${made.map(({ number }) => cleanOrNull(number))}::text[],
          ${made.map(({ total }) => total)}::numeric[], ${made.map(({ tax }) => tax)}::numeric[],
          ${made.map(({ fingerprint = null }) => (fingerprint === null ? null : toJson(fingerprint)))}::text[],
          ${jsonArray(made.map(({ earlier = [] }) => earlier))}
        )
      ) as m(kind, psa_id, generation, revision, type, id, number, total, tax, answered, earlier)
     where p.tenant_id = ${tenantId} and ${isRow} and p.status in ('sending', 'unconfirmed')
    returning ${changed}
  `.execute(tx);
  assertChanged(attempts, rows, 'was recorded before it was sent');
}

/** @returns the numbers of the confirmed documents. */
async function confirmRows(
  tx: Tx,
  tenantId: string,
  moves: readonly LedgerMove[],
  now: Instant,
): Promise<ReadonlyMap<string, string | null>> {
  const confirmed = moves.filter(({ effects }) => effects.confirmsPosting === true);
  if (confirmed.length === 0) return new Map();
  const attempts = confirmed.map(({ to }) => to);
  const { rows } = await sql<ChangedRow>`
    update postings as p set status = 'synced', drift = m.drift::jsonb
      from rows from (
        ${rowsOf(attempts)}, unnest(${jsonArray(confirmed.map(({ effects }) => effects.notesDrift ?? []))})
      ) as m(kind, psa_id, generation, revision, drift)
     where p.tenant_id = ${tenantId} and ${isRow} and p.status in ('unconfirmed', 'synced')
    returning ${changed}
  `.execute(tx);
  assertChanged(attempts, rows, 'is in the ledger before it is confirmed');
  const again = attempts.filter(({ kind, generation }) => generation > 1 && !areIndependent(kind));
  if (again.length > 0)
    await sql`
      update postings as p set status = 'superseded', superseded_at = coalesce(p.superseded_at, ${now})
        from ${rowsOf(again)} as m(kind, psa_id, generation, revision)
       where p.tenant_id = ${tenantId} and p.kind = m.kind and p.psa_id = m.psa_id and p.generation < m.generation
         and p.status in ('unconfirmed', 'synced')
    `.execute(tx);
  return new Map(rows.map((row) => [keyOf(row), row.number]));
}

async function markRow(tx: Tx, tenantId: string, mark: LedgerMark): Promise<void> {
  await tx
    .updateTable('postings')
    .set({ status: mark.status })
    .where('tenant_id', '=', tenantId)
    .where('kind', '=', mark.kind)
    .where('psa_id', '=', mark.psaId)
    .where('target_id', '=', mark.targetId)
    .execute();
}

async function abandonRows(tx: Tx, tenantId: string, moves: readonly LedgerMove[]): Promise<void> {
  const attempts = moves.filter(({ effects }) => effects.abandonsPosting === true).map(({ to }) => to);
  if (attempts.length === 0) return;
  const { rows } = await sql<ChangedRow>`
    update postings as p set status = 'refused'
      from ${rowsOf(attempts)} as m(kind, psa_id, generation, revision)
     where p.tenant_id = ${tenantId} and ${isRow} and p.status = 'sending'
    returning ${changed}
  `.execute(tx);
  assertChanged(attempts, rows, 'was recorded before it was refused');
}
