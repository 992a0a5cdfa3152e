/**
 * Follows the guides in docs/operate and docs/guide/start.md literally on a machine that looks new, and prints what
 * happened. Commands come from the code blocks of the documents. Needs root and Linux; changes nothing on this machine:
 * all processes, mounts and ports are in namespaces that end with this script.
 *
 *   npm run guides               prints the transcript
 *   npm run guides -- --write    also stores it in docs/operate/tried.txt, which the help shows
 *   npm run guides -- --optional succeeds on a machine that cannot run it
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { certificateFor, type Certificate } from '#test/support/certificate.ts';
import { followStart } from './guides/first-client.ts';
import { tryDoctor, tryPlanted } from './guides/doctor.ts';
import { followRotation } from './guides/keys.ts';
import { followMove } from './guides/move.ts';
import { hidden, newMachine } from './guides/machine.ts';
import { publicHost, startOutside } from './guides/outside.ts';
import { startDatabaseServer } from './guides/postgres.ts';
import { followBackup } from './guides/restore.ts';
import { listClients, syncNew } from './guides/syncing.ts';
import { newTranscript } from './guides/transcript.ts';
import { followInstall, type Trial } from './guides/trial.ts';
import { followUpgrade, installPrevious } from './guides/upgrade.ts';

const root = resolve(import.meta.dirname, '..');
const result = join(root, 'docs', 'operate', 'tried.txt');
/** Marks the process in the namespaces, with its folder. */
const folderVariable = 'TALLYBRIDGE_GUIDES_FOLDER';
const namespaces = ['--mount', '--pid', '--net', '--fork', '--kill-child=KILL', '--mount-proc'] as const;

const git = (...words: readonly string[]): string =>
  execFileSync('git', ['-c', 'safe.directory=*', ...words], { cwd: root, encoding: 'utf8' }).trim();

/** Returns the newest commit before the last migration was added; the commit of the baseline if it was the last. */
function previousSchema(): string {
  const added = git('log', '-1', '--format=%H', '--diff-filter=A', '--', 'src/store/migrations');
  const hasBaseline = git('ls-tree', '--name-only', `${added}^`, 'src/store/migrations/').includes('0001_baseline.sql');
  return hasBaseline ? git('rev-parse', `${added}^`) : added;
}

/** Returns a sentence if this machine cannot run the script. */
function obstacle(): string | null {
  if (process.getuid?.() !== 0) return 'The guides are tried as root: run this as root on Linux.';
  if (spawnSync('unshare', [...namespaces, 'ip', 'link', 'set', 'lo', 'up']).status !== 0)
    return 'The guides need namespaces of Linux, and the programs “unshare” and “ip” (util-linux, iproute2).';
  const above = hidden.find((folder) => root.startsWith(`${folder}/`));
  return above === undefined ? null : `The guides hide ${above}, so the checkout must be elsewhere.`;
}

/** Starts this script again in its own namespaces, and removes its folder afterward. @returns the exit code. */
async function outside(): Promise<number> {
  const why = obstacle();
  if (why !== null) {
    console.error(why);
    return process.argv.includes('--optional') ? 0 : 1;
  }
  const folder = await mkdtemp(join(tmpdir(), 'tallybridge-guides-'));
  const network = openSync('/proc/self/ns/net', 'r');
  try {
    const certificate = certificateFor(publicHost, 90);
    const certificateFile = join(folder, 'certificate.pem');
    writeFileSync(certificateFile, certificate.cert);
    writeFileSync(join(folder, 'certificate.json'), JSON.stringify(certificate));
    const child = spawn('unshare', [...namespaces, process.execPath, ...process.argv.slice(1)], {
      // The end of the standard input ends the namespaces, also when this process is killed.
      stdio: ['pipe', 'inherit', 'inherit', network],
      env: { ...process.env, [folderVariable]: folder, NODE_EXTRA_CA_CERTS: certificateFile },
    });
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill('SIGKILL'));
    return await new Promise<number>((done) => child.on('close', (code) => done(code ?? 1)));
  } finally {
    closeSync(network);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Follows all guides. @returns the exit code. */
async function inside(folder: string): Promise<number> {
  process.stdin.on('end', () => process.exit(1)).resume();
  const began = performance.now();
  execFileSync('ip', ['link', 'set', 'lo', 'up']);
  const certificate = JSON.parse(readFileSync(join(folder, 'certificate.json'), 'utf8')) as Certificate;
  const transcript = newTranscript((line) => console.log(line));
  const fresh = join(folder, 'machine');
  mkdirSync(fresh);
  const npmCache = execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim();
  const machine = newMachine(fresh, { npmCache, hosts: [publicHost], home: homedir(), certificate: certificate.cert });
  const commit = git('rev-parse', 'HEAD');
  const source = join(fresh, 'source.git');
  git('clone', '--quiet', '--bare', '--shared', root, source);
  const previous = previousSchema();
  git('-C', source, 'branch', 'present', commit);
  git('-C', source, 'branch', 'previous', previous);
  const trial: Trial = {
    machine,
    transcript,
    outside: await startOutside(certificate),
    database: await startDatabaseServer(join(fresh, 'postgres'), 5432),
    source,
    variables: new Map(),
  };
  try {
    transcript.part('A new installation');
    await followInstall(trial, 'present');
    transcript.part('The first client');
    await followStart(transcript, trial.outside);
    await syncNew(trial, await listClients(trial), 5, [0, 1]);
    transcript.part('Doctor');
    await tryDoctor(trial);
    await tryPlanted(trial);
    transcript.part('Upgrade and rollback');
    const old = { ...trial, database: await startDatabaseServer(join(fresh, 'postgres-2'), 5433) };
    const token = await installPrevious(old, previous);
    const clientId = await listClients(old);
    await syncNew(old, clientId, 5, [0, 1]);
    await followUpgrade(old, { clientId, token });
    transcript.part('Backup and restore');
    await followBackup(old, clientId, await startDatabaseServer(join(fresh, 'postgres-3'), 5434));
    transcript.part('Key rotation');
    await followRotation(old, clientId);
    transcript.part('Moving a client');
    await followMove(old, clientId, await startDatabaseServer(join(fresh, 'postgres-4'), 5435));
    await tryDoctor(old);
  } catch (error) {
    console.error(`\nFailed: ${error instanceof Error ? error.message : String(error)}`);
    for (const name of machine.services())
      console.error(`\n${name}:\n${machine.outputOf(name).split('\n').slice(-15).join('\n')}`);
    return 1;
  }
  const minutes = ((performance.now() - began) / 60_000).toFixed(1);
  const totals = `${transcript.steps()} steps of the guides were followed in ${minutes} minutes. None failed.`;
  console.log(`\n${totals}`);
  if (process.argv.includes('--write')) {
    const day = new Date().toLocaleDateString('en-US', { dateStyle: 'medium', timeZone: 'UTC' });
    writeFileSync(result, `${day}, commit ${commit.slice(0, 8)}. ${totals}\n\n${transcript.text()}`);
  }
  return 0;
}

if (import.meta.main) {
  const folder = process.env[folderVariable];
  try {
    // Servers and the standard input would keep the process alive.
    process.exit(await (folder === undefined ? outside() : inside(folder)));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
