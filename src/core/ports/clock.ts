import type { Instant } from '../values/dates.ts';

/**
 * The only source of the time. In production it follows the database's clock, so that leases, watermarks and token
 * expiries agree between processes; tests control it.
 */
export interface Clock {
  now(): Instant;
}
