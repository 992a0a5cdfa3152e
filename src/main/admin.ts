#!/usr/bin/env node
/**
 * `npx tallybridge admin …`: commands for the operator, run on the deployment's machine and in the configured database.
 * A new password is read from the terminal, or from `ADMIN_PASSWORD` if there is no terminal.
 */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '#core/ports/clock.ts';
import type { Logger } from '#core/ports/logger.ts';
import type { Mailer } from '#core/ports/mailer.ts';
import type { RootStore } from '#core/ports/store.ts';
import { Refusal } from '#core/refusal.ts';
import { createMailer } from '#connectors/mail/mailer.ts';
import { createSysadmin } from '#flows/access/create-sysadmin.ts';
import { resetSecondFactor } from '#flows/access/totp-setup.ts';
import { readClient } from '#flows/tenants/change-status.ts';
import { deleteTenant } from '#flows/tenants/delete-tenant.ts';
import { exportTenant } from '#flows/tenants/export-tenant.ts';
import type { App } from '#flows/context.ts';
import { createRateLimits } from '#store/rate-limits.ts';
import { ensureFolder } from '#store/data-folder.ts';
import type { Database } from '#store/database.ts';
import { counted, findLostSecrets, forgetSecretsOf } from '#store/secrets.ts';
import type { Vault } from '#store/vault.ts';
import { compose } from './compose.ts';
import { readConfig, type Config } from './config.ts';
import { crashHook } from './crash.ts';
import { createLogger } from './logger.ts';
import { openStore } from './open-store.ts';
import { outsideOf } from './product.ts';
import { readEnvironmentFile } from './environment-file.ts';
import { isPlain } from './start-up.ts';

const usage = `Usage:
  npx tallybridge start
      Starts the product. npm run build has to have built the screens once.
  npx tallybridge sandbox
      Starts the two sandbox services alone.
  npx tallybridge admin create EMAIL
      Creates a system administrator. The password is asked for, or taken from ADMIN_PASSWORD.
  npx tallybridge admin reset-second-factor EMAIL
      Removes the authenticator app and the recovery codes of a user who lost them. Their sessions end, and an email
      tells them.
  npx tallybridge admin export-tenant ID
      Writes all data of a client into a ZIP in the current folder. GET /api/clients tells the ids.
  npx tallybridge admin forget-lost-secrets yes
      Goes on without a SECRET_KEY that was lost for good: connections that it sealed are made again by hand, and second
      factors that it sealed are removed. Everything else stays.
  npx tallybridge admin delete-tenant ID NAME
      Deletes a client for good. NAME is its company name, in quotes, so that no other client is deleted by mistake.

The database is the one that npm start uses: see DATABASE_URL and DATA_DIR in docs/configuration.md.`;

async function askPassword(): Promise<string> {
  const given = process.env['ADMIN_PASSWORD'];
  if (given !== undefined && given !== '') return given;
  if (!process.stdin.isTTY) throw new Refusal('invalid', 'no_password', 'There is no terminal: set ADMIN_PASSWORD.');
  const [first, second] = await askHidden(['Password: ', 'The same again: ']);
  if (first === undefined || second === undefined) throw new Refusal('invalid', 'no_password', 'No user was created.');
  if (first !== second) throw new Refusal('unprocessable', 'password_refused', 'Passwords do not match.');
  return first;
}

/** Reads a line for each question, without showing it; returns fewer lines if the user ends with Ctrl-C or Ctrl-D. */
async function askHidden(questions: readonly string[]): Promise<readonly string[]> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  const answers: string[] = [];
  process.stderr.write(questions[0] ?? '');
  for await (const line of lines) {
    process.stderr.write('\n');
    answers.push(line);
    if (answers.length === questions.length) break;
    process.stderr.write(questions[answers.length] ?? '');
  }
  return answers;
}

/** Dependencies of a command. */
interface Bench {
  readonly store: RootStore;
  readonly clock: Clock;
  readonly config: Config;
  readonly mailer: Mailer;
  readonly logger: Logger;
  readonly database: Database;
  readonly vault: Vault;
  /** Starts the whole product, for commands that call the services. */
  readonly app: () => Promise<App>;
}

const operator = { username: 'command line' } as const;

