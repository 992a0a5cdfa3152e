import { ServiceError, type ServiceFailure } from '#core/service-error.ts';
import type { TenantContext } from '../context.ts';

/** The part of a run that a send to a service needs. */
interface Sender {
  readonly context: Pick<TenantContext, 'failpoint' | 'sleep'>;
  readonly signal: AbortSignal;
  readonly proveHeld: () => Promise<void>;
  readonly limitPsaWrites: <T>(call: () => Promise<T>) => Promise<T>;
}

/** Waits between tries inside a job, in milliseconds (domain reference 11.4); each is varied by up to a fifth. */
const waitsMs = [2_000, 8_000, 30_000] as const;
/** A service that asks for more patience than this is left to the next run. */
const longestWaitMs = 60_000;
/** Calls wait in line for our own limits for no longer than this, all waits of one together. */
const longestInLineMs = 600_000;

/**
 * Makes one outside call that changes something, as a failpoint. It is repeated only when it is certain that nothing was
 * carried out and the service asked to come again. A call that our own limits have kept from leaving has not been tried:
 * many that wait for the same minute come to their turn one after the other.
 *
 * @throws ServiceError the last one.
 * @throws LeaseLost when another worker has taken over while this process stood still: then nothing is sent.
 */
export async function withRetry<T>(
  run: Omit<Sender, 'limitPsaWrites'>,
  name: string,
  call: () => Promise<T>,
): Promise<T> {
  for (let tries = 0, inLineMs = 0; ;) {
    try {
      return await once(run, name, call);
    } catch (error) {
      if (
        isOwnLimit(error) &&
        error.about.waitMs <= longestWaitMs &&
        inLineMs < longestInLineMs &&
        !run.signal.aborted
      ) {
        inLineMs += error.about.waitMs;
        await run.context.sleep(error.about.waitMs);
        continue;
      }
      const wait = waitsMs[tries];
      tries += 1;
      if (!(error instanceof ServiceError) || error.about.next !== 'try_again' || wait === undefined) throw error;
      // The same words would be as stale the next time.
      if (error.about.outcome === 'unknown' || error.about.cause === 'stale') throw error;
      const asked = error.about.waitMs ?? 0;
      if (asked > longestWaitMs || run.signal.aborted) throw error;
      await run.context.sleep(Math.max(asked, wait * (0.8 + Math.random() * 0.4)));
    }
  }
}

/** Nothing has left, and no service has answered: a limit of ours says when to ask again. */
const isOwnLimit = (
  error: unknown,
): error is ServiceError & { readonly about: ServiceFailure & { readonly waitMs: number } } =>
  error instanceof ServiceError && error.about.status === undefined && error.about.waitMs !== undefined;

/**
 * Makes a call that changes the PSA: few at once, so that its limit of threads is kept. It writes a fixed value, so the
 * connector repeats it by itself; nothing is repeated here.
 *
 * @throws ServiceError, LeaseLost likewise.
 */
export const withPsaPermit = <T>(run: Sender, name: string, call: () => Promise<T>): Promise<T> =>
  run.limitPsaWrites(() => once(run, name, call));

async function once<T>(run: Pick<Sender, 'context' | 'proveHeld'>, name: string, call: () => Promise<T>): Promise<T> {
  await run.context.failpoint(name, 'before');
  await run.proveHeld();
  const answer = await call();
  await run.context.failpoint(name, 'after');
  return answer;
}
