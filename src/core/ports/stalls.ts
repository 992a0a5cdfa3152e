import { addSeconds, type Instant } from '../values/dates.ts';

/** Clients for which nothing goes on, because a defect of ours ends every session. */
export interface StallStore {
  /** Notes that a session has failed; answers what is known of the failures in a row. */
  noteSessionFailure(error: string, at: Instant): Promise<Stall>;
  /** The newest session has done its work. */
  endStall(): Promise<void>;
  /** Null when the newest session has done its work. */
  readStall(): Promise<Stall | null>;
}

/** Sessions in a row that ended with a defect. */
export interface Stall {
  readonly since: Instant;
  readonly failures: number;
  /** The last failure, in one line, for support. */
  readonly error: string;
}

/** A client stands still once sessions in a row have failed, without one that worked, for so long; one may be chance. */
export const stallSeconds = 300;

/** Whether failures in a row are more than chance. */
export const isStalled = ({ since, failures }: Pick<Stall, 'since' | 'failures'>, now: Instant): boolean =>
  failures > 1 && since <= addSeconds(now, -stallSeconds);
