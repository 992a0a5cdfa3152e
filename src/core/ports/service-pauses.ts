import type { Service } from '../tenant.ts';
import type { Instant } from '../values/dates.ts';

/** A service that limits the calls of a client, or does not respond. */
export interface ServicePause {
  readonly service: Service;
  /** The first of the failures in a row. */
  readonly since: Instant;
  /** When the service takes calls again; null when it did not say. */
  readonly nextTryAt: Instant | null;
  /** A code of the error catalogue, e.g. `QBO_THROTTLED`. */
  readonly code: string;
  /** The reason in words of the service or of its connector. */
  readonly detail: string;
}

/** Pauses of one client, at most one for each service. */
export interface ServicePauseStore {
  /** Records a failed call; the start of a pause that exists stays. */
  savePause(pause: Omit<ServicePause, 'since'>, now: Instant): Promise<void>;
  /** Removes the pause of the service, after a call that succeeded. A write does not end a block of reads. */
  endPause(service: Service, after: 'read' | 'write'): Promise<void>;
  listPauses(): Promise<readonly ServicePause[]>;
}

/** A pause is worth an email after this time. */
export const longPauseSeconds = 900;
