import { sql, type Expression, type ExpressionBuilder, type RawBuilder, type Selectable, type SqlBool } from 'kysely';
import type { Attempt, Ended } from '#core/attempt.ts';

import { inParallel } from '#core/in-parallel.ts';
import type { Preview } from '#core/planning/preview.ts';
import type { LogEntry, LogFilter, LogHead, LogPage, PostedWith, Unresolved } from '#core/records/log.ts';
import { kindNames, type Kind } from '#core/kinds.ts';
import type { Page } from '#core/records/page.ts';
import { Refusal } from '#core/refusal.ts';
import { assert, never } from '#core/values/assert.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import type { JsonObject } from '#core/values/json.ts';
import { withoutTrailing } from '#core/values/text.ts';
import type { Problem } from '#core/problems.ts';
import type { Tx } from './database.ts';
import { codeOf } from './errors.ts';
import { literal } from './literals.ts';
import type { TenantWork } from './scope.ts';
import { clean, cleanOrNull, jsonArray, type Tables } from './tables.ts';

const maxPageSize = 200;
/** Maximum number of entries that are counted and can be paged through; beyond it, only "more" is reported. */
const countedUpTo = 10_000;
/** The same limit for a search. */
const foundUpTo = 1_000;
/**
 * Up to this depth, the entries of each combination of values are read and sorted; deeper pages are merged as needed.
 */
const sortedUpTo = 200;
/** A search that takes longer is canceled, because it slows down the database for all other users. */
const searchWithinMs = 3_000;
/** PostgreSQL's code of a canceled statement. */
const queryCancelled = '57014';

const tooWide = () =>
  new Refusal(
    'unprocessable',
    'search_too_wide',
    'This search takes too long. Search for more letters, or choose a type or a shorter time.',
  );

const tooFar = (max: number) =>
  new Refusal(
    'unprocessable',
    'page_too_far',
    `Only the first ${max.toLocaleString('en-US')} entries of a list can be paged through. Choose a type or a shorter time.`,
  );

/**
 * Whether an entry of the log is on hold: what `stateOf` in `core/attention.ts` calls `held`. Reads the details of
 * failed entries only.
 */
export const isOnHold = sql<boolean>`(not logs.success and coalesce((
  select d.problems::jsonb @? '$[*] ? (@.treatment == "held")'
     and not d.problems::jsonb @? '$[*] ? (@.treatment == "person" || @.treatment == "stops_run")'
    from log_details as d where d.tenant_id = logs.tenant_id and d.key = logs.key), false))`;

/** Columns of a log entry in lists. */
export const headColumns = [
  'logs.key',
  'logs.at',
  'logs.type',
  'logs.psa_id as psaId',
  'logs.is_test as isTest',
  'logs.is_manual as isManual',
  'logs.success',
  'logs.what',
  'logs.number',
  'logs.party',
  'logs.dated as on',
  'logs.amount',
  'logs.currency',
  'logs.message',
  'logs.awaits_approval as awaitsApproval',
  isOnHold.as('isOnHold'),
] as const;

/** Columns for the sort orders of a search. */
const sortColumns = {
  LastModified: 'logs.at',
  type: 'logs.type',
  entityid: 'logs.psa_id',
  test: 'logs.is_test',
  manual: 'logs.is_manual',
  success: 'logs.success',
} as const satisfies Record<LogFilter['sort'], string>;

