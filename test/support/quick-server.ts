import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { Client } from 'pg';

/** Linux keeps what is here in memory. */
const memoryFolder = '/dev/shm';
const neededBytes = 2e9;

/** Every folder that {@link quickFolder} may answer. */
export const quickFolders: readonly string[] = [memoryFolder, tmpdir()];

/**
 * The folder for files that do not outlive a run: in memory where there is room. Hundreds of databases of 500 files
 * each are made and dropped, and a file system looks at each file that was removed just now before it makes another.
 */
export async function quickFolder(): Promise<string> {
  const free = await statfs(memoryFolder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return free < neededBytes ? tmpdir() : memoryFolder;
}

/**
 * Lets a server forget its newest commits if the power is cut, which no test does; killed processes lose nothing by it.
 *
 * @param url a connection with every right.
 */
export async function withoutPowerCuts(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const one of ['fsync = off', 'synchronous_commit = off', 'full_page_writes = off'])
      await client.query(`alter system set ${one}`);
    await client.query('select pg_reload_conf()');
  } finally {
    await client.end();
  }
}
