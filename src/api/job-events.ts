import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { hasEnded } from '#contract/jobs.ts';
import type { Job } from '#core/ports/jobs.ts';
import type { App } from '#flows/context.ts';
import type { JobWatcher } from './dependencies.ts';
import { toJobReply } from './routes/wire.ts';

const lookEveryMs = 500;
/** Proxies cut connections on which nothing moves. */
const beatEveryMs = 15_000;

/** Follows a job by looking at it; for servers that are not told of changes. */
export function pollingWatcher(app: Pick<App, 'store'>): JobWatcher {
  return {
    async *watch(tenantId, jobId, signal) {
      const store = app.store.forTenant(tenantId);
      let seen = '';
      while (!signal.aborted) {
        const job = await store.readJob(jobId);
        if (job === null) return;
        const state = JSON.stringify(job);
        if (state !== seen) yield job;
        if (hasEnded(job)) return;
        seen = state;
        await delay(lookEveryMs, undefined, { signal }).catch(() => undefined);
      }
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
  raw.once('close', () => gone.abort());
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
      raw.write(eventText(one));
      if (hasEnded(one)) break;
    }
  } finally {
    clearInterval(beat);
    raw.end();
  }
}

const eventText = (job: Job): string =>
  `event: ${hasEnded(job) ? 'finished' : 'progress'}\ndata: ${JSON.stringify(toJobReply(job))}\n\n`;