/** The log: one entry for each finished attempt. */
export const log = {
  /** Lists which of these documents are on hold after their newest live attempt. */
  listOnHold: async (
    { tx, tenantId }: TenantWork,
    kind: Kind,
    psaIds: readonly number[],
  ): Promise<readonly number[]> => {
    const { rows } = await sql<{ psaId: number }>`
      select logs.psa_id as "psaId"
        from unnest(${psaIds}::bigint[]) as asked(id)
        cross join lateral (
          select * from logs
           where tenant_id = ${tenantId}::uuid and psa_id = asked.id and type = ${kind} and not is_test
           order by at desc, seq desc limit 1
        ) as logs
       where ${isOnHold}
    `.execute(tx);
    return rows.map(({ psaId }) => psaId);
  },

  /**
   * @throws Refusal `page_too_far` or `search_too_wide` (422) beyond the counting limit, or when the search would take
   *   too long.
   */
  listLogs: ({ tx, tenantId }: TenantWork, filter: LogFilter): Promise<LogPage> =>
    (isSearch(filter) ? searched(tx, filter) : listed(tx, tenantId, filter)).catch((error: unknown) => {
      throw isSearch(filter) && codeOf(error) === queryCancelled ? tooWide() : error;
    }),

  readLog: async ({ tx, tenantId }: TenantWork, key: string): Promise<LogEntry | null> => {
    const row = await tx
      .selectFrom('logs')
      .innerJoin('log_details', (join) =>
        join.onRef('log_details.tenant_id', '=', 'logs.tenant_id').onRef('log_details.key', '=', 'logs.key'),
      )
      .select([
        ...headColumns,
        'log_details.transcript',
        'log_details.problems',
        'log_details.document',
        'log_details.preview',
      ])
      .where('logs.tenant_id', '=', tenantId)
      .where('logs.key', '=', clean(key))
      .executeTakeFirst();
    return row === undefined ? null : { ...row, document: row.document as JsonObject | null };
  },

  /** Lists previews of a job's plans for these documents, or for all documents of the job, by PSA id. */
  listPreviews: async (
    { tx, tenantId }: TenantWork,
    jobId: string,
    psaIds?: readonly number[],
  ): Promise<ReadonlyMap<number, Preview>> => {
    const rows = await tx
      .selectFrom('job_results')
      .innerJoin('log_details', (join) =>
        join
          .onRef('log_details.tenant_id', '=', 'job_results.tenant_id')
          .onRef('log_details.key', '=', 'job_results.log_key'),
      )
      .select(['job_results.psa_id as psaId', 'log_details.preview'])
      .where('job_results.tenant_id', '=', tenantId)
      .where('job_results.job_id', '=', jobId)
      .where('log_details.preview', 'is not', null)
      .$if(psaIds !== undefined, (query) => query.where(sql<SqlBool>`job_results.psa_id = any(${psaIds}::bigint[])`))
      .execute();
    return new Map(rows.flatMap(({ psaId, preview }) => (preview === null ? [] : [[psaId, preview]])));
  },

  /** Lists the documents of a job that have a problem with this code. */
  listFailedWith: ({ tx, tenantId }: TenantWork, jobId: string, code: string) =>
    tx
      .selectFrom('job_results')
      .innerJoin('log_details', (join) =>
        join
          .onRef('log_details.tenant_id', '=', 'job_results.tenant_id')
          .onRef('log_details.key', '=', 'job_results.log_key'),
      )
      .select(['job_results.psa_id as psaId', 'log_details.problems'])
      .where('job_results.tenant_id', '=', tenantId)
      .where('job_results.job_id', '=', jobId)
      .where(sql<SqlBool>`log_details.problems::jsonb @> ${JSON.stringify([{ code }])}::jsonb`)
      .execute(),

  /** Reads the problems of a document's newest entry, ignoring tests; empty after a success or without an entry. */
  readNewestProblems: async ({ tx, tenantId }: TenantWork, kind: Kind, psaId: number): Promise<readonly Problem[]> => {
    const row = await tx
      .selectFrom('logs')
      .innerJoin('log_details', (join) =>
        join.onRef('log_details.tenant_id', '=', 'logs.tenant_id').onRef('log_details.key', '=', 'logs.key'),
      )
      .select('log_details.problems')
      .where('logs.tenant_id', '=', tenantId)
      .where('logs.psa_id', '=', psaId)
      .where('logs.type', '=', kind)
      .where('logs.is_test', '=', literal(false))
      .orderBy('logs.at', 'desc')
      .orderBy('logs.seq', 'desc')
      .limit(1)
      .$castTo<Pick<Unresolved, 'problems'>>()
      .executeTakeFirst();
    return row?.problems ?? [];
  },

  /** Lists the messages that users were shown about documents' problems with this code, including in tests. */
  listShown: async (
    { tx, tenantId }: TenantWork,
    kind: Kind,
    psaIds: readonly number[],
    code: string,
  ): Promise<readonly { readonly psaId: number; readonly message: string }[]> => {
    if (psaIds.length === 0) return [];
    const rows = await tx
      .selectFrom('logs')
      .innerJoin('log_details', (join) =>
        join.onRef('log_details.tenant_id', '=', 'logs.tenant_id').onRef('log_details.key', '=', 'logs.key'),
      )
      .select(['logs.psa_id as psaId', 'log_details.problems'])
      .where('logs.tenant_id', '=', tenantId)
      .where('logs.psa_id', 'in', psaIds)
      .where('logs.type', '=', kind)
      .where(sql<SqlBool>`log_details.problems::jsonb @> ${JSON.stringify([{ code }])}::jsonb`)
      .$castTo<Pick<Unresolved, 'problems'> & { readonly psaId: number }>()
      .execute();
    return rows.flatMap(({ psaId, problems }) =>
      problems.flatMap((one) => (one.code === code ? [{ psaId, message: one.message }] : [])),
    );
  },

  /** Reads a document as QuickBooks returned it when it was posted or updated last; null if no entry has it. */
  readAnswer: async (
    { tx, tenantId }: TenantWork,
    kind: Kind,
    psaId: number,
    targetId: string,
  ): Promise<JsonObject | null> => {
    const row = await tx
      .selectFrom('logs')
      .innerJoin('log_details', (join) =>
        join.onRef('log_details.tenant_id', '=', 'logs.tenant_id').onRef('log_details.key', '=', 'logs.key'),
      )
      .select('log_details.document')
      .where('logs.tenant_id', '=', tenantId)
      .where('logs.psa_id', '=', psaId)
      .where('logs.type', '=', kind)
      .where('logs.is_test', '=', literal(false))
      .where('logs.success', '=', true)
      .where(sql<SqlBool>`log_details.document->>'Id' = ${targetId}`)
      .orderBy('logs.at', 'desc')
      .orderBy('logs.seq', 'desc')
      .limit(1)
      // Only documents of a connector are stored there.
      .$castTo<{ document: JsonObject | null }>()
      .executeTakeFirst();
    return row?.document ?? null;
  },

  /**
   * Lists the newest documents that were posted with this customer, vendor or item, as QuickBooks returned them.
   * Searches only the newest thousand entries of each kind.
   *
   * @param limit maximum number of documents
   */
  listPostedWith: (
    { tx, tenantId }: TenantWork,
    record: 'customer' | 'vendor' | 'item',
    id: string,
    limit: number,
  ): Promise<readonly PostedWith[]> => postedWith(tx, tenantId, record, id, limit),

  /**
   * Lists the documents whose newest live attempt did not succeed, and those that failed or were on hold in a review
   * that was posted without them. Newest first.
   *
   * @param since documents last attempted before this time are left out
   * @param limit maximum number of documents
   */
  listUnresolved: ({ tx, tenantId }: TenantWork, since: Instant, limit: number): Promise<readonly Unresolved[]> =>
    unresolved(tx, tenantId, since, limit),
};

