import { vi } from 'vitest';

/** Far more than anything here takes, so that a busy machine is no reason to fail. */
const limitMs = 60_000;
const intervalMs = 25;

/**
 * Waits until the check passes, and answers what it answers. For what happens by itself: a mail that leaves after an
 * answer, a message that is delivered, a process that is collected.
 *
 * @throws what the check threw last, after a minute.
 */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: limitMs, interval: intervalMs });
