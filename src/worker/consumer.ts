import { startLoop } from './loop.ts';

/** Works for tenants, so many at once. */
export interface Consumer {
  /** Notes that this tenant has work: it is taken next, unless it is under way already. */
  wake(tenantId: string): void;
  /** Takes no further tenant and waits until those under way have ended, or for so long. */
  stop(longestMs: number): Promise<void>;
}

/** How often is looked for tenants with work that nobody announced, or that another worker has left. */
const lookEveryMs = 2_000;
/** Most tenants of one look; the others come with a later one. */
const lookLimit = 1_000;
/** A tenant whose work failed by our own fault waits for a second, then for twice as long each time, up to half a minute. */
const backoffMs = { first: 1_000, most: 30_000 } as const;

/**
 * Works for tenants that have something to do: those that were announced, and those that a look at the tables finds every
 * two seconds. A free permit is used again at once. Which worker gets a tenant is decided by its lease alone, so
 * whatever is announced twice, looked up by several workers or out of date does no harm.
 *
 * @param parts.look answers tenants that have work and no worker, longest waiting first.
 * @param parts.handle works for one tenant, and leaves at once when another worker has it.
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
  /** The last look found as many as it may: when they are taken, there are more. */
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
    // The work is known to be under way before it has ended, even when it ends at once.
    await Promise.resolve();
    try {
      await parts.handle(tenantId);
      backoffs.delete(tenantId);
    } catch {
      const ms = Math.min((backoffs.get(tenantId)?.ms ?? backoffMs.first / 2) * 2, backoffMs.most);
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
      // Workers that look at the same moment begin with different tenants.
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
    async stop(longestMs) {
      isStopped = true;
      await loop.stop();
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, longestMs)));
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
