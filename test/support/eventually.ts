import { vi } from 'vitest';

/** Long enough for slow test machines. */
const limitMs = 60_000;
const intervalMs = 25;

/**
 * Waits until a check passes and returns its result.
 *
 * @throws the check's last error after a minute.
 */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: limitMs, interval: intervalMs });
