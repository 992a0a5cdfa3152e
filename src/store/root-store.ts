import type { Clock } from '#core/ports/clock.ts';
import { assert } from '#core/values/assert.ts';
import type { Database } from './database.ts';
import { apiKeyLookup } from './api-keys.ts';
import { clientStates } from './client-states.ts';
import { deploymentTotals } from './deployment-totals.ts';
import { meteredReads } from './metered-reads.ts';
import { unexpectedAnswers } from './unexpected-answers.ts';
import { isWritable, pendingMigrations } from './migrate.ts';
import { noticeMailSearch } from './notice-mails.ts';
import { noticeSearch } from './notices.ts';
import { alertSearch } from './alerts.ts';
import { deploymentEvents } from './deployment-events.ts';
import { processes } from './processes.ts';
import { removal } from './removal.ts';
import { secondFactors } from './second-factors.ts';
import { sessions } from './sessions.ts';
import { signInLinks } from './sign-in-links.ts';
import { isId } from './tables.ts';
import { createTenantStore, type TenantStore } from './tenant-store.ts';
import { tenants } from './tenants.ts';
import { oneTimeTokens } from './one-time-tokens.ts';
import { outbox } from './outbox.ts';
import { webhookWorkSearch } from './webhook-endpoints.ts';
import { users } from './users.ts';
import { bound, type Bound, type RefreshLimits } from './scope.ts';
import type { Vault } from './vault.ts';

/**
 * A refresh calls the service at most twice, for 30 seconds each. Other processes wait a little longer than the
 * database takes to end a stalled refresh.
 */
const usualRefreshLimits: RefreshLimits = { heldMs: 65_000, waitMs: 75_000 };

const methods = {
  ...users,
  ...tenants,
  ...sessions,
  ...signInLinks,
  ...apiKeyLookup,
  ...oneTimeTokens,
  ...secondFactors,
  ...deploymentEvents,
  ...clientStates,
  ...deploymentTotals,
  ...processes,
  ...meteredReads,
  ...unexpectedAnswers,
  ...noticeMailSearch,
  ...noticeSearch,
  ...alertSearch,
  ...outbox,
  ...webhookWorkSearch,
};

/** The store for data outside a single tenant: sign-in, the list of clients, the schedule. */
export interface RootStore extends Bound<typeof methods>, Bound<typeof removal> {
  forTenant(tenantId: string): TenantStore;
  /** Whether the database has every migration, accepts writes and has free space. */
  ready(): Promise<boolean>;
  /** Migrations of this program that the database lacks. */
  pendingMigrations(): Promise<readonly string[]>;
}

/** Creates the store on an opened and migrated database. */
export function createStore(parts: {
  readonly database: Database;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly refreshLimits?: RefreshLimits;
}): RootStore {
  const { database, vault, clock, refreshLimits = usualRefreshLimits } = parts;
  const scope = { clock, vault, inTransaction: database.acrossTenants };
  return {
    forTenant(tenantId) {
      assert(isId(tenantId), 'a tenant has a UUID');
      return createTenantStore({
        tenantId,
        clock,
        vault,
        refreshLimits,
        inTransaction: (use) => database.forTenant(tenantId, use),
      });
    },
    async ready() {
      try {
        return database.isUsable() && (await isWritable(database));
      } catch {
        return false;
      }
    },
    pendingMigrations: () => pendingMigrations(database),
    ...bound(scope, methods),
    ...bound({ ...scope, inTransaction: database.asPurge }, removal),
  };
}
