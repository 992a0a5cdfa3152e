import { createHash, randomUUID } from 'node:crypto';
import { access, chmod, constants, link, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { codeOf, DataFolderUnusable } from './errors.ts';

/** Held by the one product process that uses a data folder. */
export interface FolderLock {
  /** Lets go; may be called twice. */
  release(): Promise<void>;
}

/**
 * Makes the data folder usable by one product process at a time. The lock of a process that no longer runs is taken
 * over: a crash never needs a hand to clean up.
 *
 * @throws DataFolderUnusable when another process holds it, or the folder cannot be written.
 */
export async function lockDataDir(dataDir: string): Promise<FolderLock> {
  const folder = await ensureFolder(dataDir);
  const lock = await lockFile(join(folder, 'tallybridge.lock'));
  if (typeof lock === 'number')
    throw new DataFolderUnusable(
      `The data folder ${folder} is in use by another Tallybridge (process ${lock}): stop that one first, or set DATA_DIR to another folder.`,
    );
  return lock;
}

/**
 * Creates a folder, or takes one that is there, closes it to everybody but its owner, and proves that it can be written.
 *
 * @returns its absolute path.
 * @throws DataFolderUnusable with one plain sentence.
 */
export async function ensureFolder(path: string): Promise<string> {
  const folder = resolve(path);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // Made by hand, or by an earlier version: mails, secrets of a demo and the database are nobody else's business.
    if (((await stat(folder)).mode & 0o077) !== 0) await chmod(folder, 0o700);
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    // Some file systems are read-only although the permission bits say otherwise.
    const probe = join(folder, `.probe-${randomUUID()}`);
    await writeFile(probe, '');
    await rm(probe, { force: true });
    return folder;
  } catch (error) {
    const why = reasons[codeOf(error)] ?? codeOf(error);
    throw new DataFolderUnusable(
      `The data folder ${folder} cannot be used (${why}): make it writable for this user, or set DATA_DIR to another folder.`,
      { cause: error },
    );
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'a file is in its place',
  ENOSPC: 'the disk is full',
};

/**
 * Takes a lock file, or answers the id of the living process that holds it.
 *
 * @param path of the file; its folder must exist.
 */
export async function lockFile(path: string): Promise<FolderLock | number> {
  const own = `${process.pid} ${await startOf(process.pid)} ${randomUUID()}`;
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, own, { mode: 0o600 });
  try {
    for (;;) {
      // A hard link appears whole or not at all, so no reader ever sees a lock without its owner.
      if (await linked(draft, path)) return held(path, own);
      const found = await readOrNull(path);
      if (found === null) continue;
      const holder = await livingHolder(found);
      if (holder !== null) return holder;
      await removeStale(path, found);
    }
  } finally {
    await rm(draft, { force: true });
  }
}

function held(path: string, own: string): FolderLock {
  return {
    async release() {
      if ((await readOrNull(path)) === own) await rm(path, { force: true });
    },
  };
}

/**
 * Removes a lock whose process has ended. The lock's text is unlike every other, so whoever holds the guard of that
 * text and still finds it in place may remove it: nobody else does, and a newer lock is never touched.
 *
 * @param stale what was read from the file.
 */
export async function removeStale(path: string, stale: string): Promise<void> {
  const guard = await lockFile(`${path}.${createHash('sha256').update(stale).digest('hex').slice(0, 16)}`);
  // Another one is at it: the caller looks again a little later.
  if (typeof guard === 'number') return setTimeout(5);
  if ((await readOrNull(path)) === stale) await rm(path, { force: true });
  await guard.release();
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function livingHolder(content: string): Promise<number | null> {
  const [pidText, start] = content.split(' ');
  const pid = Number(pidText);
  if (!Number.isSafeInteger(pid) || pid <= 0 || !isRunning(pid)) return null;
  // A process id is used again sooner or later, above all in containers: the start time tells the two apart.
  return (await startOf(pid)) === start ? pid : null;
}

/** True while a process with this id runs. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** Beginning of a process, in ticks since the boot that is named too; the same text for ever where that is unknown. */
async function startOf(pid: number): Promise<string> {
  const [stat, boot] = await Promise.all([
    readOrNull(`/proc/${pid}/stat`),
    readOrNull('/proc/sys/kernel/random/boot_id'),
  ]);
  if (stat === null || boot === null) return 'unknown';
  // The second field is the program's name in brackets and may hold spaces; the third is the state, the 22nd the start.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A process that has ended but was not collected by its parent holds nothing any more.
  return fields[0] === 'Z' ? 'ended' : `${boot.trim()}:${fields[19] ?? ''}`;
}

/** The text of a file, or null when there is none. */
export async function readOrNull(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ESRCH') return null;
    throw error;
  }
}
