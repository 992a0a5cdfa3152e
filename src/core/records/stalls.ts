import { addSeconds, type Instant } from '../values/dates.ts';

/** Consecutive sessions that ended with a defect. */
export interface Stall {
  readonly since: Instant;
  readonly failures: number;
  /** The last failure, in one line, for support. */
  readonly error: string;
}

/** A client is stalled after sessions have failed for this time without a success; a single failure does not count. */
export const stallSeconds = 300;

/** Whether the failures in a row count as a stall. */
export const isStalled = ({ since, failures }: Pick<Stall, 'since' | 'failures'>, now: Instant): boolean =>
  failures > 1 && since <= addSeconds(now, -stallSeconds);
