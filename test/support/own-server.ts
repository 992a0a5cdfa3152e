import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { expect, vi } from 'vitest';
import { isRunning, readOrNull } from '#store/data-folder.ts';
import { startEmbeddedPostgres } from '#store/embedded-postgres.ts';
import { findPostgres } from '#store/postgres-binaries.ts';
import { silentLogger } from './logger.ts';

/** Ways to stop PostgreSQL: smart rejects new connections first, fast ends at once, immediate kills. */
const signals = { smart: ['SIGTERM', 'SIGINT'], fast: ['SIGINT'], immediate: ['SIGQUIT'] } as const;
export type Restart = keyof typeof signals;
const refusingMs = 1_000;

/** A separate PostgreSQL server that can restart on its port, and whose files can be copied. */
export interface OwnServer {
  readonly url: string;
  /** Stops the server and starts it again. */
  restart(how: Restart): Promise<void>;
  /** Copies all files while the server is stopped, and starts it again. */
  snapshot(): Promise<Snapshot>;
  close(): Promise<void>;
}

export interface Snapshot {
  /**
   * Replaces all files by the copy.
   *
   * @param point a restore point after the copy, up to which the write-ahead log is replayed.
   */
  restore(point?: string): Promise<void>;
}

/** Copies a folder with its owners and rights. */
const copyFolder = (from: string, to: string) => promisify(execFile)('cp', ['-a', from, to]);

export async function ownServer(): Promise<OwnServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tallybridge-test-'));
  const first = await startEmbeddedPostgres({ dataDir, logger: silentLogger });
  const { url } = first;
  const home = join(dataDir, 'postgres');
  const data = join(home, 'data');
  const pid = async () => Number((await readOrNull(join(data, 'postmaster.pid')))?.split('\n')[0] ?? 0);
  async function stop(how: Restart): Promise<void> {
    const running = await pid();
    for (const signal of signals[how]) {
      process.kill(running, signal);
      await delay(refusingMs);
    }
    await vi.waitFor(() => expect(isRunning(running)).toBe(false), { timeout: 60_000, interval: 50 });
  }
  async function start(settings: readonly string[] = []): Promise<void> {
    const binaries = await findPostgres(home);
    const options = [
      'listen_addresses=127.0.0.1',
      `port=${new URL(url).port}`,
      'unix_socket_directories=',
      ...settings,
    ];
    const [program, ...args] = binaries.command(binaries.postgres, [
      '-D',
      data,
      ...options.flatMap((option) => ['-c', option]),
    ]);
    spawn(program, args, { stdio: 'ignore', ...binaries.identity });
  }
  /** Waits until the server accepts writes, so that a recovery has ended. */
  const isWritable = () =>
    vi.waitFor(
      async () => {
        const client = new Client({ connectionString: url });
        client.on('error', () => undefined);
        await client.connect();
        try {
          const { rows } = await client.query<{ waits: boolean }>('select pg_is_in_recovery() as waits');
          expect(rows[0]?.waits).toBe(false);
        } finally {
          await client.end();
        }
      },
      { timeout: 60_000, interval: 100 },
    );
  return {
    url,
    async restart(how) {
      await stop(how);
      await start();
    },
    async snapshot() {
      const copy = join(home, `copy-${randomUUID()}`);
      await stop('fast');
      await copyFolder(data, copy);
      await start();
      await isWritable();
      return {
        async restore(point) {
          await stop('fast');
          const replaced = join(home, `replaced-${randomUUID()}`);
          await rename(data, replaced);
          await copyFolder(copy, data);
          if (point === undefined) await start();
          else {
            await writeFile(join(data, 'recovery.signal'), '');
            await start([
              `restore_command=cp ${join(replaced, 'pg_wal')}/%f %p`,
              `recovery_target_name=${point}`,
              'recovery_target_action=promote',
            ]);
          }
          await isWritable();
        },
      };
    },
    async close() {
      await first.stop();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
