import { once } from 'node:events';
import type { FastifyReply } from 'fastify';
import { hasEnded } from '#contract/calls/jobs.ts';
import { jobChannel, type Announcements } from '#core/ports/announcements.ts';
import type { Job } from '#core/records/jobs.ts';
import type { App } from '#flows/context.ts';
import { TooManyCalls } from './rates.ts';
import { toJobReply } from './routes/wire.ts';
import { onConnectionClosed } from './connection-closed.ts';

/** Minimum interval between two reads of a job, no matter how many changes are announced. */
const lookEveryMs = 500;
/** Interval between reads without an announcement, because announcements can get lost with their connection. */
const unannouncedMs = 5_000;
/** A job with many results is read less often, because each read loads and sends all of them. */
const restPerResultMs = 1;
/** Proxies close idle connections, so a heartbeat is sent at this interval. */
const beatEveryMs = 15_000;
/** Maximum open streams: a browser has few tabs that follow a job, and a client has few browsers. */
const maxStreams = { user: 10, client: 30 } as const;
/** Seconds after which a client with too many open streams may try again, if a stream has ended by then. */
const fullForSeconds = 30;

/** Follows one job. */
export interface JobWatcher {
  /** Yields the job now and after each change, until it ends, is deleted or the signal is aborted. */
  watch(tenantId: string, jobId: string, signal: AbortSignal): AsyncIterable<Job>;
}

/** Shared by all listeners of the same job. */
interface Watch {
  readonly listeners: Set<(job: Job | null) => void>;
  newest: Job | null;
  /** A change was announced since the last read of the job. */
  isChanged: boolean;
  /** Ends the wait for an announcement. */
  wake: () => void;
}

/**
 * Follows jobs: reads a job when a change is announced, and also every few seconds. All followers of a job share its
 * reads, and all followers of a process share one connection for announcements.
 *
 * @param announcements while absent or disconnected, every followed job is read twice a second.
 */
export function jobWatcher(app: Pick<App, 'store'>, announcements?: Announcements): JobWatcher {
  /** Key: client and job, as in the announcements. */
  const watches = new Map<string, Watch>();
  announcements?.on(jobChannel, (key) => {
    const watch = watches.get(key);
    if (watch === undefined) return;
    watch.isChanged = true;
    watch.wake();
  });

  const areHeard = async (): Promise<boolean> =>
    announcements !== undefined &&
    (await announcements.ensure().then(
      () => true,
      () => false,
    ));

  async function look(key: string, watch: Watch, tenantId: string, jobId: string): Promise<void> {
    const store = app.store.forTenant(tenantId);
    let seen = '';
    while (watch.listeners.size > 0) {
      const isHeard = await areHeard();
      // A change announced after this line may be missing from this read.
      watch.isChanged = false;
      const job = await store.readJob(jobId).catch(() => watch.newest);
      const state = JSON.stringify(job);
      watch.newest = job;
      if (state !== seen) for (const listener of watch.listeners) listener(job);
      if (job === null || hasEnded(job)) break;
      seen = state;
      await pause(Math.max(lookEveryMs, job.results.length * restPerResultMs));
      if (!isHeard || watch.isChanged) continue;
      const woken = Promise.withResolvers<void>();
      watch.wake = woken.resolve;
      await pause(unannouncedMs, woken);
    }
    watches.delete(key);
  }

  return {
    async *watch(tenantId, jobId, signal) {
      // Only the newest state: a slow reader skips the states in between.
      let waiting: readonly (Job | null)[] = [];
      let wake: () => void = () => undefined;
      const listener = (job: Job | null): void => {
        waiting = [job];
        wake();
      };
      const key = `${tenantId} ${jobId}`;
      const known = watches.get(key);
      const watch = known ?? { listeners: new Set(), newest: null, isChanged: false, wake: () => undefined };
      watch.listeners.add(listener);
      if (known === undefined) {
        watches.set(key, watch);
        void look(key, watch, tenantId, jobId);
      } else if (known.newest !== null) listener(known.newest);
      const leave = (): void => wake();
      signal.addEventListener('abort', leave, { once: true });
      try {
        while (!signal.aborted) {
          const [job] = waiting;
          waiting = [];
          if (job === undefined) await new Promise<void>((resolve) => (wake = resolve));
          else if (job === null) return;
          else yield job;
          if (job !== undefined && job !== null && hasEnded(job)) return;
        }
      } finally {
        watch.listeners.delete(listener);
        if (watch.listeners.size === 0) watch.wake();
        signal.removeEventListener('abort', leave);
      }
    },
  };
}

/** Waits for this many milliseconds, or until `told` is resolved. */
async function pause(ms: number, woken = Promise.withResolvers<void>()): Promise<void> {
  const timer = setTimeout(woken.resolve, ms);
  await woken.promise;
  clearTimeout(timer);
}

/** Open event streams of users and clients. */
export interface Streams {
  /**
   * Reserves a stream.
   *
   * @returns a function that releases it; it may be called twice.
   * @throws TooManyCalls when the user or the client has the maximum number of open streams.
   */
  open(userId: string, tenantId: string): () => void;
}

/** Counts in the memory of this process. */
export function createStreams(): Streams {
  const counts = new Map<string, number>();
  const change = (key: string, by: number): void => {
    const left = (counts.get(key) ?? 0) + by;
    if (left === 0) counts.delete(key);
    else counts.set(key, left);
  };
  return {
    open(userId, tenantId) {
      const places = [
        { key: `user ${userId}`, most: maxStreams.user },
        { key: `client ${tenantId}`, most: maxStreams.client },
      ];
      if (places.some(({ key, most }) => (counts.get(key) ?? 0) >= most)) throw new TooManyCalls(fullForSeconds);
      for (const { key } of places) change(key, 1);
      let isOpen = true;
      return () => {
        if (isOpen) for (const { key } of places) change(key, -1);
        isOpen = false;
      };
    },
  };
}

/**
 * Sends a job as server-sent events until it ends or the caller disconnects. Headers already set on the reply are sent
 * too.
 *
 * @param isAlive checked at each heartbeat: the stream ends with the session.
 * @param closing aborted when the server shuts down.
 */
export async function streamJob(
  reply: FastifyReply,
  watcher: JobWatcher,
  job: { readonly tenantId: string; readonly id: string },
  isAlive: () => Promise<boolean>,
  closing: AbortSignal,
): Promise<void> {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, {
    ...Object.fromEntries(Object.entries(reply.getHeaders()).filter(([, value]) => value !== undefined)),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    // Nothing else follows on this connection, so a closing server need not wait for the caller to disconnect.
    connection: 'close',
  });
  raw.flushHeaders();
  const gone = new AbortController();
  onConnectionClosed(reply, () => gone.abort());
  const signal = AbortSignal.any([gone.signal, closing]);
  const beat = setInterval(() => {
    raw.write(': beat\n\n');
    isAlive().then(
      (alive) => alive || gone.abort(),
      () => gone.abort(),
    );
  }, beatEveryMs);
  try {
    for await (const one of watcher.watch(job.tenantId, job.id, signal)) {
      if (signal.aborted) break;
      const isTaken = raw.write(eventText(one));
      if (hasEnded(one)) break;
      if (!isTaken) await once(raw, 'drain', { signal }).catch(() => undefined);
    }
  } finally {
    clearInterval(beat);
    raw.end();
  }
}

const eventText = (job: Job): string =>
  `event: ${hasEnded(job) ? 'finished' : 'progress'}\ndata: ${JSON.stringify(toJobReply(job))}\n\n`;
