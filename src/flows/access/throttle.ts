import { networkOf, networkShare } from '#core/caller.ts';
import { Refusal } from '#core/refusal.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import type { App } from '../context.ts';

/** Length of the window in which tries count. */
const windowSeconds = 900;

/** A key under which tries are counted, and the maximum in the window. */
export interface Counter {
  readonly key: string;
  readonly limit: number;
}

/**
 * Returns the counters of a network address: its own, and that of its IPv6 /56.
 *
 * @param caller from {@link callerOf}.
 * @param keyOf returns the key for one of them.
 */
export function countersAt(caller: string, limit: number, keyOf: (address: string) => string): readonly Counter[] {
  const network = networkOf(caller);
  return [
    { key: keyOf(caller), limit },
    ...(network === null ? [] : [{ key: keyOf(network), limit: limit * networkShare }]),
  ];
}

/**
 * Admits a try that always counts, for example a request for a mail, unless there were too many in the last 15 minutes.
 *
 * @throws Refusal `too_many_tries` (429).
 */
export const throttle = (app: Pick<App, 'store' | 'clock'>, counters: readonly Counter[]): Promise<void> =>
  admit(app, counters, app.clock.now());

/**
 * Admits a guess at a secret. It counts as wrong at first, so that parallel guesses do not pass the limit. Call the
 * returned function when the guess was right.
 *
 * @param counters of wrong guesses.
 * @param ofAll counters of all guesses; right ones count too.
 * @throws Refusal `too_many_tries` (429).
 */
export async function admitGuess(
  app: App,
  counters: readonly Counter[],
  ofAll: readonly Counter[] = [],
): Promise<() => Promise<void>> {
  const at = app.clock.now();
  await admit(app, [...counters, ...ofAll], at);
  return () =>
    app.store.forgetTry(
      counters.map(({ key }) => key),
      at,
    );
}

/**
 * Checks an admitted guess. A guess that the full hash queue refused was never checked, so it does not count: users who
 * retry during a storm of logins must not be locked out. A right guess during maintenance does not count either.
 *
 * @param forget from {@link admitGuess}.
 */
export async function uncountedWhenBusy<T>(forget: () => Promise<void>, check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof Refusal && (error.kind === 'overloaded' || error.kind === 'maintenance')) await forget();
    throw error;
  }
}

/** Counts the test messages to receivers that the users of a client have entered: 60 in 15 minutes. */
export const testsOf = (tenantId: string): Counter => ({ key: `webhook tests of ${tenantId}`, limit: 60 });

/** Counts one try. */
export const count = (app: App, counters: readonly Counter[]): Promise<void> =>
  app.store.addFailure(
    counters.map(({ key }) => key),
    app.clock.now(),
  );

/** Counts an event, and returns false when there were too many in the last 15 minutes. */
export const isAdmitted = (
  app: Pick<App, 'store' | 'clock'>,
  counters: readonly Counter[],
  at = app.clock.now(),
): Promise<boolean> => app.store.admitTry(counters, addSeconds(at, -windowSeconds), at);

async function admit(app: Pick<App, 'store' | 'clock'>, counters: readonly Counter[], at: Instant): Promise<void> {
  if (!(await isAdmitted(app, counters, at)))
    throw new Refusal('throttled', 'too_many_tries', 'Too many tries. Please try again in 15 minutes.');
}
