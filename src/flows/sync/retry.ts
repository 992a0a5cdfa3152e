import { ServiceError, type ServiceFailure } from '#core/service-error.ts';
import type { TenantContext } from '../context.ts';

/** The part of a run that sending to a service needs. */
interface Sender {
  readonly context: Pick<TenantContext, 'failpoint' | 'sleep'>;
  readonly signal: AbortSignal;
  readonly proveHeld: () => Promise<void>;
  readonly limitPsaWrites: <T>(call: () => Promise<T>) => Promise<T>;
}

/** Waits between tries within a job, in milliseconds (domain reference 11.4); each varies by up to a fifth. */
const waitsMs = [2_000, 8_000, 30_000] as const;
/** Longest wait for a service or for our own limit of a minute, which is counted slightly longer; then the next run retries. */
const maxWaitMs = 65_000;
/** Maximum total time that a call waits for our own limits. */
const maxQueueMs = 600_000;

/**
 * Makes one outside call that changes something, as a failpoint. Repeats it only if the service certainly applied
 * nothing and asked to retry. Waits caused by our own limits do not count as tries, because many calls may wait for the
 * same minute.
 *
 * @throws ServiceError the last one.
 * @throws LeaseLost when another worker has taken over while this process was suspended; nothing is sent.
 * @throws ProcessStopping when the process stops, or maintenance began; nothing is sent.
 */
export async function withRetry<T>(
  run: Omit<Sender, 'limitPsaWrites'>,
  name: string,
  call: () => Promise<T>,
): Promise<T> {
  for (let tries = 0, queuedMs = 0; ;) {
    try {
      return await once(run, name, call);
    } catch (error) {
      if (isOwnLimit(error) && error.about.waitMs <= maxWaitMs && queuedMs < maxQueueMs && !run.signal.aborted) {
        queuedMs += error.about.waitMs;
        await run.context.sleep(error.about.waitMs);
        continue;
      }
      const wait = waitsMs[tries];
      tries += 1;
      if (!(error instanceof ServiceError) || error.about.next !== 'try_again' || wait === undefined) throw error;
      // The same body would be stale again.
      if (error.about.outcome === 'unknown' || error.about.cause === 'stale') throw error;
      const requestedMs = error.about.waitMs ?? 0;
      if (requestedMs > maxWaitMs) throw error;
      // Another worker repeats it.
      run.signal.throwIfAborted();
      await run.context.sleep(Math.max(requestedMs, wait * (0.8 + Math.random() * 0.4)));
    }
  }
}

/** Returns true if one of our limits stopped the call before it was sent, with the time to wait. */
const isOwnLimit = (
  error: unknown,
): error is ServiceError & { readonly about: ServiceFailure & { readonly waitMs: number } } =>
  error instanceof ServiceError && error.about.status === undefined && error.about.waitMs !== undefined;

/**
 * Makes a call that changes the PSA, within its limit of parallel calls. It writes a fixed value, so the connector
 * retries it; there are no retries here.
 *
 * @throws ServiceError, LeaseLost as {@link withRetry}.
 */
export const withPsaPermit = <T>(run: Sender, name: string, call: () => Promise<T>): Promise<T> =>
  run.limitPsaWrites(() => once(run, name, call));

async function once<T>(run: Omit<Sender, 'limitPsaWrites'>, name: string, call: () => Promise<T>): Promise<T> {
  await run.context.failpoint(name, 'before');
  await run.proveHeld();
  // A wait before the call may have been long.
  run.signal.throwIfAborted();
  const answer = await call();
  await run.context.failpoint(name, 'after');
  return answer;
}
