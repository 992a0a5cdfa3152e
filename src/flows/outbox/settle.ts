import type { SendFailure, TakenMessage } from '#core/records/outbox.ts';
import { addSeconds } from '#core/values/dates.ts';
import type { App } from '../context.ts';

/** Seconds before the second attempt; they double with each further attempt. */
const firstPauseSeconds = 60;
const maxPauseSeconds = 3_600;
/** An email: about one day, so that an operator can fix a mail server or free disk space. A chat message: about two hours. */
const maxTries = { mail: 28, chat: 8 } as const;

/**
 * Records the result of sending a message: ends it, or schedules another try. A message that may have arrived is
 * repeated once.
 *
 * @param failure null if the message was sent
 * @returns whether this was the last attempt.
 */
export async function settle(
  { store, clock }: Pick<App, 'store' | 'clock'>,
  message: Pick<TakenMessage, 'id' | 'kind' | 'tries' | 'mayHaveArrived'>,
  failure: SendFailure | null,
): Promise<boolean> {
  const { id, kind, tries } = message;
  const isLast =
    failure === null ||
    failure.isFinal ||
    (failure.mayHaveArrived && message.mayHaveArrived) ||
    tries >= maxTries[kind];
  if (isLast) await store.endMessage(id, clock.now());
  else {
    const pauseSeconds = Math.min(firstPauseSeconds * 2 ** (tries - 1), maxPauseSeconds);
    const at = addSeconds(clock.now(), Math.max(pauseSeconds, Math.ceil(failure.waitMs / 1_000)));
    await store.retryMessage(id, at, failure.mayHaveArrived);
  }
  return isLast;
}
