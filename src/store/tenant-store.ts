import { alerts } from './alerts.ts';
import { attempts, attemptSteps } from './attempts.ts';
import { audit } from './audit.ts';
import { notifications } from './notifications.ts';
import { closes } from './closes.ts';
import { connections, tokenRefresh } from './connections.ts';
import { documentHistory } from './document-history.ts';
import { draftDecisions, drafts } from './drafts.ts';
import { exports } from './export.ts';
import { jobs } from './jobs.ts';
import { leases } from './leases.ts';
import { lostDocuments } from './lost-documents.ts';
import { log } from './log.ts';
import { mappings } from './mappings.ts';
import { money } from './money.ts';
import { noticeMails } from './notice-mails.ts';
import { notices } from './notices.ts';
import { paymentStates, suppressions, syncStates } from './sync-states.ts';
import { apiKeys } from './api-keys.ts';
import { people } from './people.ts';
import { postings } from './postings.ts';
import { referenceData } from './reference-data.ts';
import { bound, type Bound, type Scope } from './scope.ts';
import { settings } from './settings.ts';
import { servicePauses } from './service-pauses.ts';
import { signInProviders } from './sign-in-providers.ts';
import { stalls } from './stalls.ts';
import { tenantOf } from './tenants.ts';
import { webhookDeliveries } from './webhook-deliveries.ts';
import { webhookEndpoints } from './webhook-endpoints.ts';
import { chats } from './chats.ts';
import { tenantSessions } from './tenant-sessions.ts';

const methods = {
  ...tenantOf,
  ...settings,
  ...connections,
  ...mappings,
  ...referenceData,
  ...notifications,
  ...syncStates,
  ...jobs,
  ...tenantSessions,
  ...attempts,
  ...postings,
  ...lostDocuments,
  ...closes,
  ...drafts,
  ...money,
  ...noticeMails,
  ...notices,
  ...paymentStates,
  ...suppressions,
  ...log,
  ...documentHistory,
  ...apiKeys,
  ...people,
  ...signInProviders,
  ...alerts,
  ...servicePauses,
  ...stalls,
  ...exports,
  ...audit,
  ...webhookDeliveries,
  ...webhookEndpoints,
  ...chats,
};

/**
 * All persistent data of one tenant. Rows of other tenants are invisible: each call runs in a transaction that
 * row-level security binds to the tenant.
 */
export interface TenantStore
  extends
    Bound<typeof methods>,
    ReturnType<typeof leases>,
    ReturnType<typeof attemptSteps>,
    ReturnType<typeof draftDecisions>,
    ReturnType<typeof tokenRefresh> {
  readonly tenantId: string;
  /**
   * Runs several reads in one transaction: starting, binding and ending one costs three times as much as most reads.
   *
   * @param read gets a store whose calls share the transaction, one after the other; a failed call fails all later
   *   ones.
   */
  readInOneTransaction<T>(read: (store: TenantStore) => Promise<T>): Promise<T>;
}

/** Creates the store of one tenant. Each call is one transaction, unless several reads share one. */
export const createTenantStore = (scope: Scope): TenantStore => ({
  tenantId: scope.tenantId,
  readInOneTransaction: (read) =>
    // The statements of parallel reads are sent together, and the connection runs them one after the other.
    scope.inTransaction((tx) => read(createTenantStore({ ...scope, inTransaction: (use) => use(tx) }))),
  ...bound(scope, methods),
  ...leases(scope),
  ...attemptSteps(scope),
  ...draftDecisions(scope),
  ...tokenRefresh(scope),
});
