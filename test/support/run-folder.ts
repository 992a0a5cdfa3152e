import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockFile, readOrNull } from '#store/data-folder.ts';
import { startEmbeddedPostgres } from '#store/embedded-postgres.ts';
import { silentLogger } from './logger.ts';
import { quickFolder, quickFolders } from './quick-server.ts';

/** Prefix of all folders created by tests. */
export const folderPrefix = 'tallybridge-test-';

const lockName = 'run.lock';
const variable = 'TALLYBRIDGE_TEST_FOLDER';

/** The folder of the current run; undefined for a script without tests. */
export const runFolderOf = (): string | undefined => process.env[variable];

/**
 * Creates the shared folder of a run, in memory if possible, and removes those of killed runs.
 *
 * @returns its path and the cleanup, which also stops servers in it.
 */
export async function newRunFolder(): Promise<{ readonly path: string; readonly clear: () => Promise<void> }> {
  await clearKilledRuns();
  const path = await mkdtemp(join(await quickFolder(), folderPrefix));
  await lockFile(join(path, lockName));
  process.env[variable] = path;
  return { path, clear: () => clear(path) };
}

/** Creates a folder for one test: inside the run's folder, which is always cleaned up, or on disk. */
export const newFolder = (place: 'run' | 'disk'): Promise<string> =>
  mkdtemp(join(place === 'run' ? (runFolderOf() ?? tmpdir()) : tmpdir(), folderPrefix));

async function clearKilledRuns(): Promise<void> {
  for (const parent of quickFolders)
    for (const name of await readdir(parent).catch(() => [])) {
      const folder = join(parent, name);
      if (!name.startsWith(folderPrefix) || (await readOrNull(join(folder, lockName))) === null) continue;
      if (typeof (await lockFile(join(folder, lockName))) !== 'number') await clear(folder);
    }
}

async function clear(folder: string): Promise<void> {
  const below = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  for (const dataDir of [folder, ...below.map((entry) => join(folder, entry.name))])
    if ((await readOrNull(join(dataDir, 'postgres', 'data', 'postmaster.pid'))) !== null)
      await (await startEmbeddedPostgres({ dataDir, logger: silentLogger })).stop();
  await rm(folder, { recursive: true, force: true });
}