/** Maximum number of entries of each kind that are searched for documents with a record. */
const searchedDocuments = 1_000;

const kindsWith = {
  customer: ['invoice'],
  vendor: ['purchase_order', 'expense_report'],
  item: ['invoice', 'purchase_order'],
} as const satisfies Record<string, readonly Kind[]>;

async function postedWith(
  tx: Tx,
  tenantId: string,
  record: 'customer' | 'vendor' | 'item',
  id: string,
  max: number,
): Promise<readonly PostedWith[]> {
  const found: PostedWith[] = [];
  for (const kind of kindsWith[record]) {
    const { rows } = await sql<PostedWith>`
      select l.type as kind, l.psa_id as "psaId", d.document
      from (
        select key, type, psa_id, at, seq from logs
        where tenant_id = ${tenantId}::uuid and type = ${kind} and not is_test and success
        order by at desc, seq desc limit ${searchedDocuments}
      ) as l
      join log_details as d on d.tenant_id = ${tenantId}::uuid and d.key = l.key
      where d.document is not null and case ${record}::text
        when 'customer' then d.document->'CustomerRef'->>'value' = ${id}
        when 'vendor' then d.document->'VendorRef'->>'value' = ${id}
        else exists (
          select 1 from json_array_elements(
            case json_typeof(d.document->'Line') when 'array' then d.document->'Line' else '[]'::json end
          ) as line
          where coalesce(line->'SalesItemLineDetail', line->'ItemBasedExpenseLineDetail')->'ItemRef'->>'value' = ${id}
        )
      end
      order by l.at desc, l.seq desc limit ${max}
    `.execute(tx);
    found.push(...rows);
  }
  return found.slice(0, max);
}

/**
 * Returns the newest row of each unsettled document: failures, successes whose document still differs, and documents
 * that a posted review left out. A newer live row replaces each of them.
 */
