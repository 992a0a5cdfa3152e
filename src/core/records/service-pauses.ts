import type { Service } from '../tenant.ts';
import type { Instant } from '../values/dates.ts';

/** A service that limits a client's calls or does not respond. */
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
}

/** Seconds after which a pause is reported by email. */
export const longPauseSeconds = 900;
