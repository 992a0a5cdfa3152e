import { tmpdir } from 'node:os';
import { crashHook } from '#main/crash.ts';
import { compose } from '#main/compose.ts';
import { readConfig } from '#main/config.ts';
import { sandboxOutside } from '#main/demo.ts';
import { createLogger } from '#main/logger.ts';
import { createRateLimits } from '#store/rate-limits.ts';
import { openDatabase } from '#store/database.ts';
import { createStore } from '#store/root-store.ts';
import { createVault } from '#store/vault.ts';
import type { App, Failpoint, TenantContext } from '#flows/context.ts';
import { clockAt, type MovableClock } from '../support/fake-ports.ts';

/** Seals the secrets of every database that the sweep makes. */
export const sweepSecretKey = 'a secret key that only the crash sweep knows';

/** The code of a worker process that was refused: by the product's own safeguards, or by a service. */
export const refusedCode = 3;

/** Addresses that a product of the sweep works with; plain data, so that it can be handed to a process. */
export interface SweepTarget {
  readonly databaseUrl: string;
  readonly autotaskUrl: string;
  readonly quickbooksUrl: string;
  /** A mail server, as SMTP_URL takes it; null: mails go nowhere. */
  readonly smtpUrl: string | null;
  readonly tenantId: string;
}

/** The product over a target, with a clock that only the sweep moves. */
export interface SweepProduct {
  readonly app: App;
  readonly tenant: TenantContext;
  readonly clock: MovableClock;
  readonly databaseUrl: string;
  close(): Promise<void>;
}

/**
 * Puts the product together over a target. Nothing is kept from one product to the next: each is as a process that was
 * just started.
 *
 * @param options.now what its clock shows, ISO 8601.
 * @param options.effect hears of each effect; default: as if the process would end nowhere.
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
    rateLimits: createRateLimits({ database, clock }),
    clock,
    logger,
    failpoint: options.effect ?? crashHook(undefined),
    // Time stands still here, so whoever would wait moves it.
    sleep: (milliseconds) => Promise.resolve(clock.advance(milliseconds / 1_000)),
  });
  const { databaseUrl } = target;
  return { app, tenant: app.forTenant(target.tenantId), clock, databaseUrl, close: () => database.close() };
}
