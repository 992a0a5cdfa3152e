import type { ApiKeyLookup, ApiKeyStore } from './api-keys.ts';
import type { AlertStore, MailStore } from './alerts.ts';
import type { AttemptStore } from './attempts.ts';
import type { AuditStore } from './audit.ts';
import type { WebhookInbox } from './webhook-inbox.ts';
import type { CloseStore } from './closes.ts';
import type { ConnectionStore } from './connections.ts';
import type { DeploymentEventStore } from './deployment-events.ts';
import type { DraftStore } from './drafts.ts';
import type { ExportStore } from './export.ts';
import type { JobStore } from './jobs.ts';
import type { LeaseStore } from './leases.ts';
import type { LogStore } from './log.ts';
import type { MappingStore } from './mappings.ts';
import type { ClientStateStore } from './client-states.ts';
import type { DeploymentTotalsStore } from './deployment-totals.ts';
import type { MeteredReadStore } from './metered-reads.ts';
import type { MoneyStore } from './money.ts';
import type { NoticeMailSearch, NoticeMailStore, NoticeSearch, NoticeStore } from './notices.ts';
import type { PaymentStateStore } from './payment-states.ts';
import type { PeopleStore } from './people.ts';
import type { PostingStore } from './postings.ts';
import type { ReferenceDataStore } from './reference-data.ts';
import type { SuppressionStore } from './suppressions.ts';
import type { RemovalStore } from './removal.ts';
import type { SecondFactorStore } from './second-factors.ts';
import type { SessionStore } from './sessions.ts';
import type { ServicePauseStore } from './service-pauses.ts';
import type { SettingsStore } from './settings.ts';
import type { StallStore } from './stalls.ts';
import type { SyncStateStore } from './sync-states.ts';
import type { TenantListStore, TenantRecordStore } from './tenants.ts';
import type { OneTimeTokenStore } from './one-time-tokens.ts';
import type { TenantSessionStore } from './tenant-sessions.ts';
import type { WebhookEndpointStore, WebhookWorkSearch } from './webhook-endpoints.ts';
import type { WebhookOutbox, WebhookTargetStore } from './webhook-targets.ts';
import type { UserStore } from './users.ts';

/**
 * All persistent data of one tenant. Rows of other tenants are invisible: each call runs in a transaction that
 * row-level security binds to the tenant.
 */
export interface TenantStore
  extends
    AlertStore,
    ApiKeyStore,
    AttemptStore,
    AuditStore,
    WebhookInbox,
    CloseStore,
    ConnectionStore,
    DraftStore,
    ExportStore,
    JobStore,
    LeaseStore,
    LogStore,
    MappingStore,
    MoneyStore,
    NoticeMailStore,
    NoticeStore,
    PaymentStateStore,
    PeopleStore,
    PostingStore,
    ReferenceDataStore,
    SuppressionStore,
    ServicePauseStore,
    SettingsStore,
    StallStore,
    SyncStateStore,
    TenantRecordStore,
    TenantSessionStore,
    WebhookEndpointStore,
    WebhookTargetStore {
  readonly tenantId: string;
  /**
   * Runs several reads in one transaction: starting, binding and ending one costs three times as much as most reads.
   *
   * @param read gets a store whose calls share the transaction, one after the other; a failed call fails all later
   *   ones.
   */
  readInOneTransaction<T>(read: (store: TenantStore) => Promise<T>): Promise<T>;
}

/** The store for data outside a single tenant: sign-in, the list of clients, the schedule. */
export interface RootStore
  extends
    ApiKeyLookup,
    DeploymentEventStore,
    MailStore,
    ClientStateStore,
    DeploymentTotalsStore,
    MeteredReadStore,
    NoticeMailSearch,
    NoticeSearch,
    RemovalStore,
    SecondFactorStore,
    SessionStore,
    TenantListStore,
    OneTimeTokenStore,
    UserStore,
    WebhookOutbox,
    WebhookWorkSearch {
  forTenant(tenantId: string): TenantStore;
  /** Whether the database has every migration, accepts writes and has free space. */
  ready(): Promise<boolean>;
}
