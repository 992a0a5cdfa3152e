import { ServiceError } from '#core/service-error.ts';
import { defaultMaxWaitMs } from './rate-limiter.ts';

/** Tries of a call that may be repeated. */
const tries = 3;
const firstBackoffMs = 300;

/**
 * Middleware: repeats a call that is safe to send again (a read, or a write of a fixed value) after temporary failures,
 * with growing, jittered pauses. It is the only layer that repeats such a call inside a job; the rate limiter applies
 * longer waits requested by the service.
 *
 * @param sleep waits for a pause.
 * @throws ServiceError of the last try; at once if the service asks to wait longer than about a minute.
 */
export const withRetry =
  <Call, Answer>(
    sleep: (ms: number) => Promise<unknown>,
    next: (call: Call) => Promise<Answer>,
  ): ((call: Call) => Promise<Answer>) =>
  async (call) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await next(call);
      } catch (error) {
        if (!(error instanceof ServiceError) || error.about.next !== 'try_again' || attempt === tries) throw error;
        if ((error.about.waitMs ?? 0) > defaultMaxWaitMs) throw error;
        await sleep(firstBackoffMs * 2 ** (attempt - 1) * (0.75 + Math.random() / 2));
      }
    }
  };
