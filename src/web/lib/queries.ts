import {
  notifyManager,
  QueryCache,
  QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
  type UseMutationResult,
} from '@tanstack/react-query';
import { listAttention } from '#contract/attention.ts';
import { listDrafts, readRun } from '#contract/drafts.ts';
import { readAccount } from '#contract/auth.ts';
import { type DataOf, type RequestOf, type RouteDefinition } from '#contract/define.ts';
import { hasEnded, type JobReply, listJobs } from '#contract/jobs.ts';
import { readMonth } from '#contract/month.ts';
import { listLogs } from '#contract/logs.ts';
import { readSubscription } from '#contract/subscription.ts';
import { type Answer, call, CallError, replacesSession } from './call.ts';
import { currentSession } from './current-session.ts';
import { withResults } from './job-list.ts';
import { clearErrors, showError, showMessage } from './flash.ts';

const minuteMs = 60_000;
/** A service that is slow is asked again after so long, at most so often. */
const askAgainMs = 3_000;
const mostAskedAgain = 8;

/** Whether a call that has failed so often is made again because a service is still being read for it. */
export const isStillReading = (failures: number, error: Error): boolean =>
  failures < mostAskedAgain && error instanceof CallError && error.isStillReading;

/** Fetches that were answered with stored data, by their signals. */
const fetchesStillReading = new WeakSet<AbortSignal>();
/** How often in a row a query has got stored data. */
const storedInARow = new WeakMap<object, number>();

// A button is busy before the second click of a double click comes: an action that is under way is not begun again.
notifyManager.setScheduler(queueMicrotask);

/** Holds what the server answered; what is shown while it is asked again is the answer before. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    // A screen without data shows the failure itself; over older data only the bar can. Looking for jobs is silent, and
    // a search says beside its button why it failed.
    onError: (error, query) => {
      if (query.state.data !== undefined && !['jobs', 'psa'].includes(String(query.queryKey[2])))
        showError(error.message);
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      gcTime: 10 * minuteMs,
      // A screen that is still there when its session ends does not ask again for nobody.
      enabled: ({ queryKey }) => queryKey[0] !== null,
      // A refusal will not change its mind; a lost connection may.
      retry: (failures, error) =>
        isStillReading(failures, error) ||
        (failures < 2 && (!(error instanceof CallError) || error.status === 0 || error.status >= 502)),
      retryDelay: (failures) => Math.min(1_000 * 2 ** failures, askAgainMs),
      // What a screen has got of stored data it asks for again, until the service has answered.
      persister: async (ask, context, query) => {
        const data = await ask(context);
        const times = fetchesStillReading.has(context.signal) ? (storedInARow.get(query) ?? 0) + 1 : 0;
        storedInARow.set(query, times);
        if (times > 0)
          setTimeout(() => {
            if (query.isActive()) void queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true });
          }, times * askAgainMs);
        return data;
      },
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});

/** Every key begins with whose data it is: answers for one client can never be shown to another. */
export const ours = (...key: readonly unknown[]): readonly unknown[] => {
  const claims = currentSession()?.claims;
  return [claims?.username ?? null, claims?.client?.id ?? null, ...key];
};

/** Asks a call of the contract on behalf of a query. */
export const read = async <R extends RouteDefinition>(
  route: R,
  request: RequestOf<R>,
  signal?: AbortSignal,
): Promise<DataOf<R>> => {
  const answer = await call(route, request, signal);
  if (answer.isStillReading && signal !== undefined) fetchesStillReading.add(signal);
  return answer.data;
};

/**
 * Makes a call until its answer has nothing stored in it, for a person who has asked for the newest data and sees that it
 * is being read; after half a minute with what there is.
 *
 * @throws CallError as {@link call}.
 */
async function callForNewest<R extends RouteDefinition>(route: R, request: RequestOf<R>): Promise<Answer<DataOf<R>>> {
  let next = request;
  for (let asked = 0; ; asked += 1) {
    const answer = await call(route, next).catch((error: unknown) => {
      if (error instanceof Error && isStillReading(asked, error)) return null;
      throw error;
    });
    if (answer !== null) {
      if (!answer.isStillReading || asked >= mostAskedAgain) return answer;
      next = withoutRefresh<R>(request);
    }
    await new Promise((resolve) => {
      setTimeout(resolve, askAgainMs);
    });
  }
}

/** The reading that a request has begun need not begin again. */
function withoutRefresh<R extends RouteDefinition>(request: RequestOf<R>): RequestOf<R> {
  const { query, ...rest } = { query: {}, ...(request as object) };
  return { ...rest, query: { ...query, refresh: undefined } } as RequestOf<R>;
}

