import type { DocumentReply } from '#contract/documents.ts';
import type * as clientRoutes from '#contract/clients.ts';
import type * as auditRoutes from '#contract/audit.ts';
import type * as usersRoutes from '#contract/users.ts';
import type * as jobsRoutes from '#contract/jobs.ts';
import type * as logsRoutes from '#contract/logs.ts';
import type * as syncRoutes from '#contract/sync.ts';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { readCurrentDocument, readDocument } from '#contract/calls/documents.ts';
import { readDeployment } from '#contract/calls/deployment.ts';
import { readDraft } from '#contract/calls/drafts.ts';
import { listChats } from '#contract/calls/chats.ts';
import { readNoticePreferences } from '#contract/calls/notices.ts';
import { listAudit } from '#contract/calls/audit.ts';
import { listClients, listClientStates, readClient, readMeteredReads } from '#contract/calls/clients.ts';
import { type DataOf, type RequestOf } from '#contract/define.ts';
import { hasEnded, listRuns, readJob } from '#contract/calls/jobs.ts';
import { listLogs, readLog } from '#contract/calls/logs.ts';
import { queryPsa } from '#contract/calls/psa.ts';
import type { clearableEntities } from '#contract/psa.ts';
import { readReview } from '#contract/calls/reviews.ts';
import { readSignInProvider } from '#contract/calls/sign-in-provider.ts';
import { readSecondFactor } from '#contract/calls/second-factor.ts';
import { previewSettings } from '#contract/calls/settings.ts';
import { kinds, type SubmittableKind } from '#core/kinds.ts';
import { listApiKeys } from '#contract/calls/api-keys.ts';
import { listAskable } from '#contract/calls/requests.ts';
import type * as requestRoutes from '#contract/requests.ts';
import { listSessions } from '#contract/calls/sessions.ts';
import { describeDocuments, listEligible } from '#contract/calls/sync.ts';
import { listOwned, listUsers } from '#contract/calls/users.ts';
import { type PsaCondition } from '#core/ports/psa.ts';
import { isStillReading, queryOf, runKey, scopedKey, read } from './queries.ts';

/** Queries of single screens. The first page after the login does not load this module. */

const minuteMs = 60_000;

type ClearableEntity = (typeof clearableEntities)[number];

/** All clients, for system administrators. */
export const clientsQuery = () =>
  queryOptions({ ...queryOf(listClients, {}, 'clients'), select: ({ clients }) => clients, staleTime: minuteMs });

/** How the syncs of clients went, for system administrators. */
export const clientStatesQuery = (query: NonNullable<RequestOf<typeof clientRoutes.listClientStates>['query']>) => ({
  ...queryOf(listClientStates, { query }, 'clients', 'states', query),
  placeholderData: keepPreviousData,
  refetchInterval: minuteMs,
});

/** This month's read calls to QuickBooks, for system administrators. */
export const meteredReadsQuery = () => ({ ...queryOf(readMeteredReads, {}, 'metered-reads'), staleTime: minuteMs });

/** The state of the deployment, for system administrators. */
export const deploymentQuery = () => ({ ...queryOf(readDeployment, {}, 'deployment'), refetchInterval: 10_000 });

/** Whether the user's login has a second step. */
export const secondFactorQuery = () => queryOf(readSecondFactor, {}, 'second-factor');

/** Where the client’s users log in instead of with a password. */
export const signInProviderQuery = () => queryOf(readSignInProvider, {}, 'sign-in-provider');

const maxRecords = 500;
/** A list that needs more responses than this reports that it is incomplete. */
const maxResponses = 20;

/** PSA records by ascending id; `isComplete` is false while the rest of a long list is loading. */
export interface PsaRecords {
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly isComplete: boolean;
}

