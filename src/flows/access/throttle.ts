import { Refusal } from '#core/refusal.ts';
import { addSeconds } from '#core/values/dates.ts';
import type { App } from '../context.ts';

/** How far back tries count. */
const windowSeconds = 900;

/** A name under which tries are counted, and how many of them may stand in the window. */
export interface Counter {
  readonly key: string;
  readonly limit: number;
}

/**
 * Refuses what was tried too often in the last 15 minutes.
 *
 * @param options.counts this very try counts too; otherwise the caller counts the tries that failed.
 * @throws Refusal `too_many_tries` (429).
 */
export async function throttle(
  app: App,
  counters: readonly Counter[],
  options: { readonly counts?: boolean } = {},
): Promise<void> {
  const now = app.clock.now();
  const since = addSeconds(now, -windowSeconds);
  for (const { key, limit } of counters) {
    const isAdmitted =
      options.counts === true
        ? await app.store.admitTry(key, limit, since, now)
        : (await app.store.countFailures([key], since)) < limit;
    if (!isAdmitted)
      throw new Refusal('throttled', 'too_many_tries', 'Too many tries. Please try again in 15 minutes.');
  }
}

/** Counts one try that failed. */
export const count = (app: App, counters: readonly Counter[]): Promise<void> =>
  app.store.addFailure(
    counters.map(({ key }) => key),
    app.clock.now(),
  );
