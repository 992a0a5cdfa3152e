#!/usr/bin/env node
/**
 * `npx tallybridge admin create EMAIL`: creates a system administrator in the database that the configuration names.
 * The password comes from the terminal, or from `ADMIN_PASSWORD` where nobody sits at one.
 */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Refusal } from '#core/refusal.ts';
import { createSysadmin } from '#flows/access/create-sysadmin.ts';
import { ensureFolder } from '#store/data-folder.ts';
import { readConfig } from './config.ts';
import { createLogger } from './logger.ts';
import { openStore } from './open-store.ts';
import { isPlain, readEnvironmentFile } from './start-up.ts';

const usage = `Usage: npx tallybridge admin create EMAIL

Creates a system administrator. The password is asked for, or taken from ADMIN_PASSWORD.
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

/** @returns the exit code. */
async function run(words: readonly string[]): Promise<number> {
  const [verb, email, ...more] = words[0] === 'admin' ? words.slice(1) : words;
  if (verb !== 'create' || email === undefined || more.length > 0) {
    console.error(usage);
    return 2;
  }
  readEnvironmentFile();
  const config = readConfig(process.env);
  const password = await askPassword();
  const ends: (() => Promise<unknown>)[] = [];
  try {
    const dataDir = await ensureFolder(config.dataDir);
    const { store } = await openStore(config, dataDir, createLogger('warn'), ends);
    const { username } = await createSysadmin({ store }, { email, password });
    console.log(`${username} is a system administrator now.`);
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
