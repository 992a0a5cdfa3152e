import type { NewAuditEvent } from './audit.ts';
import type { AccountingCredentials, Connection, NewConnection, PsaCredentials, Service } from '../tenant.ts';
import type { Instant } from '../values/dates.ts';

/** A tenant's links to its services, with their secrets. */
export interface ConnectionStore {
  listConnections(): Promise<readonly Connection[]>;
  /**
   * Activates a connection and seals its credentials.
   *
   * @param audit what a person did by that; kept in the same step.
   * @throws Refusal `company_taken` (409) when another tenant is connected to the company. Of two at the same moment one is.
   */
  saveConnection(
    connection: NewConnection,
    credentials: PsaCredentials | AccountingCredentials,
    audit?: NewAuditEvent,
  ): Promise<void>;
  /**
   * With a problem an active connection says that somebody has to do something in the service.
   *
   * @throws Refusal `company_taken` (409) when a lost one would be active again and another tenant has the company by now.
   */
  markConnection(
    service: Service,
    change: { status: 'active' | 'inactive'; problem?: string | null; name?: string },
  ): Promise<void>;
  /** Deletes the credentials; name and external id stay, so that another company is noticed later. */
  removeCredentials(service: Service): Promise<void>;
  /**
   * Ends the connection to the books: from now on nobody reads its tokens. They are kept apart, for the service still
   * has to hear of it; null when there are none.
   */
  endAccountingAccess(now: Instant): Promise<AccountingCredentials | null>;
  /** The service has heard that the access was ended, or never will. */
  forgetEndedAccess(): Promise<void>;
  /**
   * Maintenance of the connection to the books that is due; null when none is, or another worker does it. The worker
   * that got an answer has an hour; after that another one tries.
   */
  claimMaintenance(now: Instant): Promise<MaintenanceDue | null>;
  /** Sets when the connection to the books is looked after next. */
  scheduleMaintenance(at: Instant): Promise<void>;
  /**
   * Credentials of the PSA; null when there are none, or when the service has refused them: nobody tries those again
   * but to test them.
   */
  readPsaCredentials(how?: { readonly evenIfLost?: boolean }): Promise<PsaCredentials | null>;
  /** Credentials of the books; null as for the PSA. */
  readAccountingCredentials(how?: { readonly evenIfLost?: boolean }): Promise<AccountingCredentials | null>;
  /**
   * Runs one refresh at a time for the tenant, however many workers ask: `refresh` gets the newest stored tokens, and its
   * answer is stored before it is returned, unless others were stored meanwhile: those are returned. It may return null to
   * keep what is stored. Nothing but another refresh waits for it.
   *
   * @throws RefreshUnderWay when another one has not ended in time; nothing was asked.
   */
  refreshAccountingCredentials(
    refresh: (current: AccountingCredentials) => Promise<AccountingCredentials | null>,
  ): Promise<AccountingCredentials>;
}

/** Another worker is renewing the tokens and has not come to an end in time: to be asked for again later. */
export class RefreshUnderWay extends Error {
  constructor(options?: { readonly cause?: unknown }) {
    super('The tokens are being renewed by another worker.', options);
    this.name = 'RefreshUnderWay';
  }
}

/** Maintenance that a connection to the books needs from time to time. */
export interface MaintenanceDue {
  /** The connection is active, and has not been used for a week: its tokens are to be renewed. */
  readonly isIdle: boolean;
  /** An access that was ended here, and of which the service has not heard yet. */
  readonly ended: { readonly credentials: AccountingCredentials; readonly at: Instant } | null;
}
