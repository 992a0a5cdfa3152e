import { setTimeout as delay } from 'node:timers/promises';

/** Repeats an action until it returns, for at most two minutes. @throws its last error. */
export async function eventually<T>(act: () => T | Promise<T>, maxMs = 120_000): Promise<T> {
  for (const until = performance.now() + maxMs; ; await delay(250))
    try {
      return await act();
    } catch (error) {
      if (performance.now() > until) throw error;
    }
}
