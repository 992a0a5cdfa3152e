import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { findPostgres } from '#store/postgres-binaries.ts';

/** A database server apart from the product, as an operator has one. */
export interface DatabaseServer {
  readonly port: number;
  /** Runs statements as its superuser. */
  run(statements: readonly string[]): Promise<void>;
}

const superuser = 'postgres';
const password = 'the password of the superuser';

/** Starts PostgreSQL with the programs of the checkout. It ends with the namespace. */
export async function startDatabaseServer(folder: string, port: number): Promise<DatabaseServer> {
  mkdirSync(folder, { recursive: true });
  const binaries = await findPostgres(folder);
  const { initdb, postgres, identity } = binaries;
  const [data, passwordFile] = [join(folder, 'data'), join(folder, 'password')];
  writeFileSync(passwordFile, password);
  const initialize = [`--pgdata=${data}`, `--username=${superuser}`, `--pwfile=${passwordFile}`];
  const [program, ...words] = binaries.command(initdb, [...initialize, '--auth=scram-sha-256', '--encoding=UTF8']);
  execFileSync(program, words, { ...identity, cwd: folder, stdio: 'pipe' });
  const settings = [`--port=${port}`, '--listen_addresses=127.0.0.1', '--unix_socket_directories='];
  const [server, ...options] = binaries.command(postgres, ['-D', data, ...settings]);
  spawn(server, options, { ...identity, cwd: folder, stdio: 'ignore' });
  const connect = async (): Promise<Client> => {
    const client = new Client({ host: '127.0.0.1', port, user: superuser, password, database: superuser });
    await client.connect();
    return client;
  };
  const started: DatabaseServer = {
    port,
    async run(statements) {
      const client = await connect();
      try {
        for (const statement of statements) await client.query(statement);
      } finally {
        await client.end();
      }
    },
  };
  for (let tries = 0; ; tries += 1)
    try {
      await started.run(['select 1']);
      return started;
    } catch (error) {
      if (tries > 100) throw error;
      await delay(100);
    }
}