/** The commands by name; each returns the message to print. */
const commands: Readonly<Record<string, (bench: Bench, words: readonly string[]) => Promise<string>>> = {
  async create({ store }, [email = '']) {
    const { username } = await createSysadmin({ store }, { email, password: await askPassword() });
    return `${username} is a system administrator now.`;
  },
  async 'reset-second-factor'({ store, clock, config, mailer, logger }, [email = '']) {
    const appUrl = config.appUrl ?? `http://localhost:${config.port}`;
    const done = await resetSecondFactor({ store, clock, mailer, logger, appUrl }, email);
    if (done === null) throw new Refusal('not_found', 'not_found', `There is no user “${email}”.`);
    return done.wasOn
      ? `${email} logs in with the password alone now. Tallybridge sends an email about it.`
      : `${email} had no second factor.`;
  },
  async 'export-tenant'(bench, [id = '']) {
    const app = await bench.app();
    await readClient(app, id);
    const { fileName, content } = await exportTenant(app, app.forTenant(id), operator);
    // Readable by the operator only; never overwrites an earlier file.
    await pipeline(content, createWriteStream(fileName, { flags: 'wx', mode: 0o600 }));
    return `Everything of the client is in ${fileName} now.`;
  },
  async 'forget-lost-secrets'(bench, [answer = '']) {
    if (answer !== 'yes') throw new Refusal('invalid', 'not_confirmed', 'Add “yes”: this cannot be undone.');
    const { store, clock, config, mailer, logger, database, vault } = bench;
    const lost = await findLostSecrets(database, vault);
    if (lost.rootKeyIds.length === 0) return 'Nothing is lost: SECRET_KEY opens everything.';
    const appUrl = config.appUrl ?? `http://localhost:${config.port}`;
    for (const userId of lost.userIds) {
      const user = await store.findUserById(userId);
      if (user !== null) await resetSecondFactor({ store, clock, mailer, logger, appUrl }, user.username);
    }
    await forgetSecretsOf(database, lost.tenantIds);
    for (const tenantId of lost.tenantIds)
      await store.forTenant(tenantId).addAudit({
        at: clock.now(),
        actor: { username: 'Tallybridge operator' },
        action: 'connection.secrets_lost',
        subject: 'SECRET_KEY',
        before: null,
        after: null,
      });
    return `Connections to make again: ${counted(lost.tenantIds.length, 'client')}. Logging in with the password alone: ${counted(lost.userIds.length, 'user')}.`;
  },
  async 'delete-tenant'(bench, [id = '', name = '']) {
    const rows = await deleteTenant(await bench.app(), operator, id, name);
    return `${name} was deleted, ${rows} rows in all.`;
  },
};

/** Number of arguments of a command; default 1. */
const arity: Readonly<Record<string, number>> = { 'delete-tenant': 2 };

/** @returns the exit code. */
async function run(words: readonly string[]): Promise<number> {
  const [verb = '', ...more] = words[0] === 'admin' ? words.slice(1) : words;
  const command = Object.hasOwn(commands, verb) ? commands[verb] : undefined;
  if (command === undefined || more.length !== (arity[verb] ?? 1)) {
    console.error(usage);
    return 2;
  }
  readEnvironmentFile();
  const config = readConfig(process.env);
  const ends: (() => Promise<unknown>)[] = [];
  try {
    const dataDir = await ensureFolder(config.dataDir);
    const logger = createLogger('warn');
    const opened = await openStore(config, dataDir, logger, ends, verb === 'forget-lost-secrets');
    const { store, clock, database, vault } = opened;
    const target = config.smtpUrl === undefined ? { folder: join(dataDir, 'mail') } : { smtpUrl: config.smtpUrl };
    const mailer = createMailer({ target, from: config.mailFrom, clock });
    const app = () =>
      compose({
        config: { ...config, dataDir },
        appUrl: () => config.appUrl ?? `http://localhost:${config.port}`,
        outside: outsideOf(config, undefined),
        store,
        rateLimits: createRateLimits({ database, clock }),
        clock,
        logger,
        failpoint: crashHook(undefined),
      });
    console.log(await command({ store, clock, config, mailer, logger, database, vault, app }, more));
    return 0;
  } finally {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
  }
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  console.error(isPlain(error) || error instanceof Refusal ? error.message : error);
  process.exitCode = 1;
}