async function unresolved(tx: Tx, tenantId: string, since: Instant, max: number): Promise<Unresolved[]> {
  const failed = await newestRows(tx, tenantId, since, max, (row) => row('logs.success', '=', literal(false)));
  const differing = await newestRows(tx, tenantId, since, max, (row) =>
    row.and([
      row('logs.success', '=', true),
      sql<SqlBool>`log_details.problems::text <> '[]'`,
      row.exists(
        row
          .selectFrom('postings')
          .select('postings.id')
          .whereRef('postings.tenant_id', '=', 'logs.tenant_id')
          .whereRef('postings.kind', '=', 'logs.type')
          .whereRef('postings.psa_id', '=', 'logs.psa_id')
          .where('postings.status', 'in', ['synced', 'unconfirmed'])
          // A literal condition, because PostgreSQL uses the partial index only with this exact condition.
          .where(sql<SqlBool>`postings.drift ?| array['total_differs', 'not_mailed']`),
      ),
    ]),
  );
  const leftOut = await leftOutOfReviews(tx, tenantId, since, max);
  const newest = new Map<string, Unresolved>();
  for (const row of [...failed, ...differing, ...leftOut].sort((a, b) => (a.at < b.at ? 1 : -1))) {
    const document = `${row.type} ${row.psaId}`;
    if (!newest.has(document)) newest.set(document, row);
  }
  return [...newest.values()].slice(0, max);
}

/** Returns the test row of each document that failed or was held in a posted review and was not posted since. */
const leftOutOfReviews = (tx: Tx, tenantId: string, since: Instant, max: number): Promise<Unresolved[]> =>
  newestRows(
    tx,
    tenantId,
    since,
    max,
    (row) =>
      row.and([
        // As an array, so that PostgreSQL reads the rows by key, regardless of their number.
        sql<SqlBool>`logs.key = any(array(
          select distinct on (review.kind, result.psa_id) result.log_key
            from jobs as live
            join jobs as review on review.tenant_id = live.tenant_id and review.id = live.reviews
            join job_results as result on result.tenant_id = review.tenant_id and result.job_id = review.id
           where live.tenant_id = ${tenantId}::uuid and live.reviews is not null and live.created_at >= ${since}
             and result.outcome in ('failed', 'held')
           order by review.kind, result.psa_id, review.seq desc
        ))`,
        row.not(
          row.exists(
            row
              .selectFrom('postings')
              .select('postings.id')
              .whereRef('postings.tenant_id', '=', 'logs.tenant_id')
              .whereRef('postings.kind', '=', 'logs.type')
              .whereRef('postings.psa_id', '=', 'logs.psa_id')
              .where('postings.status', 'in', ['synced', 'unconfirmed']),
          ),
        ),
      ]),
    true,
  );

async function newestRows(
  tx: Tx,
  tenantId: string,
  since: Instant,
  max: number,
  which: (row: ExpressionBuilder<Tables & { logs: Tables['logs'] }, 'logs' | 'log_details'>) => Expression<SqlBool>,
  ofTests = false,
): Promise<Unresolved[]> {
  const newer = (row: ExpressionBuilder<Tables, 'logs'>, isTest: boolean) =>
    row
      .selectFrom('logs as newer')
      .whereRef('newer.tenant_id', '=', 'logs.tenant_id')
      .whereRef('newer.psa_id', '=', 'logs.psa_id')
      .whereRef('newer.type', '=', 'logs.type')
      .where('newer.is_test', '=', literal(isTest))
      .where(sql<SqlBool>`(newer.at, newer.seq) > (logs.at, logs.seq)`);
  // An invoice that was voided later, on both sides where it existed, needs no attention.
  const voidedSince = (row: ExpressionBuilder<Tables, 'logs'>) =>
    row
      .selectFrom('logs as voided')
      .whereRef('voided.tenant_id', '=', 'logs.tenant_id')
      .whereRef('voided.psa_id', '=', 'logs.psa_id')
      .where('logs.type', 'in', ['invoice', 'payment'])
      .where('voided.type', '=', 'void')
      .where('voided.is_test', '=', literal(false))
      .where('voided.success', '=', literal(true))
      .where(sql<SqlBool>`(voided.at, voided.seq) > (logs.at, logs.seq)`);
  const rows = await tx
    .selectFrom('logs')
    .innerJoin('log_details', (join) =>
      join.onRef('log_details.tenant_id', '=', 'logs.tenant_id').onRef('log_details.key', '=', 'logs.key'),
    )
    .select([...headColumns, 'log_details.problems'])
    .select((row) =>
      newer(row, true)
        .select('newer.success')
        .orderBy('newer.at', 'desc')
        .orderBy('newer.seq', 'desc')
        .limit(1)
        .as('testedSince'),
    )
    .where('logs.tenant_id', '=', tenantId)
    .where((row) => which(row))
    // A literal condition, because PostgreSQL uses the partial index only with this exact condition.
    .where('logs.is_test', '=', literal(ofTests))
    .where('logs.at', '>=', since)
    .where((row) => row.not(row.exists(newer(row, false).select('newer.key'))))
    .where((row) => row.not(row.exists(voidedSince(row).select('voided.key'))))
    .orderBy('logs.at', 'desc')
    .orderBy('logs.seq', 'desc')
    .limit(literal(max))
    .$castTo<Unresolved>()
    .execute();
  return rows.map((row) => ({ ...row, testedSince: row.testedSince ?? null }));
}

