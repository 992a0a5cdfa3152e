import type { Month } from '#core/reconciliation/month.ts';
import { momentText, secondsBetween } from '#core/values/dates.ts';
import type { TenantContext } from '../context.ts';

/** A refresh that has not ended after this many seconds has died with its process. */
export const maxRunSeconds = 600;

/** State of the last refresh of a month. */
export interface LastRun {
  readonly isRunning: boolean;
  /** Reason why it failed; null if it succeeded, is running, or never started. */
  readonly problem: string | null;
}

/** Returns the state of the last refresh of a month. */
export async function readLastRun(
  { store, clock }: Pick<TenantContext, 'store' | 'clock'>,
  month: Month,
): Promise<LastRun> {
  const run = await store.readCloseRun(month);
  if (run === null || run.endedAt !== null) return { isRunning: false, problem: run?.problem ?? null };
  return secondsBetween(run.startedAt, clock.now()) < maxRunSeconds
    ? { isRunning: true, problem: null }
    : {
        isRunning: false,
        problem: 'The server was stopped before the refresh ended.',
      };
}

/**
 * Returns the time of the last refresh of a month for people, in the client's time zone; null if the refresh failed, or
 * ended more than this many seconds ago.
 */
export async function readRecentTime(
  { store, clock }: Pick<TenantContext, 'store' | 'clock'>,
  month: Month,
  maxAgeSeconds: number,
): Promise<string | null> {
  const run = await store.readCloseRun(month);
  if (run === null || run.endedAt === null || run.problem !== null) return null;
  if (secondsBetween(run.endedAt, clock.now()) >= maxAgeSeconds) return null;
  return momentText(run.endedAt, (await store.readTenant()).timeZone);
}
