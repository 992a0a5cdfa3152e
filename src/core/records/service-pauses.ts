import type { Service } from '../tenant.ts';
import type { Instant } from '../values/dates.ts';

/** A service that limits a client's calls, refuses reads, or fails. */
export interface ServicePause {
  readonly service: Service;
  /** The first of the consecutive failures. */
  readonly since: Instant;
  /** When the service accepts calls again; null when it does not say. */
  readonly nextTryAt: Instant | null;
  /** A code of the error catalogue, e.g. `QBO_THROTTLED`. */
  readonly code: string;
  /** Reason, as text of the service or its connector. */
  readonly detail: string;
  /** Name of the read that the service refuses, which alone ends the pause; null if any successful call ends it. */
  readonly refusedRead: string | null;
}

/** Seconds after which a pause is reported by email. */
export const longPauseSeconds = 900;