/** Returns a page of the list, with the count. */
async function listed(tx: Tx, tenantId: string, filter: LogFilter): Promise<LogPage> {
  const page = offsetOf(filter);
  const parts = partsOf(filter);
  const { logs, found } =
    parts === null ? await pageWithCount(tx, tenantId, filter, page) : await pageOfParts(tx, tenantId, parts, page);
  const more = found > countedUpTo;
  if (more && page.offset >= countedUpTo) throw tooFar(countedUpTo);
  return { logs, total: Math.min(found, countedUpTo), more };
}

interface CountedPage {
  readonly logs: readonly LogHead[];
  /** Number of entries that match the filters, at most one more than {@link countedUpTo}. */
  readonly found: number;
}

/** Reads page and count in parallel, sent in one write. */
async function pageWithCount(tx: Tx, tenantId: string, filter: LogFilter, page: PageOfRows): Promise<CountedPage> {
  const [found, logs] = await inParallel([
    countOf(tx, tenantId, filter, countedUpTo + 1),
    page.offset < countedUpTo ? logList(tx, tenantId, filter, page).execute() : [],
  ]);
  return { found, logs };
}

/**
 * Returns a page of several lists in sequence. Each list is counted until there are enough entries, which also locates
 * the page.
 */
async function pageOfParts(
  tx: Tx,
  tenantId: string,
  parts: readonly LogFilter[],
  { limit, offset }: PageOfRows,
): Promise<CountedPage> {
  let found = 0;
  let open = limit;
  const pieces: { readonly part: LogFilter; readonly rows: PageOfRows }[] = [];
  for (const part of parts) {
    const first = Math.max(0, offset - found);
    const count = await countOf(tx, tenantId, part, countedUpTo + 1 - found);
    found += count;
    const taken = Math.min(open, Math.max(0, count - first));
    if (taken > 0) pieces.push({ part, rows: { limit: taken, offset: first } });
    open -= taken;
    if (found > countedUpTo) break;
  }
  const lists = pieces.map(({ part, rows }) => logList(tx, tenantId, part, rows).execute());
  return { found, logs: (await inParallel(lists)).flat() };
}

/**
 * Returns a limit as part of the statement's text, so that the statement is prepared and planned once. With a time
 * range, the limit is a parameter instead, so that each range gets a separate plan.
 */
const lengthOf = ({ after, before }: LogFilter, length: number): RawBuilder<number> =>
  after === undefined && before === undefined ? literal(length) : sql<number>`${length}`;

