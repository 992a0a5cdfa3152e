import {
  keepPreviousData,
  notifyManager,
  QueryCache,
  QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
  type UseMutationResult,
} from '@tanstack/react-query';
import { listAttention } from '#contract/calls/attention.ts';
import { listDrafts, readRun } from '#contract/calls/drafts.ts';
import { readAccount } from '#contract/calls/auth.ts';
import type { Call, DataOf, RequestOf, RouteDefinition } from '#contract/define.ts';
import { hasEnded, listJobs } from '#contract/calls/jobs.ts';
import { listNotices } from '#contract/calls/notices.ts';
import type { JobReply } from '#contract/jobs.ts';
import { readMonth } from '#contract/calls/month.ts';
import { readMoney } from '#contract/calls/money.ts';
import { readSubscription } from '#contract/calls/subscription.ts';
import { type CallResult, call, CallError, replacesSession } from './call.ts';
import { currentSession } from './current-session.ts';
import { withResults } from './job-list.ts';
import { clearErrors, clearLoadError, showError, showLoadError, showMessage } from '../components/flash.ts';
import { oncePer } from '#core/values/once-per.ts';

const minuteMs = 60_000;
/** Delay and maximum number of retries while a service is slow. */
const retryDelayMs = 3_000;
const maxRetries = 8;

/** Returns true if a failed call should be retried because the server is still reading from a service. */
export const isStillReading = (failures: number, error: Error): boolean =>
  failures < maxRetries && error instanceof CallError && error.isStillReading;

/** Fetches that returned cached data, by their signals. */
const cachedFetches = new WeakSet<AbortSignal>();
/** How many times in a row a query returned cached data. */
const cachedReplies = oncePer<object, { count: number }>(() => ({ count: 0 }));

// Updates synchronously, so that a button is busy before the second click of a double click and does not start the
// action twice.
notifyManager.setScheduler(queueMicrotask);

/** Hashes of the queries whose last refresh failed. */
const notRefreshed = new Set<string>();

/** Caches server responses; during a refresh, the previous response is shown. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    // A screen without data shows the failure itself; with older data, only the message bar can. Polling is
    // silent, and a search shows its error next to its button.
    onError: (error, query) => {
      if (query.state.data === undefined || ['jobs', 'notices', 'psa'].includes(String(query.queryKey[2]))) return;
      notRefreshed.add(query.queryHash);
      showLoadError(error.message);
    },
    onSuccess: (_data, query) => {
      if (notRefreshed.delete(query.queryHash) && notRefreshed.size === 0) clearLoadError();
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      gcTime: 10 * minuteMs,
      // Stops a mounted screen from refetching after its session has ended.
      enabled: ({ queryKey }) => queryKey[0] !== null,
      // A rejection is final; a lost connection may recover.
      retry: (failures, error) =>
        isStillReading(failures, error) ||
        (failures < 2 && (!(error instanceof CallError) || error.status === 0 || error.status >= 502)),
      retryDelay: (failures) => Math.min(1_000 * 2 ** failures, retryDelayMs),
      // Refetches cached data until the service has responded.
      persister: async (fetchData, context, query) => {
        const data = await fetchData(context);
        const replies = cachedReplies(query);
        const times = cachedFetches.has(context.signal) ? replies.count + 1 : 0;
        replies.count = times;
        if (times > 0)
          setTimeout(() => {
            if (query.isActive()) void queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true });
          }, times * retryDelayMs);
        return data;
      },
      networkMode: 'always',
      // The network mode turns this off.
      refetchOnReconnect: true,
    },
    mutations: { networkMode: 'always' },
  },
});

/** Every key starts with user and client, so that cached data is never shown to another client. */
export const scopedKey = (...key: readonly unknown[]): readonly unknown[] => {
  const claims = currentSession()?.claims;
  return [claims?.username ?? null, claims?.client?.id ?? null, ...key];
};

/** Makes an API call for a query. */
export const read = async <R extends RouteDefinition>(
  route: Call<R>,
  request: RequestOf<R>,
  signal?: AbortSignal,
): Promise<DataOf<R>> => {
  const result = await call(route, request, signal);
  if (result.isStillReading && signal !== undefined) cachedFetches.add(signal);
  return result.data;
};

/**
 * Repeats a call until the response is not from the cache, for a user who asked for the newest data. Returns cached data
 * after half a minute.
 *
 * @throws CallError as {@link call}.
 */
async function callForNewest<R extends RouteDefinition>(
  route: Call<R>,
  request: RequestOf<R>,
): Promise<CallResult<DataOf<R>>> {
  let next = request;
  for (let attempts = 0; ; attempts += 1) {
    const result = await call(route, next).catch((error: unknown) => {
      if (error instanceof Error && isStillReading(attempts, error)) return null;
      throw error;
    });
    if (result !== null) {
      if (!result.isStillReading || attempts >= maxRetries) return result;
      next = withoutRefresh<R>(request);
    }
    await new Promise((resolve) => {
      setTimeout(resolve, retryDelayMs);
    });
  }
}

/** Removes `refresh` from a repeated request, because the server is already reading. */
function withoutRefresh<R extends RouteDefinition>(request: RequestOf<R>): RequestOf<R> {
  const { query, ...rest } = { query: {}, ...(request as object) };
  return { ...rest, query: { ...query, refresh: undefined } } as RequestOf<R>;
}

