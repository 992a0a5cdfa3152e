import type { Instant } from '../values/dates.ts';

/**
 * The only way to know the time. In production it follows the database's clock, so that leases, watermarks and token
 * ends agree between processes; tests move it.
 */
export interface Clock {
  now(): Instant;
}
