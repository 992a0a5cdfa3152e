#!/usr/bin/env node
/**
 * `npx tallybridge admin …`: what the operator of a deployment does on its machine, in the database that the
 * configuration names. A new password comes from the terminal, or from `ADMIN_PASSWORD` where nobody sits at one.
 */
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Clock } from '#core/ports/clock.ts';
import type { Mailer } from '#core/ports/mailer.ts';
import type { RootStore } from '#core/ports/store.ts';
import { Refusal } from '#core/refusal.ts';
import { createMailer } from '#connectors/mail/mailer.ts';
import { createSysadmin } from '#flows/access/create-sysadmin.ts';
import { resetSecondFactor } from '#flows/access/totp-setup.ts';
import { ensureFolder } from '#store/data-folder.ts';
import { readConfig, type Config } from './config.ts';
import { createLogger } from './logger.ts';
import { openStore } from './open-store.ts';
import { isPlain, readEnvironmentFile } from './start-up.ts';

const usage = `Usage:
  npx tallybridge admin create EMAIL
      Creates a system administrator. The password is asked for, or taken from ADMIN_PASSWORD.
  npx tallybridge admin reset-second-factor EMAIL
      Removes the authenticator app and the recovery codes of somebody who lost them. Their sessions end, and a mail
      tells them.

The database is the one that npm start uses: see DATABASE_URL and DATA_DIR in docs/configuration.md.`;

async function askPassword(): Promise<string> {
  const given = process.env['ADMIN_PASSWORD'];
  if (given !== undefined && given !== '') return given;
  if (!process.stdin.isTTY) throw new Refusal('invalid', 'no_password', 'There is no terminal: set ADMIN_PASSWORD.');
  const [first, second] = await askHidden(['Password: ', 'The same again: ']);
  if (first === undefined || second === undefined) throw new Refusal('invalid', 'no_password', 'Nobody was created.');
  if (first !== second) throw new Refusal('unprocessable', 'password_refused', 'Passwords do not match.');
  return first;
}

/** Reads a line for each question, without showing it; fewer when the person ends it with Ctrl-C or Ctrl-D. */
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

/** What a command works with. */
interface Bench {
  readonly store: RootStore;
  readonly clock: Clock;
  readonly config: Config;
  readonly mailer: Mailer;
}

/** The commands, by their words; each answers the sentence to print. */
const commands: Readonly<Record<string, (bench: Bench, words: readonly string[]) => Promise<string>>> = {
  async create({ store }, [email = '']) {
    const { username } = await createSysadmin({ store }, { email, password: await askPassword() });
    return `${username} is a system administrator now.`;
  },
  async 'reset-second-factor'({ store, clock, config, mailer }, [email = '']) {
    const appUrl = config.appUrl ?? `http://localhost:${config.port}`;
    const done = await resetSecondFactor({ store, clock, mailer, appUrl }, email);
    if (done === null) throw new Refusal('not_found', 'not_found', `There is no user “${email}”.`);
    return done.wasOn
      ? `${email} signs in with the password alone now, and was told so by mail.`
      : `${email} had no second factor.`;
  },
};

/** @returns the exit code. */
async function run(words: readonly string[]): Promise<number> {
  const [verb = '', ...more] = words[0] === 'admin' ? words.slice(1) : words;
  const command = Object.hasOwn(commands, verb) ? commands[verb] : undefined;
  if (command === undefined || more.length !== 1) {
    console.error(usage);
    return 2;
  }
  readEnvironmentFile();
  const config = readConfig(process.env);
  const ends: (() => Promise<unknown>)[] = [];
  try {
    const dataDir = await ensureFolder(config.dataDir);
    const { store, clock } = await openStore(config, dataDir, createLogger('warn'), ends);
    const target = config.smtpUrl === undefined ? { folder: join(dataDir, 'mail') } : { smtpUrl: config.smtpUrl };
    const mailer = createMailer({ target, from: config.mailFrom, clock });
    console.log(await command({ store, clock, config, mailer }, more));
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