/** PSA records that a search on a sync screen finds. The first response is shown while the others are loading. */
export const psaQuery = (
  entity: ClearableEntity,
  search: { readonly key: readonly unknown[]; readonly conditions: () => readonly PsaCondition[] },
  fields: readonly string[],
) =>
  queryOptions({
    queryKey: scopedKey('psa', entity, ...search.key),
    queryFn: async ({ client, queryKey, signal }): Promise<PsaRecords> => {
      const filter = search.conditions();
      const items: Readonly<Record<string, unknown>>[] = [];
      for (let responses = 0; responses < maxResponses; responses += 1) {
        const after = responses === 0 ? [] : [{ field: 'id', op: 'gt' as const, value: Number(items.at(-1)?.['id']) }];
        const query = {
          filter: [...filter, ...after].map(toWritable),
          includeFields: [...fields],
          MaxRecords: maxRecords,
        };
        const { response } = await read(queryPsa, { params: { entity }, body: { query } }, signal);
        items.push(...response.items);
        if (response.items.length < maxRecords) break;
        if (responses === 0)
          client.setQueryData<PsaRecords>(queryKey, (known) => known ?? { items: [...items], isComplete: false });
      }
      return { items, isComplete: true };
    },
    placeholderData: (previous) => previous,
    retry: isStillReading,
  });

const toWritable = ({ field, op, value }: PsaCondition) => ({
  field,
  op,
  ...(value !== undefined && { value: typeof value === 'object' && value !== null ? [...value] : value }),
});

/** The review of a test: a summary of what it would post. @param isOver whether the test has ended */
export const reviewQuery = (id: string, isOver: boolean) =>
  queryOptions({
    ...queryOf(readReview, { params: { id } }, 'review', id, isOver),
    enabled: isOver,
    // A finished test never changes; a job that is not among the newest may still run.
    refetchInterval: ({ state }) => (state.data !== undefined && !hasEnded(state.data.job) ? 2_000 : false),
    staleTime: 5 * minuteMs,
    // Another tab or user may have posted it meanwhile.
    refetchOnWindowFocus: 'always',
  });

/** What is stored about a document. @param events number of the newest events */
export const documentQuery = (kind: SubmittableKind, id: number, events: number) => ({
  ...queryOf(
    readDocument,
    { params: { kind, entityid: String(id) }, query: { page_size: events } },
    'documents',
    kind,
    id,
    events,
  ),
  placeholderData: (previous: DocumentReply | undefined) =>
    previous?.type === kind && previous.entityid === id ? previous : undefined,
});

/** A document in both services now. */
export const currentDocumentQuery = (kind: SubmittableKind, id: number) =>
  queryOptions({
    ...queryOf(readCurrentDocument, { params: { kind, entityid: String(id) } }, 'documents', 'current', kind, id),
    staleTime: minuteMs,
  });

/** One draft as a planned document. */
export const draftQuery = (id: string) => queryOf(readDraft, { params: { id } }, 'drafts', id);

/** Documents that a manual sync would pick up now. */
export const eligibleQuery = (kind: EligibleSegment, force: boolean) =>
  queryOptions({
    ...queryOf(listEligible, { params: { kind }, query: { force } }, 'eligible', kind, force),
    select: ({ documents }) => documents,
    staleTime: 0,
    gcTime: 0,
    retry: isStillReading,
  });

type Described = DataOf<typeof syncRoutes.describeDocuments>['documents'][number];

/**
 * Names of the customers, vendors or employees of documents, and the currency of their amounts in the PSA's list, by
 * PSA id. Makes a call for each response of {@link psaQuery}, so that the names of the first rows do not wait.
 */
export const describedQueries = (kind: SubmittableKind, ids: readonly number[]) => ({
  queries: Array.from({ length: Math.ceil(ids.length / maxRecords) }, (_, index) => {
    const some = ids.slice(index * maxRecords, (index + 1) * maxRecords);
    return queryOptions({
      ...queryOf(
        describeDocuments,
        { params: { kind: kinds[kind].segment }, body: { ids: some } },
        'psa',
        'described',
        kind,
        some,
      ),
      staleTime: minuteMs,
    });
  }),
  combine: byId,
});

