/** Checks the tracking identifier at Autotask, which only a call with a client's API user does. */
import { RateLimits } from '#connectors/rate-limiter.ts';
import type { Logger } from '#core/ports/logger.ts';
import { ServiceError } from '#core/service-error.ts';
import { instant } from '#core/values/dates.ts';
import type { Database } from '#store/database.ts';
import { createStore } from '#store/root-store.ts';
import type { Vault } from '#store/vault.ts';
import { compose } from './compose.ts';
import type { Config } from './config.ts';
import { crashHook } from './crash.ts';
import { outsideOf } from './product.ts';

/** API users of other clients are tried if Autotask rejects the first one, whose secret may be outdated. */
const maxClients = 3;

/**
 * Makes one read call with the API users of up to three clients, and saves nothing.
 *
 * @returns whether Autotask accepted the tracking identifier with one of them; null if it rejected none and accepted none.
 */
export async function isTrackingIdentifierAccepted(
  database: Database,
  { config, vault, logger }: { readonly config: Config; readonly vault: Vault; readonly logger: Logger },
): Promise<boolean | null> {
  const clock = { now: () => instant(Date.now()) };
  const store = createStore({ database, vault, clock });
  const clients = await database.acrossTenants((tx) =>
    tx
      .selectFrom('connections')
      .select('tenant_id as id')
      .where('service', '=', 'psa')
      .orderBy('status')
      .limit(maxClients)
      .execute(),
  );
  if (clients.length === 0) return null;
  const app = await compose({
    config,
    appUrl: () => config.appUrl ?? `http://localhost:${config.port}`,
    outside: outsideOf(config, undefined),
    store,
    rateLimits: new RateLimits({ isApi: true }),
    clock,
    logger,
    failpoint: crashHook(undefined),
  });
  let isRejected = false;
  for (const { id } of clients) {
    const credentials = await store.forTenant(id).readPsaCredentials();
    if (credentials === null) continue;
    try {
      await app.psaFor(credentials).identify();
      return true;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      isRejected ||= error.about.next === 'reconnect';
    }
  }
  return isRejected ? false : null;
}