/** The same on behalf of a query. */
export const readNewest = async <R extends RouteDefinition>(route: R, request: RequestOf<R>): Promise<DataOf<R>> =>
  (await callForNewest(route, request)).data;

/** The subscription of the session's client; null when there is none. */
export const subscriptionQuery = () =>
  queryOptions({
    queryKey: ours('subscription'),
    queryFn: ({ signal }) => read(readSubscription, {}, signal),
    staleTime: minuteMs,
  });

/** The account of the person who is signed in. */
export const accountQuery = () =>
  queryOptions({
    queryKey: ours('account'),
    queryFn: ({ signal }) => read(readAccount, {}, signal),
  });

/** The newest jobs; asked again and again while one of them runs, and now and then for one that the clock started. */
export const jobsQuery = () =>
  queryOptions({
    queryKey: ours('jobs'),
    queryFn: async ({ signal, queryKey }) => {
      const { jobs } = await read(listJobs, {}, signal);
      return withResults(queryClient.getQueryData<readonly JobReply[]>(queryKey), jobs);
    },
    refetchInterval: ({ state }) => (state.data?.some((job) => !hasEnded(job)) === true ? 5_000 : minuteMs / 2),
    // A tab that the user returns to shows at once what another tab has synced.
    refetchOnWindowFocus: 'always',
  });

/** Documents that need attention, grouped by cause; read again every minute. */
export const attentionQuery = () =>
  queryOptions({
    queryKey: ours('attention'),
    queryFn: ({ signal }) => read(listAttention, {}, signal),
    refetchInterval: minuteMs,
  });

/** Documents that wait for approval, in portions. @param page counted from 1 */
export const draftsQuery = (page: number, pageSize: number) =>
  queryOptions({
    queryKey: ours('drafts', page, pageSize),
    queryFn: ({ signal }) => read(listDrafts, { query: { page, page_size: pageSize } }, signal),
    refetchInterval: minuteMs,
    placeholderData: (previous) => previous,
  });

/** All that waits for approval, added up. */
export const approvalRunQuery = () =>
  queryOptions({
    queryKey: ours('drafts', 'run'),
    queryFn: ({ signal }) => read(readRun, {}, signal),
  });

/** How this month stands on both sides; both services are asked, so not at every look. */
export const monthQuery = () =>
  queryOptions({
    queryKey: ours('month'),
    queryFn: ({ signal }) => read(readMonth, {}, signal),
    staleTime: 5 * minuteMs,
    retry: isStillReading,
  });

/** How many documents were synced, and how many were not, since a moment. */
export const activityQuery = (since: string) =>
  queryOptions({
    queryKey: ours('logs', 'activity', since.slice(0, 13)),
    queryFn: async ({ signal }) => {
      const count = async (success: boolean) =>
        (await read(listLogs, { query: { after: since, mode: 'live', success, page_size: 1 } }, signal)).total;
      const [synced, failed] = await Promise.all([count(true), count(false)]);
      return { synced, failed };
    },
    staleTime: minuteMs,
  });

/** Names of queries that a call can make untrue. */
export type QueryName =
  | 'subscription'
  | 'jobs'
  | 'logs'
  | 'psa'
  | 'attention'
  | 'month'
  | 'second-factor'
  | 'account'
  | 'clients'
  | 'alerts'
  | 'users'
  | 'sessions'
  | 'settings'
  | 'lists'
  | 'mappings'
  | 'closes'
  | 'drafts';

/** Asks again for everything whose key has this name. */
export const refreshAll = (name: QueryName): Promise<void> =>
  queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[2] === name });

/**
 * A call that a user starts. Errors leave the message bar first. A failure is shown there unless `onError` is given,
 * and so is the message of a success.
 */
export function useAction<R extends RouteDefinition>(
  route: R,
  options: {
    readonly onSuccess?: (data: DataOf<R>, request: RequestOf<R>) => unknown;
    readonly onError?: (error: Error) => void;
    /** Whether the message of a success is shown; always unless given. */
    readonly showsMessage?: (request: RequestOf<R>) => boolean;
    /** Names of queries that are no longer true afterwards, however the call ended. */
    readonly changes?: readonly QueryName[];
  } = {},
): UseMutationResult<Answer<DataOf<R>>, Error, RequestOf<R>> {
  const client = useQueryClient();
  return useMutation(
    {
      mutationFn: async (request: RequestOf<R>) => {
        clearErrors();
        // Readings that are under way would be refused by the end of the session that they ask with.
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
      onSettled: () => Promise.all((options.changes ?? []).map(refreshAll)),
    },
    client,
  );
}
