import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { Client } from 'pg';

/** Linux keeps this folder in memory. */
const memoryFolder = '/dev/shm';
const neededBytes = 2e9;

/** Folders that {@link quickFolder} may return. */
export const quickFolders: readonly string[] = [memoryFolder, tmpdir()];

/**
 * Returns a folder for temporary files, in memory if there is enough space. A run creates and drops hundreds of
 * databases with 500 files each.
 */
export async function quickFolder(): Promise<string> {
  const free = await statfs(memoryFolder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return free < neededBytes ? tmpdir() : memoryFolder;
}

/**
 * Turns off durability, and makes logins cheap. Only a power cut would lose commits, a killed process does not.
 *
 * @param url a superuser's connection.
 */
export async function withoutPowerCuts(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const one of ['fsync = off', 'synchronous_commit = off', 'full_page_writes = off'])
      await client.query(`alter system set ${one}`);
    await client.query('select pg_reload_conf()');
    // Tests open thousands of connections as this user.
    await client.query('set scram_iterations = 1');
    await client.query(`alter user current_user password ${client.escapeLiteral(new URL(url).password)}`);
  } finally {
    await client.end();
  }
}
