import { createHash, createHmac, hkdfSync, pbkdf2Sync, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { codeOf, SchemaMismatch } from './errors.ts';

/** The login of the connections that run tenant statements, with the rights of `tallybridge_app` only. */
export interface TenantLogin {
  readonly name: string;
  readonly password: string;
}

/**
 * Derives the login from the newest secret key. The database stores nothing that the password could be derived from, so
 * neither a backup nor a person who reads tables can sign in with it.
 *
 * @param secretKey `SECRET_KEY`: one secret, or several separated by commas, newest first.
 */
export function tenantLogin(secretKey: string): TenantLogin {
  const newest = secretKey.split(',')[0]?.trim() ?? '';
  const derived = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', newest, 'tallybridge', purpose, bytes));
  return {
    name: `tallybridge_tenant_${derived('name of the tenants’ database login', 6).toString('hex')}`,
    password: derived('password of the tenants’ database login', 32).toString('base64url'),
  };
}

/** Returns `url` with another user. */
export function asLogin(url: string, { name, password }: TenantLogin): string {
  const target = new URL(url);
  target.username = name;
  target.password = password;
  return target.href;
}

/**
 * Creates the login if it does not exist. All databases of the server with the same secret share it.
 *
 * @returns false if the database user may not create it.
 */
export async function prepareTenantLogin(client: PoolClient, { name, password }: TenantLogin): Promise<boolean> {
  const maxTries = 20;
  for (let tries = 1; ; tries += 1) {
    try {
      const { rows: known } = await client.query<{ isPowerful: boolean }>(
        'select rolsuper or rolbypassrls as "isPowerful" from pg_roles where rolname = $1',
        [name],
      );
      if (known[0]?.isPowerful === true)
        throw new SchemaMismatch(
          `The database user ${name} may bypass row-level security, so clients would not be separated: run “alter role ${name} nosuperuser nobypassrls”.`,
        );
      if (known.length === 0)
        await client.query(
          `create role ${name} login inherit nosuperuser nobypassrls nocreatedb nocreaterole password '${scramOf(password)}'`,
        );
      const { rows } = await client.query<{ isMember: boolean }>(
        `select pg_has_role($1, 'tallybridge_app', 'usage') as "isMember"`,
        [name],
      );
      if (rows[0]?.isMember !== true) await client.query(`grant tallybridge_app to ${name}`);
      return true;
    } catch (error) {
      if (codeOf(error) === '42501') return false;
      // Duplicate, or “tuple concurrently updated”: a process on another database of this server was faster.
      if (!['42710', '23505', 'XX000'].includes(codeOf(error)) || tries === maxTries) throw error;
      await sleep(25);
    }
  }
}

/**
 * Returns the password hash in PostgreSQL's format (RFC 5802), so that no statement and no server log shows the
 * password.
 */
function scramOf(password: string): string {
  const salt = randomBytes(16);
  const rounds = 4096;
  const salted = pbkdf2Sync(password, salt, rounds, 32, 'sha256');
  const keyed = (text: string) => createHmac('sha256', salted).update(text).digest();
  const stored = createHash('sha256').update(keyed('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${rounds}:${salt.toString('base64')}$${stored}:${keyed('Server Key').toString('base64')}`;
}

/** Reads the key that signs the tenant id for `enter_tenant`. @throws Error if the database was not migrated. */
export async function readBindingKey(owner: Pick<Pool, 'query'>): Promise<Buffer> {
  const { rows } = await owner.query<{ key: Buffer }>('select key from binding_key');
  const key = rows[0]?.key;
  if (key === undefined) throw new Error('Impossible: a database without its binding key');
  return key;
}

/** Proves to the database that the program, and not a statement, chose the tenant. */
export const proofOf = (key: Buffer, tenantId: string): string =>
  createHmac('sha256', key).update(`enter|${tenantId}`).digest('hex');
