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

/** Pauses of one client, at most one for each service. */
export interface ServicePauseStore {
  /** Records a failed call; an existing pause keeps its start. */
  savePause(pause: Omit<ServicePause, 'since'>, now: Instant): Promise<void>;
  /** Removes the pause of the service, after a call that succeeded. A write does not end a block of reads. */
  endPause(service: Service, after: 'read' | 'write'): Promise<void>;
  listPauses(): Promise<readonly ServicePause[]>;
}

/** Seconds after which a pause is reported by email. */
export const longPauseSeconds = 900;
