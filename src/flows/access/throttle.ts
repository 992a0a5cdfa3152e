import { Refusal } from '#core/refusal.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import type { App } from '../context.ts';

/** How far back tries count. */
const windowSeconds = 900;

/** A name under which tries are counted, and how many of them may stand in the window. */
export interface Counter {
  readonly key: string;
  readonly limit: number;
}

/**
 * Admits a try that counts however it ends, e.g. a wish for a mail, unless there were too many in the last 15 minutes.
 *
 * @throws Refusal `too_many_tries` (429).
 */
export const throttle = (app: App, counters: readonly Counter[]): Promise<void> =>
  admit(app, counters, app.clock.now());

/**
 * Admits a guess at a secret. It counts as wrong from the start, so that a thousand at the same moment are no more than
 * a thousand in a row; call what is answered once it has proved right.
 *
 * @throws Refusal `too_many_tries` (429).
 */
export async function admitGuess(app: App, counters: readonly Counter[]): Promise<() => Promise<void>> {
  const at = app.clock.now();
  await admit(app, counters, at);
  return () =>
    app.store.forgetTry(
      counters.map(({ key }) => key),
      at,
    );
}

/** Counts one try more. */
export const count = (app: App, counters: readonly Counter[]): Promise<void> =>
  app.store.addFailure(
    counters.map(({ key }) => key),
    app.clock.now(),
  );

async function admit(app: App, counters: readonly Counter[], at: Instant): Promise<void> {
  if (!(await app.store.admitTry(counters, addSeconds(at, -windowSeconds), at)))
    throw new Refusal('throttled', 'too_many_tries', 'Too many tries. Please try again in 15 minutes.');
}
