import { cp, mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lockFile } from '#store/data-folder.ts';
import { openDatabase } from '#store/database.ts';
import { startEmbeddedPostgres } from '#store/embedded-postgres.ts';
import { migrate } from '#store/migrate.ts';
import { silentLogger } from './logger.ts';
import { newFolder, runFolderOf } from './run-folder.ts';

/**
 * Creates a data folder: empty on disk, or in memory with a migrated database, which makes the first start faster.
 * Scripts without a test run get an empty one.
 *
 * @returns the path; the caller removes it.
 */
export async function newDataFolder(content: 'empty' | 'migrated'): Promise<string> {
  const runFolder = runFolderOf();
  if (content === 'empty' || runFolder === undefined) return newFolder('disk');
  const folder = await newFolder('run');
  await cp(await migratedTemplate(runFolder), folder, { recursive: true });
  return folder;
}

/** The first caller creates it; others wait. */
async function migratedTemplate(runFolder: string): Promise<string> {
  const template = join(runFolder, 'migrated');
  while (!(await exists(template))) {
    const lock = await lockFile(`${template}.lock`);
    if (typeof lock === 'number') {
      await sleep(50);
      continue;
    }
    try {
      if (!(await exists(template))) await makeTemplate(template);
    } finally {
      await lock.release();
    }
  }
  return template;
}

async function makeTemplate(template: string): Promise<void> {
  const draft = `${template}.new`;
  await mkdir(draft);
  const server = await startEmbeddedPostgres({ dataDir: draft, logger: silentLogger });
  try {
    const database = await openDatabase(server.url, { logger: silentLogger, secretKey: 'of nobody' });
    await migrate(database);
    await database.close();
  } finally {
    await server.stop();
  }
  await rm(join(draft, 'postgres', 'server.log'), { force: true });
  await rename(draft, template);
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
