import type { AccountingCredentials } from '../tenant.ts';
import type { Instant } from '../values/dates.ts';

/** Thrown when another worker's token refresh did not end in time; the caller retries later. */
export class RefreshUnderWay extends Error {
  constructor(options?: { readonly cause?: unknown }) {
    super('The tokens are being renewed by another worker.', options);
    this.name = 'RefreshUnderWay';
  }
}

/** Regular maintenance of a QuickBooks connection. */
export interface MaintenanceDue {
  /** The active connection was not used for a week: its tokens must be refreshed. */
  readonly isIdle: boolean;
  /** An access that was ended here and is not revoked at the service yet. */
  readonly ended: { readonly credentials: AccountingCredentials; readonly at: Instant } | null;
}
