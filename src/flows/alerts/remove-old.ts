import { addSeconds, instant, type Instant } from '#core/values/dates.ts';
import type { App } from '../context.ts';

/** Default months for which logs and jobs are stored: a business year, and a month to close it. */
const defaultMonths = 13;
/** Seconds for which ended sessions, codes and mails are stored. */
const traceRetentionSeconds = 30 * 86_400;
/** Rows deleted in one transaction; small, so that other transactions do not wait long. */
const chunkSize = 500;

/**
 * Removes old rows in chunks; called by the worker. Several workers may run it at once.
 *
 * @param signal ends it between two chunks.
 * @param months for which logs and jobs are stored.
 */
export async function removeOld(
  { store, clock }: Pick<App, 'store' | 'clock'>,
  signal?: AbortSignal,
  months = defaultMonths,
): Promise<void> {
  const now = clock.now();
  const before = { records: monthsBefore(now, months), traces: addSeconds(now, -traceRetentionSeconds) };
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
  // Shorter months use their last day.
  const days = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, days));
  return instant(date);
}
