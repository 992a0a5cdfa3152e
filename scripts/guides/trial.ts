import { execFileSync } from 'node:child_process';
import { blockOf, GuideError, sectionOf, type Section } from './documents.ts';
import { writeSecret, type Machine, type Ran, type RunOptions } from './machine.ts';
import { publicUrl, type Outside } from './outside.ts';
import type { DatabaseServer } from './postgres.ts';
import type { Transcript } from './transcript.ts';

/** Everything that following the guides needs. */
export interface Trial {
  readonly machine: Machine;
  readonly transcript: Transcript;
  readonly outside: Outside;
  readonly database: DatabaseServer;
  /** A repository with a branch for each release to install. */
  readonly source: string;
  /** The content of /etc/tallybridge/env. */
  readonly variables: Map<string, string>;
}

const environmentFile = '/etc/tallybridge/env';
/** The password of the system administrator and of the database user. */
export const adminPassword = 'Ops-Horse-Battery-12';

export interface LineOptions extends RunOptions {
  /** What the reader of the document puts in place of its placeholders. */
  readonly replace?: Readonly<Record<string, string>>;
  /** Exit codes that are right; default: 0. */
  readonly codes?: readonly number[];
  readonly check?: (output: string) => void;
}

/** Runs a line of a document and records it as documented. @throws GuideError if it fails. */
export const runLine = (
  { machine, transcript }: Trial,
  of: Section,
  line: string,
  { replace = {}, codes = [0], check = () => undefined, ...options }: LineOptions = {},
): Promise<string> =>
  transcript.step(of, line, async () => {
    const real = Object.entries(replace).reduce((text, [from, to]) => text.replace(from, to), line);
    const { code, output }: Ran = await machine.run(real, options);
    if (!codes.includes(code)) throw new GuideError(`exit code ${code}\n${output.slice(-2_000)}`);
    check(output);
    return output;
  });

/**
 * Runs a command that a document has in its text or in a table, for example `client list`.
 *
 * @param command with the reader's options; default: as quoted
 */
export async function runQuoted(
  trial: Trial,
  [document, heading]: readonly [string, string],
  quoted: string,
  { command = quoted, ...options }: LineOptions & { readonly command?: string } = {},
): Promise<string> {
  const section = sectionOf(document, heading);
  if (!section.text.includes(`\`${quoted}\``))
    throw new GuideError(`${document}, “${heading}” does not contain “${quoted}” any more.`);
  return runLine(trial, section, command.replace(/^(?!tallybridge )/, 'tallybridge '), options);
}

/** Writes the variables into the file of the services. A value with `#` gets quotes, as install.md says. */
export function writeEnvironment({ variables }: Pick<Trial, 'variables'>): void {
  writeSecret(environmentFile, environmentText(variables));
}

const environmentText = (variables: ReadonlyMap<string, string>): string =>
  [...variables].map(([name, value]) => `${name}=${value.includes('#') ? `"${value}"` : value}\n`).join('');

/** Fills the variables of install.md: generated ones by the documented command, the others from outside. */
function fillVariables(trial: Trial): void {
  trial.variables.clear();
  for (const line of blockOf(sectionOf(install, 'With containers'))) {
    const [, name = '', value = '', command] = /^(\w+)=(.*?)(?:\s+# (.+))?$/.exec(line) ?? [];
    const generated = command === undefined ? value : execFileSync('/bin/sh', ['-c', command], { encoding: 'utf8' });
    if (name !== 'POSTGRES_PASSWORD') trial.variables.set(name, generated.trim());
  }
  if (trial.variables.get('APP_URL') !== publicUrl) throw new GuideError(`${install}: APP_URL is not ${publicUrl}.`);
  for (const [name, value] of Object.entries(trial.outside.variables)) trial.variables.set(name, value);
  const rest = [...trial.variables].filter(([, value]) => value === '…').map(([name]) => name);
  if (rest.length > 0) throw new GuideError(`${install}: no value for ${rest.join(', ')}.`);
}

const install = 'docs/operate/install.md';

/** Creates role and database as install.md says, and sets DATABASE_URL. */
export async function createDatabase(trial: Trial, server: DatabaseServer): Promise<void> {
  const section = sectionOf(install, 'Database');
  const password = 'a-password-of-this-trial';
  for (const statement of blockOf(section))
    await trial.transcript.step(section, statement, async () => {
      await server.run([statement.replace('…', password)]);
      return '';
    });
  const [, url = ''] = /`DATABASE_URL=(postgres:[^`]+)`/.exec(section.text) ?? [];
  if (url === '') throw new GuideError(`${install}, “Database”: DATABASE_URL is missing.`);
  const address = url.replace('…', password).replace('host:5432', `127.0.0.1:${server.port}`);
  trial.variables.set('DATABASE_URL', address);
}

/** Follows install.md on a new machine: the way with systemd, and a second worker. @param branch release to install. */
export async function followInstall(trial: Trial, branch: string): Promise<void> {
  fillVariables(trial);
  await createDatabase(trial, trial.database);
  const section = sectionOf(install, 'With systemd');
  for (const line of [...blockOf(section), ...blockOf(section, 2)])
    await runLine(trial, section, line, {
      replace: { 'git clone …': `git clone --quiet --branch ${branch} ${trial.source}` },
      stdin: line.includes('/dev/stdin') ? environmentText(trial.variables) : '',
      env: { ADMIN_PASSWORD: adminPassword },
    });
}