/** Like {@link read}, but repeats the call until the data is new. */
export const readNewest = async <R extends RouteDefinition>(
  route: Call<R>,
  request: RequestOf<R>,
): Promise<DataOf<R>> => (await callForNewest(route, request)).data;

/** A query of one call. */
export const queryOf = <R extends RouteDefinition>(route: Call<R>, request: RequestOf<R>, ...key: readonly unknown[]) =>
  queryOptions({ queryKey: scopedKey(...key), queryFn: ({ signal }) => read(route, request, signal) });

/** One page of the user's notices, read again every minute. The header reads the first one for the number of unread ones. */
export const noticesQuery = (page: number, pageSize: number) => ({
  ...queryOf(listNotices, { query: { page, page_size: pageSize } }, 'notices', page, pageSize),
  placeholderData: keepPreviousData,
  refetchInterval: minuteMs,
});

/** The subscription of the session's client; null without one. */
export const subscriptionQuery = () => ({ ...queryOf(readSubscription, {}, 'subscription'), staleTime: minuteMs });

/** The account of the logged-in user. */
export const accountQuery = () => queryOf(readAccount, {}, 'account');

/** The newest jobs; polled often while one of them runs, otherwise rarely to find scheduled jobs. */
export const jobsQuery = () =>
  queryOptions({
    queryKey: scopedKey('jobs'),
    queryFn: async ({ signal, queryKey }) => {
      const { jobs } = await read(listJobs, {}, signal);
      return withResults(queryClient.getQueryData<readonly JobReply[]>(queryKey), jobs);
    },
    refetchInterval: ({ state }) => (state.data?.some((job) => !hasEnded(job)) === true ? 5_000 : minuteMs / 2),
    // Another tab may have started a sync.
    refetchOnWindowFocus: 'always',
  });

/** The key of the query of one job with its results. */
export const runKey = (id: string): readonly unknown[] => scopedKey('jobs', 'run', id);

/** Documents that need attention, grouped by cause; refreshed every minute. */
export const attentionQuery = () => ({ ...queryOf(listAttention, {}, 'attention'), refetchInterval: minuteMs });

/** One page of the documents that wait for approval. @param page counted from 1 */
export const draftsQuery = (page: number, pageSize: number) => ({
  ...queryOf(listDrafts, { query: { page, page_size: pageSize } }, 'drafts', page, pageSize),
  refetchInterval: minuteMs,
  placeholderData: keepPreviousData,
});

/** The summary of all documents that wait for approval. */
export const approvalRunQuery = () => queryOf(readRun, {}, 'drafts', 'run');

/** The totals of this month in both systems. The call reads both services, so it is not repeated on every visit. */
export const monthQuery = () => ({
  ...queryOf(readMonth, {}, 'month'),
  staleTime: 5 * minuteMs,
  retry: isStillReading,
});

/** Invoiced and posted by day, and attempts by hour, from stored data. */
export const moneyQuery = () => ({ ...queryOf(readMoney, {}, 'money'), refetchInterval: minuteMs });

/** Names of queries that a call can make outdated. */
export type QueryName =
  | 'subscription'
  | 'jobs'
  | 'logs'
  | 'psa'
  | 'attention'
  | 'month'
  | 'money'
  | 'second-factor'
  | 'sign-in-provider'
  | 'account'
  | 'clients'
  | 'deployment'
  | 'users'
  | 'api-keys'
  | 'notices'
  | 'notice-preferences'
  | 'webhooks'
  | 'webhook-endpoints'
  | 'sessions'
  | 'settings'
  | 'lists'
  | 'mappings'
  | 'closes'
  | 'drafts'
  | 'review'
  | 'documents';

/** Refreshes all queries with these names. */
export const refreshAll = (...names: readonly QueryName[]): Promise<void> =>
  queryClient.invalidateQueries({ predicate: ({ queryKey }) => names.some((name) => queryKey[2] === name) });

/**
 * A call that a user starts. Clears the errors in the message bar first. Shows a failure there unless `onError` is
 * given, and the message of a success.
 */
export function useAction<R extends RouteDefinition>(
  route: Call<R>,
  options: {
    readonly onSuccess?: (data: DataOf<R>, request: RequestOf<R>) => unknown;
    readonly onError?: (error: Error) => void;
    /** Whether to show the message of a success; default: always. */
    readonly showsMessage?: (request: RequestOf<R>) => boolean;
    /** Names of queries that are outdated after the call, whether it succeeds or fails. */
    readonly changes?: readonly QueryName[];
  } = {},
): UseMutationResult<CallResult<DataOf<R>>, Error, RequestOf<R>> {
  const client = useQueryClient();
  return useMutation(
    {
      mutationFn: async (request: RequestOf<R>) => {
        clearErrors();
        // Requests in progress would fail when the call ends their session.
        if (replacesSession(route)) await client.cancelQueries();
        return route.method === 'GET' ? callForNewest(route, request) : call(route, request);
      },
      onSuccess: ({ data, message }, request) => {
        if (message !== null && options.showsMessage?.(request) !== false) showMessage(message);
        return options.onSuccess?.(data, request);
      },
      onError: (error) => {
        if (replacesSession(route)) void client.invalidateQueries();
        (options.onError ?? ((one: Error) => showError(one.message)))(error);
      },
      onSettled: () => refreshAll(...(options.changes ?? [])),
    },
    client,
  );
}
