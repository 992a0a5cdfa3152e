import { addSeconds, instant, type Instant } from '#core/values/dates.ts';
import type { App } from '../context.ts';

/** Logs and jobs are kept this long: a business year, and a month to close it. */
const keptMonths = 13;
/** Sessions, codes and mails that ended. */
const keptTraceSeconds = 30 * 86_400;
/** Rows that go in one transaction: nobody who works meanwhile waits for long. */
const chunkSize = 500;

/**
 * Removes what is too old, portion by portion; asked for by the worker. Several workers may do so at once.
 *
 * @param signal ends it between two portions.
 */
export async function removeOld({ store, clock }: Pick<App, 'store' | 'clock'>, signal?: AbortSignal): Promise<void> {
  const now = clock.now();
  const before = { records: monthsBefore(now, keptMonths), traces: addSeconds(now, -keptTraceSeconds) };
  for (;;) {
    if (signal?.aborted === true) return;
    if ((await store.removeOld(before, chunkSize)) === 0) return;
  }
}

function monthsBefore(at: Instant, months: number): Instant {
  const date = new Date(at);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() - months);
  // The last day of a shorter month stands in for a day that it does not have.
  const days = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, days));
  return instant(date);
}
