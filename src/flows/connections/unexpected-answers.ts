import type { CountedUnexpected } from '#core/records/unexpected-answers.ts';
import type { App } from '../context.ts';

/**
 * Saves the answers that contradict a fact for the operator, and logs each. Called at intervals by every process.
 *
 * @param take returns the answers that this process noted since the last call.
 * @param count counts them for the metrics.
 */
export async function saveUnexpectedAnswers(
  { store, clock, logger }: Pick<App, 'store' | 'clock' | 'logger'>,
  take: () => readonly CountedUnexpected[],
  count: (answer: CountedUnexpected) => void,
): Promise<void> {
  const taken = take();
  for (const one of taken) {
    count(one);
    logger.warn({ ...one }, 'an answer of a service contradicts a fact');
  }
  if (taken.length > 0) await store.addUnexpected(taken, clock.now());
}