const byId = (
  results: readonly { readonly data: { readonly documents: readonly Described[] } | undefined }[],
): ReadonlyMap<number, Described> =>
  new Map(results.flatMap(({ data }) => data?.documents ?? []).map((one) => [one.entityid, one]));

type EligibleSegment = RequestOf<typeof syncRoutes.listEligible>['params']['kind'];

/** Sentences about the effect of these settings on documents; never cached. */
export const settingsPreviewQuery = (changes: Readonly<Record<string, boolean>>) => ({
  ...queryOf(previewSettings, { body: changes }, 'settings-preview', JSON.stringify(changes)),
  staleTime: 0,
  gcTime: 0,
});

export type LogsFilter = NonNullable<RequestOf<typeof logsRoutes.listLogs>['query']>;

/** One page of the log. */
export const logsQuery = (filter: LogsFilter) => ({
  ...queryOf(listLogs, { query: filter }, 'logs', filter),
  placeholderData: keepPreviousData,
});

/** One log entry; entries never change. */
export const logQuery = (key: string) =>
  queryOptions({ ...queryOf(readLog, { query: { key } }, 'log', key), select: ({ log }) => log, staleTime: Infinity });

export type UsersFilter = NonNullable<RequestOf<typeof usersRoutes.listUsers>['query']>;

/** One page of the client's users. */
export const usersQuery = (filter: UsersFilter) => ({
  ...queryOf(listUsers, { query: filter }, 'users', filter),
  placeholderData: keepPreviousData,
});

/** What a user owns, before the user leaves. */
export const ownedQuery = (id: string) =>
  queryOptions({ ...queryOf(listOwned, { params: { id } }, 'owned', id), select: ({ owned }) => owned });

export const apiKeysQuery = () =>
  queryOptions({
    queryKey: scopedKey('api-keys'),
    queryFn: async ({ signal }) => (await read(listApiKeys, {}, signal)).keys,
  });

/** A request to approve or to sign. */
export type AskedFor = NonNullable<RequestOf<typeof requestRoutes.listAskable>['query']>;

/** Users who can be asked to approve or to sign. */
export const askableQuery = (about: AskedFor) =>
  queryOptions({ ...queryOf(listAskable, { query: about }, 'askable', about), select: ({ users }) => users });

export const sessionsQuery = () =>
  queryOptions({ ...queryOf(listSessions, {}, 'sessions'), select: ({ sessions }) => sessions });

export type AuditFilter = NonNullable<RequestOf<typeof auditRoutes.listAudit>['query']>;

/** One page of the audit trail. */
export const auditQuery = (filter: AuditFilter) => ({
  ...queryOf(listAudit, { query: filter }, 'audit', filter),
  placeholderData: keepPreviousData,
});

/** The chats that get notices, read again every minute. */
export const chatsQuery = () => ({ ...queryOf(listChats, {}, 'webhooks'), refetchInterval: 60_000 });

/** How the user gets each group of notices. */
export const noticePreferencesQuery = () => queryOf(readNoticePreferences, {}, 'notice-preferences');

/** One client, for system administrators. */
export const clientQuery = (id: string) => queryOf(readClient, { params: { id } }, 'clients', id);

const runningMs = 3_000;

/** One job with its results; read again while it runs. */
export const runQuery = (id: string) =>
  queryOptions({
    queryKey: runKey(id),
    queryFn: ({ signal }) => read(readJob, { params: { id } }, signal),
    select: ({ job }) => job,
    refetchInterval: ({ state }) => (state.data !== undefined && !hasEnded(state.data.job) ? runningMs : false),
  });

export type RunsFilter = NonNullable<RequestOf<typeof jobsRoutes.listRuns>['query']>;

/** One page of the runs; read again, faster while one is in progress. */
export const runsQuery = (filter: RunsFilter) =>
  queryOptions({
    queryKey: scopedKey('jobs', 'runs', filter),
    queryFn: ({ signal }) => read(listRuns, { query: filter }, signal),
    placeholderData: (previous) => previous,
    refetchInterval: ({ state }) => (state.data?.runs.every(hasEnded) === false ? runningMs : 10 * runningMs),
  });
