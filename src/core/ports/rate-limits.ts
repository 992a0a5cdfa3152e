import type { Instant } from '../values/dates.ts';

/**
 * The published limits of the services, shared by all workers. A permit says how long to wait before a call may leave.
 */
export interface RateLimits {
  /**
   * Takes a call from every named window at once, and a permit among the calls under way, or nothing of it.
   *
   * @param permit none when calls at once are not limited; {@link RateLimits.release} ends it, or its time.
   * @returns 0 when the call may leave now, otherwise the milliseconds to wait before asking again.
   */
  acquire(windows: readonly RateWindow[], permit?: ConcurrencyPermit): Promise<number>;
  /** The call is still under way: its permit is taken for as long again. */
  renew(permit: ConcurrencyPermit): Promise<void>;
  /**
   * The call is over: its permit is free again. Does no harm when it was free already.
   *
   * @param answered absent: no answer came, and the windows count the call as they did.
   */
  release(permit: ConcurrencyPermit, answered?: AnsweredCall): Promise<void>;
  /** Names of the holders of a permit now; without those whose time has ended. */
  holders(key: string): Promise<readonly string[]>;
  /** Lets nothing leave for this key before so many milliseconds have passed (an answer asked us to wait). */
  pause(key: string, milliseconds: number): Promise<void>;
  /** Ends the pause of this key, if there is one. */
  resume(key: string): Promise<void>;
  /** Notes how much of its own quota the service says is used, by everybody together; 1 is all of it. */
  saveQuotaShare(key: string, share: number, at: Instant): Promise<void>;
  /** Share of the quota that any worker noted last; null when nobody has yet. */
  readQuotaShare(key: string): Promise<{ readonly share: number; readonly at: Instant } | null>;
}

/** A permit among the calls that may be under way at once, in all processes together. */
export interface ConcurrencyPermit {
  /** E.g. `psa:12345:Invoices`. */
  readonly key: string;
  readonly most: number;
  /** Names this one call. */
  readonly holder: string;
  /** The permit is free after so long unless it is kept or given back: the process must be dead. */
  readonly forMs: number;
}

export interface RateWindow {
  /** E.g. `qbo:minute:9341…`. */
  readonly key: string;
  readonly calls: number;
  readonly perSeconds: number;
  /** How many calls of the window this one counts for; default 1. */
  readonly weight?: number;
  /**
   * So long after its answer a call no longer counts, if that is sooner. The service has counted it by then, so this may be
   * as long as the service's own window, where `perSeconds` has to be longer: a call may arrive late.
   */
  readonly secondsAfterAnswer?: number;
}

/** A call that just had its answer. */
export interface AnsweredCall {
  /** The windows that it was taken from. */
  readonly windows: readonly RateWindow[];
  /** Milliseconds since it was taken from them. */
  readonly countedMsAgo: number;
}
