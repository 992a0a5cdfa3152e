import type { Instant } from '../values/dates.ts';

/** The services' published limits, shared by all workers. */
export interface RateLimits {
  /**
   * Takes a call from every window and a permit for concurrent calls, all or nothing.
   *
   * @param permit absent when concurrency is not limited; ends with {@link RateLimits.release} or when its time is
   *   over.
   * @returns 0 when the call may be sent now, otherwise the milliseconds to wait before asking again.
   */
  acquire(windows: readonly RateWindow[], permit?: ConcurrencyPermit): Promise<number>;
  /** Extends the permit of a running call by its full time. */
  renew(permit: ConcurrencyPermit): Promise<void>;
  /**
   * Releases the permit of a finished call; harmless when it was already released.
   *
   * @param answered absent: no response arrived, and the windows count the call as before.
   */
  release(permit: ConcurrencyPermit, answered?: AnsweredCall): Promise<void>;
  /** Lists the holders of unexpired permits. */
  holders(key: string): Promise<readonly string[]>;
  /** Blocks calls of this key for this many milliseconds (the service asked us to wait). */
  pause(key: string, milliseconds: number): Promise<void>;
  /** Ends the pause of this key, if any. */
  resume(key: string): Promise<void>;
  /** Records the used share of the service's quota, over all of its clients; 1 means used up. */
  saveQuotaShare(key: string, share: number, at: Instant): Promise<void>;
  /** Returns the last recorded share of the quota; null before the first one. */
  readQuotaShare(key: string): Promise<{ readonly share: number; readonly at: Instant } | null>;
}

/** A permit for one concurrent call, counted over all processes. */
export interface ConcurrencyPermit {
  /** E.g. `psa:12345:Invoices`. */
  readonly key: string;
  readonly most: number;
  /** Identifies the call. */
  readonly holder: string;
  /** The permit expires after this time unless it is renewed or released: the process must have crashed. */
  readonly forMs: number;
}

export interface RateWindow {
  /** E.g. `qbo:minute:9341…`. */
  readonly key: string;
  readonly calls: number;
  readonly perSeconds: number;
  /** Number of calls in the window that this one counts for; default 1. */
  readonly weight?: number;
  /**
   * Seconds after its response when a call no longer counts, if earlier than `perSeconds`. The service has counted it
   * by then, so this may equal the service's own window. `perSeconds` has to be longer, because a call may arrive late.
   */
  readonly secondsAfterAnswer?: number;
}

/** A call that just got its response. */
export interface AnsweredCall {
  /** The windows that the call was taken from. */
  readonly windows: readonly RateWindow[];
  /** Milliseconds since the call was taken from its windows. */
  readonly countedMsAgo: number;
}
