import { once } from 'node:events';
import type { FastifyReply } from 'fastify';
import { hasEnded } from '#contract/jobs.ts';
import { jobChannel, type Announcements } from '#core/ports/announcements.ts';
import type { Job } from '#core/ports/jobs.ts';
import type { App } from '#flows/context.ts';
import { TooManyCalls } from './rates.ts';
import { toJobReply } from './routes/wire.ts';
import { whenClosed } from './when-closed.ts';

/** Looks at a job are so far apart at least, whatever is announced. */
const lookEveryMs = 500;
/** Looks at a job of which nothing was announced: an announcement may get lost with its connection. */
const unannouncedMs = 5_000;
/** A job with many results is looked at less often: all of them are read, and sent, each time. */
const restPerResultMs = 1;
/** Proxies cut connections on which nothing moves. */
const beatEveryMs = 15_000;
/** Streams that are open at once: a browser has few tabs that follow a job, a client few browsers. */
const mostStreams = { user: 10, client: 30 } as const;
/** Seconds after which a client with too many open streams may try again, if it has closed one or one has ended. */
const fullForSeconds = 30;

/** Follows one job. */
export interface JobWatcher {
  /** The job now and after each change, until it has ended, is gone or the signal is raised. */
  watch(tenantId: string, jobId: string, signal: AbortSignal): AsyncIterable<Job>;
}

/** One listener per job that somebody watches, however many watch it. */
interface Watch {
  readonly listeners: Set<(job: Job | null) => void>;
  newest: Job | null;
  /** A change was announced, and the job was not looked at since. */
  isChanged: boolean;
  /** Ends the wait for an announcement. */
  wake: () => void;
}

/**
 * Follows jobs: looks at one when a change of it is announced, and every few seconds all the same. All who follow the same job
 * share one look at a time, and all followers of a process one connection for announcements.
 *
 * @param announcements absent, or while they do not arrive: every job that is followed is looked at twice a second.
 */
export function jobWatcher(app: Pick<App, 'store'>, announcements?: Announcements): JobWatcher {
  /** By client and job, as jobs announce themselves. */
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
      // A change that is announced from here on may come too late for this look.
      watch.isChanged = false;
      const job = await store.readJob(jobId).catch(() => watch.newest);
      const state = JSON.stringify(job);
      watch.newest = job;
      if (state !== seen) for (const listener of watch.listeners) listener(job);
      if (job === null || hasEnded(job)) break;
      seen = state;
      await pause(Math.max(lookEveryMs, job.results.length * restPerResultMs));
      if (!isHeard || watch.isChanged) continue;
      const told = Promise.withResolvers<void>();
      watch.wake = told.resolve;
      await pause(unannouncedMs, told);
    }
    watches.delete(key);
  }

  return {
    async *watch(tenantId, jobId, signal) {
      // The newest only: whoever reads slowly is told of the job as it is by then.
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

/** Waits so many milliseconds, or until it is told. */
async function pause(ms: number, told = Promise.withResolvers<void>()): Promise<void> {
  const timer = setTimeout(told.resolve, ms);
  await told.promise;
  clearTimeout(timer);
}

/** Open event streams of users and clients. */
export interface Streams {
  /**
   * Takes a place for a stream.
   *
   * @returns gives it back; may be called twice.
   * @throws TooManyCalls when the user or the client has as many open as they may.
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
        { key: `user ${userId}`, most: mostStreams.user },
        { key: `client ${tenantId}`, most: mostStreams.client },
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
 * Sends a job as server-sent events until it has ended or the caller leaves. Headers that were set on the reply go out
 * with it.
 *
 * @param isAlive asked at each beat: the stream ends with the session.
 * @param closing raised when the server shuts down.
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
    // The stream is the connection's last answer; a server that closes need not wait for the caller to let go.
    connection: 'close',
  });
  raw.flushHeaders();
  const gone = new AbortController();
  whenClosed(reply, () => gone.abort());
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
