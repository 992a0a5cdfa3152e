import { tmpdir } from 'node:os';
import { crashHook } from '#main/crash.ts';
import { compose } from '#main/compose.ts';
import { readConfig } from '#main/config.ts';
import { sandboxOutside } from '#main/demo.ts';
import { createLogger } from '#main/logger.ts';
import { RateLimits } from '#connectors/rate-limiter.ts';
import { openDatabase } from '#store/database.ts';
import { createStore } from '#store/root-store.ts';
import { createVault } from '#store/vault.ts';
import type { App, Failpoint, TenantContext } from '#flows/context.ts';
import { clockAt, type MovableClock } from '../support/fake-ports.ts';

/** Encrypts the secrets in the sweep's databases. */
export const sweepSecretKey = 'a secret key that only the crash sweep knows';

/** Exit code of a worker that gave up because of a safeguard or a rejected request. */
export const refusedCode = 3;

/** Addresses for a product of the sweep; plain data, so it can be sent to another process. */
export interface SweepTarget {
  readonly databaseUrl: string;
  readonly autotaskUrl: string;
  readonly quickbooksUrl: string;
  /** SMTP_URL; null: emails are not sent. */
  readonly smtpUrl: string | null;
  readonly tenantId: string;
}

/** The product with a clock that only the sweep moves. */
export interface SweepProduct {
  readonly app: App;
  readonly tenant: TenantContext;
  readonly clock: MovableClock;
  readonly databaseUrl: string;
  close(): Promise<void>;
}

/**
 * Starts the product without any state of an earlier one, like a new process.
 *
 * @param options.now the initial time of its clock, ISO 8601.
 * @param options.effect called for each effect.
 */
export async function openSweepProduct(
  target: SweepTarget,
  options: { readonly now: string; readonly effect?: Failpoint },
): Promise<SweepProduct> {
  const clock = clockAt(options.now);
  const logger = createLogger(process.env['TEST_LOG_LEVEL'] ?? 'silent');
  const database = await openDatabase(target.databaseUrl, { logger, maxConnections: 6 });
  const app = await compose({
    config: readConfig({
      DEMO: 'true',
      DATA_DIR: tmpdir(),
      ...(target.smtpUrl === null ? {} : { SMTP_URL: target.smtpUrl }),
    }),
    appUrl: () => 'http://localhost:3000',
    outside: await sandboxOutside(target),
    store: createStore({ database, vault: createVault(sweepSecretKey), clock }),
    rateLimits: new RateLimits(),
    clock,
    logger,
    failpoint: options.effect ?? crashHook(undefined),
    // Waiting moves the clock, because time does not pass otherwise.
    sleep: (milliseconds) => Promise.resolve(clock.advance(milliseconds / 1_000)),
  });
  const { databaseUrl } = target;
  return { app, tenant: app.forTenant(target.tenantId), clock, databaseUrl, close: () => database.close() };
}
