import { createHash, randomUUID } from 'node:crypto';
import { access, chmod, constants, link, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { codeOf, DataFolderUnusable } from './errors.ts';

/** Held by the one product process that uses a data folder. */
export interface FolderLock {
  /** Releases the lock; may be called twice. */
  release(): Promise<void>;
}

/**
 * Locks the data folder for one product process. The lock of a process that no longer runs is taken over, so a crash
 * needs no manual cleanup.
 *
 * @throws DataFolderUnusable if another process holds it, or the folder cannot be written.
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

/** Locks the data folder as {@link lockDataDir} does; null while another process holds it. */
export async function tryLockDataDir(dataDir: string): Promise<FolderLock | null> {
  const lock = await lockFile(join(await ensureFolder(dataDir), 'tallybridge.lock'));
  return typeof lock === 'number' ? null : lock;
}

/**
 * Creates a folder or uses the existing one, restricts it to its owner, and checks that it is writable.
 *
 * @returns its absolute path.
 * @throws DataFolderUnusable with one plain sentence.
 */
export async function ensureFolder(path: string): Promise<string> {
  const folder = resolve(path);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // Folders created manually or by an earlier version may be open: emails, demo secrets and the database are private.
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
 * Creates a lock file, or returns the id of the living process that holds it.
 *
 * @param path of the file; its folder must exist.
 */
export async function lockFile(path: string): Promise<FolderLock | number> {
  const own = `${process.pid} ${await startOf(process.pid)} ${randomUUID()}`;
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, own, { mode: 0o600 });
  try {
    for (;;) {
      // A hard link appears completely or not at all, so no reader ever sees a lock without its owner.
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
 * Removes the lock of a process that has ended. Each lock's text is unique. A process that holds the guard of that
 * text, and still finds the text in place, is the only one that may remove it. A newer lock is never touched.
 *
 * @param stale the text read from the file.
 */
export async function removeStale(path: string, stale: string): Promise<void> {
  const guard = await lockFile(`${path}.${createHash('sha256').update(stale).digest('hex').slice(0, 16)}`);
  // Another process is removing it: the caller checks again shortly.
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
  // Process ids are reused, above all in containers: the start time identifies the process.
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

/** Returns the start of a process in ticks since boot, with the boot id; a constant if that is unknown. */
async function startOf(pid: number): Promise<string> {
  const [stat, boot] = await Promise.all([
    readOrNull(`/proc/${pid}/stat`),
    readOrNull('/proc/sys/kernel/random/boot_id'),
  ]);
  if (stat === null || boot === null) return 'unknown';
  // The second field is the program's name in brackets and may hold spaces; the third is the state, the 22nd the start.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie process (ended, but not yet collected by its parent) holds no lock.
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