/** Counts the entries that match the filters, at most `max`. */
async function countOf(tx: Tx, tenantId: string, filter: LogFilter, max: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (select 1 from logs where ${matches(tenantId, filter)} limit ${lengthOf(filter, max)}) as found
  `.execute(tx);
  return rows[0]?.count ?? 0;
}

/**
 * The query behind the list, newest first among equals. It locates a page in an index with the order of the list, and
 * reads only the displayed rows.
 *
 * With filters, the index has that order for each combination of values; an unset filter means all of its values. The
 * first entries of all combinations are sorted, which is planned in a tenth of the time that a merge takes. Deeper
 * pages use a merge, which reads only as many rows as needed.
 */
export function logList(tx: Tx, tenantId: string, filter: LogFilter, page: PageOfRows = offsetOf(filter)) {
  const { sort, descending } = filter;
  assert(sort === 'LastModified' || sort === 'entityid', 'an index has the order of the list');
  const direction = descending ? sql`desc` : sql`asc`;
  // Rows of the same moment keep one order in both directions, so that pages never overlap.
  const order =
    sort === 'LastModified' ? sql`at ${direction}, seq ${direction}` : sql`psa_id ${direction}, at desc, seq desc`;
  const length = page.offset + page.limit;
  const read = (conditions: RawBuilder<SqlBool>) =>
    sql`(select at, seq, psa_id from logs where ${conditions} order by ${order} limit ${lengthOf(filter, length)})`;
  const listed = !isByValue(filter)
    ? sql`${read(matches(tenantId, filter))} as listed`
    : length > sortedUpTo
      ? sql`(${sql.join(
          rangesOf(filter).map((range) => read(matches(tenantId, range))),
          sql` union all `,
        )}) as listed`
      : sql`${eachRange(filter)} cross join lateral ${read(inRange(tenantId, filter))} as listed`;
  const places = sql<Pick<Selectable<Tables['logs']>, 'at' | 'seq' | 'psa_id'>>`(
    select listed.at, listed.seq, listed.psa_id from ${listed}
     order by ${order} limit ${lengthOf(filter, page.limit)} offset ${lengthOf(filter, page.offset)})`;
  return tx
    .selectFrom(places.as('place'))
    .innerJoin('logs', (join) => join.onRef('logs.at', '=', 'place.at').onRef('logs.seq', '=', 'place.seq'))
    .select(headColumns)
    .where('logs.tenant_id', '=', tenantId)
    .$call((query) =>
      sort === 'LastModified'
        ? query.orderBy('place.at', descending ? 'desc' : 'asc').orderBy('place.seq', descending ? 'desc' : 'asc')
        : query
            .orderBy('place.psa_id', descending ? 'desc' : 'asc')
            .orderBy('place.at', 'desc')
            .orderBy('place.seq', 'desc'),
    )
    .$castTo<LogHead>();
}

/** Returns true if one of the filters is set that the index of values begins with. */
const isByValue = ({ type, mode, manual, success }: LogFilter): boolean =>
  [type, mode, manual, success].some((one) => one !== undefined);

/** Returns each combination of values that matches the filters by value, as rows. */
const eachRange = ({ type, mode, manual, success }: LogFilter): RawBuilder<unknown> => sql`
  unnest(${listOf<string>(type, kindNames)}::text[]) as of_type
  cross join unnest(${listOf(isTestOf(mode), either)}::boolean[]) as of_test
  cross join unnest(${listOf(manual, either)}::boolean[]) as of_manual
  cross join unnest(${listOf(success, either)}::boolean[]) as of_success`;

/** Conditions for one such row, and the time range. */
const inRange = (tenantId: string, filter: LogFilter): RawBuilder<SqlBool> => sql`
  tenant_id = ${tenantId} and type = of_type and is_test = of_test and is_manual = of_manual and success = of_success
  ${sql.join(
    spanOf(filter).map((one) => sql`and ${one}`),
    sql` `,
  )}`;

/** Returns each combination of values that matches the filters by value. */
function rangesOf(filter: LogFilter): readonly LogFilter[] {
  const { type, mode, manual, success } = filter;
  return listOf(type, kindNames).flatMap((ofType) =>
    listOf(mode, ['live', 'test'] as const).flatMap((ofMode) =>
      listOf(manual, either).flatMap((byHand) =>
        listOf(success, either).map((fine) => ({
          ...filter,
          type: ofType,
          mode: ofMode,
          manual: byHand,
          success: fine,
        })),
      ),
    ),
  );
}

const either = [false, true] as const;

/** Returns the requested value, or all possible values. */
const listOf = <T>(value: T | undefined, all: readonly T[]): readonly T[] => (value === undefined ? all : [value]);

/** Returns lists that form the sorted list when concatenated; null if one index has the complete order. */
function partsOf(filter: LogFilter): readonly LogFilter[] | null {
  const { sort, descending, type, mode, manual, success } = filter;
  const newest = { ...filter, sort: 'LastModified', descending: true } as const;
  const inOrder = (parts: readonly LogFilter[]): readonly LogFilter[] => (descending ? parts.toReversed() : parts);
  switch (sort) {
    case 'type':
      return inOrder(listOf(type, kindNames.toSorted()).map((one) => ({ ...newest, type: one })));
    case 'test':
      return inOrder(listOf(mode, ['live', 'test'] as const).map((one) => ({ ...newest, mode: one })));
    case 'manual':
      return inOrder(listOf(manual, either).map((one) => ({ ...newest, manual: one })));
    case 'success':
      return inOrder(listOf(success, either).map((one) => ({ ...newest, success: one })));
    case 'LastModified':
    case 'entityid':
      return null;
    default:
      return never(sort);
  }
}

const isSearch = ({ text }: LogFilter): boolean => (text ?? '').trim() !== '';

/** Returns a page of the newest entries that contain a text. */
async function searched(tx: Tx, filter: LogFilter): Promise<LogPage> {
  const page = offsetOf(filter);
  const direction = filter.descending ? 'desc' : 'asc';
  // Rows of the same moment keep one order in both directions, so that pages never overlap.
  const tie = filter.sort === 'LastModified' ? direction : 'desc';
  await sql`select set_config('statement_timeout', ${`${searchWithinMs}`}, true)`.execute(tx);
  const rows = await foundBy(tx, filter)
    .select(headColumns)
    .select(sql<number>`count(*) over ()`.as('found'))
    .orderBy(sortColumns[filter.sort], direction)
    .orderBy('logs.at', tie)
    .orderBy('logs.seq', tie)
    .limit(page.limit)
    .offset(page.offset)
    .$castTo<LogHead & { readonly found: number }>()
    .execute();
  const found =
    rows[0]?.found ??
    (page.offset === 0
      ? 0
      : (
          await foundBy(tx, filter)
            .select((select) => select.fn.countAll<number>().as('found'))
            .executeTakeFirstOrThrow()
        ).found);
  const more = found > foundUpTo;
  if (more && page.offset >= foundUpTo) throw tooFar(foundUpTo);
  return { logs: rows, total: Math.min(found, foundUpTo), more };
}

/** Selects the newest entries that contain the text and match the filters: one more than the maximum count. */
function foundBy(tx: Tx, { text, type, mode, manual, success, after, before }: LogFilter) {
  const pattern = `%${clean(asAmount((text ?? '').trim())).replace(/[\\%_]/g, '\\$&')}%`;
  const isTest = mode === undefined ? null : mode === 'test';
  // A function that returns rows of the table replaces the table.
  return tx.selectFrom(
    sql<Selectable<Tables['logs']>>`search_logs(
      ${pattern}, ${kindNames}::text[], ${type ?? null}::text, ${isTest}::boolean, ${manual ?? null}::boolean, ${success ?? null}::boolean,
      ${after ?? null}::timestamptz, ${before ?? null}::timestamptz, ${foundUpTo + 1}::integer
    )`.as('logs'),
  );
}

/**
 * Conditions of the filters. If one filter by value is set, the others list all of their values, so that the index on
 * these columns is used for each combination.
 */
function matches(tenantId: string, filter: LogFilter): RawBuilder<SqlBool> {
  const { type, mode, manual, success } = filter;
  const among = (column: RawBuilder<unknown>, values: readonly (string | boolean)[]) =>
    sql`${column} in (${sql.join(values.map((value) => (typeof value === 'string' ? value : literal(value))))})`;
  const conditions = [
    sql`tenant_id = ${tenantId}`,
    ...(isByValue(filter)
      ? [
          among(sql`type`, listOf<string>(type, kindNames)),
          among(sql`is_test`, listOf(isTestOf(mode), either)),
          among(sql`is_manual`, listOf(manual, either)),
          among(sql`success`, listOf(success, either)),
        ]
      : []),
    ...spanOf(filter),
  ];
  return sql<SqlBool>`${sql.join(conditions, sql` and `)}`;
}

const isTestOf = (mode: LogFilter['mode']): boolean | undefined => (mode === undefined ? undefined : mode === 'test');

/** Conditions of the time range. */
const spanOf = ({ after, before }: LogFilter): readonly RawBuilder<unknown>[] => [
  ...(after === undefined ? [] : [sql`at >= ${after}`]),
  ...(before === undefined ? [] : [sql`at < ${before}`]),
];

/** Normalizes an amount in any notation: `$1,966.25`, `1966.25` and `-180` are searched without their signs. */
const asAmount = (text: string): string => {
  const plain = text.replace(/[$€£,\s]/g, '').replace(/^[-−]/, '');
  if (!/^\d+(?:\.\d*)?$/.test(plain)) return text;
  const [whole = '', fraction = ''] = plain.split('.');
  const shown = withoutTrailing(fraction, '0');
  return shown === '' ? whole : `${whole}.${shown}`;
};

/** Position of rows in a list. */
interface PageOfRows {
  readonly limit: number;
  readonly offset: number;
}

/** Returns offset and length of a page; the page size is limited to `maxPageSize`. */
export function offsetOf({ page, pageSize }: Page): PageOfRows {
  const limit = Math.min(Math.max(1, Math.trunc(pageSize)), maxPageSize);
  return { limit, offset: Math.max(0, Math.trunc(page) - 1) * limit };
}

/** The log row of an attempt that has ended. */
export interface NewLogRow {
  readonly attempt: Pick<Attempt, 'kind' | 'psaId' | 'mode' | 'trigger' | 'about'> & Ended;
  readonly entry: { readonly at: Instant; readonly transcript: string; readonly preview?: Preview };
  /** Number of the document, as recorded in the ledger. */
  readonly number: string | null;
}

/**
 * Adds the log rows of attempts that have ended.
 *
 * @returns their keys in the order given, `{type}/{PSA id}/{time}`; a taken time becomes the next free millisecond.
 */
export async function insertLogs(tx: Tx, tenantId: string, rows: readonly NewLogRow[]): Promise<readonly string[]> {
  if (rows.length === 0) return [];
  const keys = new Map<NewLogRow, string>();
  let open = rows.map((row) => ({ row, at: row.entry.at }));
  while (open.length > 0) {
    const wanted = new Map<string, (typeof open)[number]>();
    for (const one of open) {
      const key = `${one.row.attempt.kind}/${one.row.attempt.psaId}/${one.at}`;
      if (!wanted.has(key)) wanted.set(key, one);
    }
    const inserted = await insertHeads(
      tx,
      tenantId,
      [...wanted].map(([key, { row, at }]) => headOf(key, at, row)),
    );
    for (const key of inserted) {
      const one = wanted.get(key);
      if (one !== undefined) keys.set(one.row, key);
    }
    open = open.flatMap(({ row, at }) => (keys.has(row) ? [] : [{ row, at: addSeconds(at, 0.001) }]));
  }
  await sql`
    insert into log_details (tenant_id, key, transcript, problems, document, preview)
    select ${tenantId}::uuid, d.key, d.transcript, d.problems::json, d.document::json, d.preview::json
      from unnest(
        ${rows.map((row) => keyOf(keys, row))}::text[],
        ${rows.map(({ entry }) => clean(entry.transcript))}::text[],
        ${jsonArray(rows.map(({ attempt }) => attempt.problems))},
        ${jsonArray(rows.map(({ attempt: { document } }) => document ?? undefined))},
        ${jsonArray(rows.map(({ entry: { preview } }) => preview))}
      ) as d(key, transcript, problems, document, preview)
  `.execute(tx);
  return rows.map((row) => keyOf(keys, row));
}

function keyOf(keys: ReadonlyMap<NewLogRow, string>, row: NewLogRow): string {
  const key = keys.get(row);
  assert(key !== undefined, 'a log row that was written has its key');
  return key;
}

const headOf = (key: string, at: Instant, { attempt, number }: NewLogRow) => ({
  key,
  at,
  type: attempt.kind,
  psaId: attempt.psaId,
  isTest: attempt.mode === 'test',
  isManual: attempt.trigger === 'manual',
  success: attempt.success,
  number: cleanOrNull(number ?? attempt.about?.number ?? null),
  what: attempt.about?.what ?? null,
  party: cleanOrNull(attempt.about?.party ?? null),
  dated: attempt.about?.on ?? null,
  amount: attempt.about?.amount ?? null,
  currency: attempt.about?.currency ?? null,
  message: clean(attempt.message),
  awaitsApproval: attempt.awaitsApproval === true,
  markedPaid: attempt.markedPaid ?? null,
});

/** Inserts all rows in one statement. @returns the keys that were free. */
async function insertHeads(tx: Tx, tenantId: string, heads: readonly ReturnType<typeof headOf>[]): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    insert into logs (tenant_id, key, at, type, psa_id, is_test, is_manual, success, number, what, party, dated, amount,
                      currency, message, awaits_approval, marked_paid)
    select ${tenantId}::uuid, h.*
      from unnest(
        ${heads.map(({ key }) => key)}::text[], ${heads.map(({ at }) => at)}::timestamptz[],
        ${heads.map(({ type }) => type)}::text[], ${heads.map(({ psaId }) => psaId)}::bigint[],
        ${heads.map(({ isTest }) => isTest)}::boolean[], ${heads.map(({ isManual }) => isManual)}::boolean[],
        ${heads.map(({ success }) => success)}::boolean[], ${heads.map(({ number }) => number)}::text[],
        ${heads.map(({ what }) => what)}::text[], ${heads.map(({ party }) => party)}::text[],
        ${heads.map(({ dated }) => dated)}::date[], ${heads.map(({ amount }) => amount)}::numeric[],
        ${heads.map(({ currency }) => currency)}::text[], ${heads.map(({ message }) => message)}::text[],
        ${heads.map(({ awaitsApproval }) => awaitsApproval)}::boolean[],
        ${heads.map(({ markedPaid }) => markedPaid)}::boolean[]
      ) as h
    on conflict (tenant_id, key) do nothing
    returning key
  `.execute(tx);
  return rows.map(({ key }) => key);
}
