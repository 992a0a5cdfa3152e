import { join } from 'node:path';
import type { Clock } from '#core/ports/clock.ts';
import type { Logger } from '#core/ports/logger.ts';
import type { Mailer } from '#core/ports/mailer.ts';
import type { RootStore } from '#store/root-store.ts';
import type { JsonObject } from '#core/values/json.ts';
import { createMailer } from '#connectors/mail/mailer.ts';
import { RateLimits } from '#connectors/rate-limiter.ts';
import type { App } from '#flows/context.ts';
import { ensureFolder } from '#store/data-folder.ts';
import type { Database } from '#store/database.ts';
import type { Vault } from '#store/vault.ts';
import { compose, type Outside } from './compose.ts';
import { ConfigurationError, readConfig, type Config } from './config.ts';
import { crashHook } from './crash.ts';
import { sandboxOutside } from './demo.ts';
import { createLogger } from './logger.ts';
import { openStore } from './open-store.ts';
import { outsideOf } from './product.ts';

/** Result of an operator command: a text for people, and the same as data for `--json`. */
export interface Outcome {
  readonly text: string;
  readonly data: JsonObject;
  /** Default 0. */
  readonly exitCode?: number;
}

/** Dependencies of an operator command. */
export interface OperatorContext {
  readonly store: RootStore;
  readonly clock: Clock;
  readonly config: Config;
  readonly mailer: Mailer;
  readonly logger: Logger;
  readonly database: Database;
  readonly vault: Vault;
  readonly secretKey: string;
  /** Address of the database, for connections without time limits. */
  readonly connectionString: string;
  /** Public address of the product, for links in emails. */
  readonly appUrl: string;
  /** Returns the whole product, for commands that call the services. */
  readonly app: () => Promise<App>;
}

/** Who did it, in the audit trail and in the deployment's events. */
export const operator = { username: 'command line' } as const;

/**
 * Opens the configured database for one command, and closes it afterward.
 *
 * @param options.allowsLostSecrets opens it even if some secrets need a SECRET_KEY that is not set.
 */
export async function forOperator<T>(
  use: (context: OperatorContext) => Promise<T>,
  options: { readonly allowsLostSecrets?: boolean } = {},
): Promise<T> {
  const config = readConfig(process.env);
  const ends: (() => Promise<unknown>)[] = [];
  try {
    const dataDir = await ensureFolder(config.dataDir);
    const logger = createLogger('warn');
    const { store, clock, database, vault, secretKey, connectionString } = await openStore(
      config,
      dataDir,
      logger,
      ends,
      { ...options, joins: true },
    );
    const target = config.smtpUrl === undefined ? { folder: join(dataDir, 'mail') } : { smtpUrl: config.smtpUrl };
    const appUrl = config.appUrl ?? `http://localhost:${config.port}`;
    const app = async () =>
      compose({
        config: { ...config, dataDir },
        appUrl: () => appUrl,
        outside: outsideOf(config, config.isDemo ? await outsideOfDemo(config) : undefined),
        store,
        rateLimits: new RateLimits({ isApi: true }),
        clock,
        logger,
        failpoint: crashHook(undefined),
      });
    const mailer = createMailer({ target, from: config.mailFrom, clock });
    return await use({
      store,
      clock,
      config,
      mailer,
      logger,
      database,
      vault,
      secretKey,
      connectionString,
      appUrl,
      app,
    });
  } finally {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
  }
}

/**
 * Returns the sandboxes of a running demo: configured ones, or those that the demo started on its ports.
 *
 * @throws ConfigurationError if they do not respond.
 */
async function outsideOfDemo({ autotask, qbo, sandboxes }: Config): Promise<Outside> {
  const [autotaskUrl, quickbooksUrl] = [
    autotask.url ?? `http://127.0.0.1:${sandboxes.autotask}`,
    qbo.apiUrl ?? `http://127.0.0.1:${sandboxes.qbo}`,
  ];
  try {
    return await sandboxOutside({ autotaskUrl, quickbooksUrl });
  } catch (error) {
    throw new ConfigurationError(
      `The sandboxes of the demo do not respond at ${autotaskUrl} and ${quickbooksUrl}: start the demo, then run this again.`,
      { cause: error },
    );
  }
}
