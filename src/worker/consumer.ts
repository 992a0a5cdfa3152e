import { startLoop } from './loop.ts';

/** Works for several tenants in parallel. */
export interface Consumer {
  /** Records that this tenant has work: it is handled next, unless it is already being handled. */
  wake(tenantId: string): void;
  /** Handles no more tenants, and waits until those in progress have ended, at most this many milliseconds. */
  stop(timeoutMs: number): Promise<void>;
}

/** Milliseconds between searches for tenants whose work was not announced, or was left by another worker. */
const lookEveryMs = 2_000;
/** Maximum tenants per search; later searches find the others. */
const lookLimit = 1_000;
/** Pause of a tenant whose work failed because of a bug: one second, doubled each time, at most half a minute. */
const backoffMs = { first: 1_000, max: 30_000 } as const;

/**
 * Works for tenants that have work: announced ones, and those found by a search of the tables every two seconds. A free
 * permit is reused immediately. Only the lease decides which worker gets a tenant, so outdated results, repeated
 * announcements and parallel searches do no harm.
 *
 * @param parts.look returns tenants that have work and no worker, longest waiting first.
 * @param parts.handle works for one tenant, and returns immediately if another worker has it.
 */
export function startConsumer(parts: {
  readonly permits: number;
  readonly look: (limit: number) => Promise<readonly string[]>;
  readonly handle: (tenantId: string) => Promise<void>;
  readonly onError: (error: unknown) => void;
}): Consumer {
  const underWay = new Map<string, Promise<void>>();
  const backoffs = new Map<string, { readonly until: number; readonly ms: number }>();
  let announced: string[] = [];
  let waiting: string[] = [];
  /** The last search found as many as allowed, so there are probably more. */
  let isMore = false;
  let isStopped = false;

  function next(): string | undefined {
    for (;;) {
      const tenantId = announced.shift() ?? waiting.shift();
      if (tenantId === undefined || !underWay.has(tenantId)) return tenantId;
    }
  }

  function fill(): void {
    if (isStopped) return;
    while (underWay.size < parts.permits) {
      const tenantId = next();
      if (tenantId === undefined) break;
      if (performance.now() >= (backoffs.get(tenantId)?.until ?? 0)) underWay.set(tenantId, work(tenantId));
    }
    if (isMore && waiting.length === 0 && underWay.size < parts.permits) loop.now();
  }

  async function work(tenantId: string): Promise<void> {
    // Ensures that the caller has recorded the work as in progress before it ends, even if it ends immediately.
    await Promise.resolve();
    try {
      await parts.handle(tenantId);
      backoffs.delete(tenantId);
    } catch {
      const ms = Math.min((backoffs.get(tenantId)?.ms ?? backoffMs.first / 2) * 2, backoffMs.max);
      backoffs.set(tenantId, { until: performance.now() + ms, ms });
    }
    underWay.delete(tenantId);
    fill();
  }

  const loop = startLoop(
    lookEveryMs,
    async () => {
      isMore = false;
      const found = await parts.look(lookLimit);
      isMore = found.length === lookLimit;
      // Workers that search at the same moment start with different tenants.
      waiting = shuffled(found);
      fill();
    },
    parts.onError,
  );

  return {
    wake(tenantId) {
      announced.push(tenantId);
      fill();
    },
    async stop(timeoutMs) {
      isStopped = true;
      await loop.stop();
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, timeoutMs)));
      await Promise.race([Promise.all(underWay.values()), late]);
      clearTimeout(timer);
    },
  };
}

function shuffled<T>(rows: readonly T[]): T[] {
  return rows
    .map((row) => ({ row, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ row }) => row);
}
