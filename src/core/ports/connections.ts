import type { NewAuditEvent } from './audit.ts';
import type { AccountingCredentials, Connection, NewConnection, PsaCredentials, Service } from '../tenant.ts';
import type { Instant } from '../values/dates.ts';

/** A tenant's connections to its services, with their secrets. */
export interface ConnectionStore {
  /** Lists one connection per service in a fixed order, also for services that were never connected. */
  listConnections(): Promise<readonly Connection[]>;
  /**
   * Activates a connection and encrypts its credentials.
   *
   * @param audit event of the user's action; saved in the same transaction.
   * @throws Refusal `company_taken` (409) when another tenant is connected to the company. Of two concurrent calls, one
   *   succeeds.
   */
  saveConnection(
    connection: NewConnection,
    credentials: PsaCredentials | AccountingCredentials,
    audit?: NewAuditEvent,
  ): Promise<void>;
  /**
   * Changes the state of a connection. A problem on an active connection means that a user has to act in the service.
   *
   * @throws Refusal `company_taken` (409) when a lost connection would become active and another tenant has the company
   *   by now.
   */
  markConnection(
    service: Service,
    change: { status: 'active' | 'inactive'; problem?: string | null; name?: string },
  ): Promise<void>;
  /**
   * Deletes the credentials; name and external id remain, so that a later connection to another company is detected.
   */
  removeCredentials(service: Service): Promise<void>;
  /**
   * Ends the connection to QuickBooks: its tokens are no longer used. They are stored separately until they are revoked
   * at QuickBooks; null when there are none.
   */
  endAccountingAccess(now: Instant): Promise<AccountingCredentials | null>;
  /** Deletes the stored tokens after they were revoked, or when revoking them is given up. */
  forgetEndedAccess(): Promise<void>;
  /**
   * Claims due maintenance of the QuickBooks connection; null when none is due or another worker does it. The worker
   * has one hour; after that another one may claim it.
   */
  claimMaintenance(now: Instant): Promise<MaintenanceDue | null>;
  /** Sets the time of the next maintenance of the QuickBooks connection. */
  scheduleMaintenance(at: Instant): Promise<void>;
  /**
   * Reads the PSA credentials; null when there are none, or when the service rejected them: only a connection test uses
   * those again.
   */
  readPsaCredentials(how?: { readonly evenIfLost?: boolean }): Promise<PsaCredentials | null>;
  /** Reads the QuickBooks credentials; null as for the PSA. */
  readAccountingCredentials(how?: { readonly evenIfLost?: boolean }): Promise<AccountingCredentials | null>;
  /**
   * Runs one token refresh at a time for the tenant. `refresh` gets the newest stored tokens, and its result is stored
   * before it is returned, unless other tokens were stored meanwhile: then those are returned. It may return null to
   * keep the stored tokens. Only other refreshes wait for it.
   *
   * @throws RefreshUnderWay when another refresh did not end in time; this call did not contact the service.
   */
  refreshAccountingCredentials(
    refresh: (current: AccountingCredentials) => Promise<AccountingCredentials | null>,
  ): Promise<AccountingCredentials>;
}

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
