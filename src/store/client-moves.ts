import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { clientRoles } from '#core/roles.ts';
import type { Service } from '#core/tenant.ts';
import { messageOf } from '#core/values/text.ts';
import { BackupUnusable, codeOf } from './errors.ts';
import {
  checkRowFile,
  copyRowFile,
  namesOf,
  quoted,
  readMigrationNames,
  readTables,
  writeRowFile,
  type OnTable,
  type RowFileEnd,
  type RowFileHead,
  type Table,
} from './row-file.ts';
import { externalHash, externalIdField } from './secrets.ts';
import { isId } from './tables.ts';
import { proofOf, readBindingKey } from './tenant-login.ts';
import { open, VaultError, type Vault, type WrappedKey } from './vault.ts';

const format = 'tallybridge client 1';
/** Sessions, links of emails and accounts at a provider belong to the address of one deployment. */
const omittedTables: readonly string[] = ['sessions', 'one_time_tokens', 'sign_in_links'];
/** Any number that no other advisory lock of the database uses: two imports would grant the same rights. */
const importLock = 7_420_002;

/** First line of a file with one client. */
interface ClientHead extends RowFileHead {
  readonly client: { readonly id: string; readonly name: string };
  /** `deployment_clock.gaps` of the deployment that wrote the file. */
  readonly gaps: number;
}

/** A checked file with one client. */
export type ClientFile = ClientHead & RowFileEnd;

interface ClientTable extends Table {
  /** Column that identifies the rows of a client. */
  readonly key: 'id' | 'tenant_id' | 'user_id';
}

/**
 * Returns every table with rows of a client, from the database catalog: the client, tables with a tenant, and tables
 * with a user but no tenant. This includes tables of later migrations.
 */
async function clientTables(client: Client): Promise<readonly ClientTable[]> {
  return (await readTables(client, omittedTables)).flatMap((table): ClientTable[] => {
    if (table.table === 'tenants') return [{ ...table, key: 'id' }];
    const key = (['tenant_id', 'user_id'] as const).find((column) => table.columns.includes(column));
    return key === undefined ? [] : [{ ...table, key }];
  });
}

/** Condition of a client's rows. `users` is the table with the client's users, as SQL. */
const rowsOf = ({ key }: ClientTable, id: string, users = 'public.users'): string =>
  key === 'user_id' ? `user_id in (select id from ${users} where tenant_id = '${id}')` : `${key} = '${id}'`;

const settleMs = { outbox: 60_000, tokens: 80_000, pause: 250 } as const;
/** Minutes after which the process that took a message counts as dead; at least as long as for any outbox. */
const lostAfterMinutes = 10;

/**
 * Waits until no process sends an email or a message of a moved client, or renews its tokens; a later one does not
 * begin. Holds the lock of the tokens until the connection ends.
 *
 * @throws BackupUnusable if one does not end in time.
 */
async function settle(client: Client, id: string): Promise<void> {
  for (const outbox of await clientTables(client)) {
    if (!outbox.columns.includes('taken_at')) continue;
    const table = `public.${quoted(outbox.table)}`;
    // Statements that began before the client was marked have ended when the table is free.
    await client.query(`begin; lock table ${table} in share row exclusive mode; commit`);
    const taken = `select from ${table} where ${rowsOf(outbox, id)} and ended_at is null and taken_at > now() - interval '${lostAfterMinutes} minutes'`;
    for (const giveUpAt = performance.now() + settleMs.outbox; ;) {
      await client.query(`begin; set local role ${outbox.reader}`);
      const { rowCount } = await client.query(taken);
      await client.query('commit');
      if (rowCount === 0) break;
      if (performance.now() > giveUpAt)
        throw new BackupUnusable(`A message to users is being sent: run this again in ${lostAfterMinutes} minutes.`);
      await sleep(settleMs.pause);
    }
  }
  try {
    await client.query(`set lock_timeout = ${settleMs.tokens}`);
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [`refresh of tokens ${id}`]);
  } catch (error) {
    if (codeOf(error) !== '55P03') throw error;
    throw new BackupUnusable('The QuickBooks tokens are being renewed: run this again in a minute.', { cause: error });
  }
}

/**
 * Excludes other commands that move a client, until the connection ends.
 *
 * @throws BackupUnusable if there is one.
 */
export async function lockMove(client: Client, id: string): Promise<void> {
  const { rows } = await client.query<{ isFree: boolean }>(
    'select pg_try_advisory_lock(hashtextextended($1, 0)) as "isFree"',
    [`move of ${id}`],
  );
  if (rows[0]?.isFree !== true)
    throw new BackupUnusable('Another command is moving this client, so nothing was changed: wait until it has ended.');
}

/**
 * Writes all rows of a client that is marked as moved into a new file. Secrets stay encrypted with SECRET_KEY.
 *
 * @param client a separate connection of the tables' owner.
 * @returns the number of rows.
 */
export async function writeClient(
  client: Client,
  path: string,
  { id, version, onTable }: { readonly id: string; readonly version: string; readonly onTable?: OnTable },
): Promise<number> {
  if (!isId(id)) throw new Error('a tenant has a UUID');
  await settle(client, id);
  await client.query('begin isolation level repeatable read read only');
  await client.query('set local role tallybridge_root');
  const { rows } = await client.query<{ name: string; gaps: number }>(
    'select name, gaps from tenants, deployment_clock where id = $1 and moved_at is not null',
    [id],
  );
  await client.query('reset role');
  const [row] = rows;
  if (row === undefined) throw new Error('the client is not marked as moved');
  const tables = await clientTables(client);
  const byName = new Map(tables.map((table) => [table.table, table]));
  const head: ClientHead = {
    format,
    version,
    at: new Date().toISOString(),
    migrations: await readMigrationNames(client),
    client: { id, name: row.name },
    gaps: row.gaps,
  };
  const where = (name: string) => {
    const table = byName.get(name);
    return table === undefined ? 'false' : rowsOf(table, id);
  };
  const count = await writeRowFile(client, path, {
    head,
    tables: tables.map(({ table, columns, reader }) => ({ table, columns, reader })),
    where,
    onTable,
  });
  await client.query('commit');
  return count;
}

/**
 * Reads a whole file with a client.
 *
 * @throws BackupUnusable if it is not complete.
 */
export const checkClientFile = (path: string): Promise<ClientFile> =>
  checkRowFile<ClientHead>(path, format, 'file of a client');

/**
 * Adds the client of a file to the database, in one transaction. The product can run meanwhile. The client continues
 * as it was before the move.
 *
 * @param client a separate connection of the tables' owner.
 * @param options.vault has the keys of this deployment first, then those of the other one.
 * @param options.now the deployment's time.
 * @returns the number of rows.
 * @throws BackupUnusable if the client does not fit into this deployment; nothing was changed then.
 */
export async function importClient(
  client: Client,
  path: string,
  file: ClientFile,
  { vault, now, onTable }: { readonly vault: Vault; readonly now: string; readonly onTable?: OnTable },
): Promise<number> {
  const { id } = file.client;
  const tables = await clientTables(client);
  if (!isId(id) || Object.keys(file.rows).join() !== tables.map(({ table }) => table).join()) throw damaged(path);
  await client.query('begin');
  try {
    await client.query('select pg_advisory_xact_lock($1)', [importLock]);
    await assertSameSchema(client, file);
    for (const table of tables)
      await client.query(
        `create temp table ${incoming(table.table)} on commit drop as select ${namesOf(table)} from public.${quoted(table.table)} with no data`,
      );
    await copyRowFile(client, path, tables.length, { targetOf: incoming, onTable });
    await assertOwnRows(client, path, id, tables);
    await renewSecrets(client, path, id, vault);
    await adapt(client, file, now);
    await assertFree(client, file.client);
    await insertRows(client, tables);
    await raiseSequences(client, tables);
    await assertComplete(client, file, tables);
    await noteImport(client, id, now);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    if (codeOf(error) !== '23505') throw error;
    throw new BackupUnusable(
      `${file.client.name} has a row that exists here already, so nothing was imported. ${messageOf(error)}`,
      { cause: error },
    );
  }
  return Object.values(file.rows).reduce((sum, count) => sum + count, 0);
}

const incoming = (table: string): string => `pg_temp.${quoted(`incoming_${table}`)}`;
const damaged = (path: string, cause?: unknown): BackupUnusable =>
  new BackupUnusable(`The file of a client ${path} is damaged or was changed: use another one.`, { cause });

async function assertSameSchema(client: Client, { migrations, version }: ClientFile): Promise<void> {
  const own = await readMigrationNames(client);
  if (JSON.stringify(own) !== JSON.stringify(migrations))
    throw new BackupUnusable(
      `The file was written by Tallybridge ${version} with another version of the database: upgrade both deployments to the same version, undo the move, and move the client again.`,
    );
}

/** @throws BackupUnusable if the file has rows of another client, or a user has a role that is unknown or no client's. */
async function assertOwnRows(client: Client, path: string, id: string, tables: readonly ClientTable[]): Promise<void> {
  for (const table of tables) {
    const { rowCount } = await client.query(
      `select from ${incoming(table.table)} where (${rowsOf(table, id, incoming('users'))}) is not true limit 1`,
    );
    if (rowCount !== 0) throw damaged(path);
  }
  const { rowCount: otherRoles } = await client.query(
    `select from ${incoming('users')} where not (roles <@ $1::text[]) limit 1`,
    [clientRoles],
  );
  if (otherRoles !== 0) throw damaged(path);
}

/** Encrypts the keys of the client and its users with the newest root key. */
async function renewSecrets(client: Client, path: string, id: string, vault: Vault): Promise<void> {
  const { rows: keys } = await client.query<WrappedKey>(
    `select id, root_key_id as "rootKeyId", wrapped from ${incoming('data_keys')}`,
  );
  const { rows: factors } = await client.query<WrappedKey & { readonly userId: string }>(
    `select user_id as "userId", key_id as id, root_key_id as "rootKeyId", wrapped_key as wrapped from ${incoming('second_factors')}`,
  );
  if ([...keys, ...factors].some(({ rootKeyId }) => !vault.rootKeyIds.includes(rootKeyId)))
    throw new BackupUnusable(
      'The secrets in the file were encrypted with another SECRET_KEY: set SOURCE_SECRET_KEY to the SECRET_KEY of the deployment that wrote the file.',
    );
  try {
    for (const key of keys) {
      const { rootKeyId, wrapped } = vault.rewrap(id, key) ?? key;
      await client.query(`update ${incoming('data_keys')} set root_key_id = $2, wrapped = $3 where id = $1`, [
        key.id,
        rootKeyId,
        wrapped,
      ]);
    }
    for (const { userId, ...key } of factors) {
      const { rootKeyId, wrapped } = vault.rewrap(userId, key) ?? key;
      await client.query(
        `update ${incoming('second_factors')} set root_key_id = $2, wrapped_key = $3 where user_id = $1`,
        [userId, rootKeyId, wrapped],
      );
    }
    await renewHashes(client, id, vault, keys);
  } catch (error) {
    throw error instanceof VaultError ? damaged(path, error) : error;
  }
}

/** Hashes the ids of the connected companies with the newest root key. */
async function renewHashes(client: Client, id: string, vault: Vault, keys: readonly WrappedKey[]): Promise<void> {
  const { rows } = await client.query<{ service: Service; sealed: string }>(
    `select service, external_id as sealed from ${incoming('connections')} where external_id is not null`,
  );
  for (const { service, sealed } of rows) {
    const key = keys.find((one) => sealed.startsWith(`v1.${one.id}.`));
    if (key === undefined) throw new VaultError('A key is missing.');
    const externalId = open(vault.unwrap(id, key), externalIdField(service), sealed);
    await client.query(`update ${incoming('connections')} set external_hash = $2 where service = $1`, [
      service,
      externalHash(vault, service, externalId),
    ]);
  }
}

/** Adapts the rows to this deployment. */
async function adapt(client: Client, { gaps }: ClientFile, now: string): Promise<void> {
  // A gap that is settled in the other deployment is settled here; an open one stays open.
  await client.query(
    `update ${incoming('tenants')} set
       status = before_move ->> 'status', status_reason = before_move ->> 'reason', moved_at = null, before_move = null,
       next_sync_at = case before_move ->> 'status' when 'active' then $2::timestamptz end,
       gaps_settled = here.gaps - (gaps_settled <> $1)::int,
       ledger_gaps_settled = here.gaps - (ledger_gaps_settled <> $1)::int
     from (select noted_gaps() as gaps) here`,
    [gaps, now],
  );
  // A call of the last worker may have been sent up to now.
  await client.query(`update ${incoming('leases')} set owner = null, ends_at = clock_timestamp()`);
}

/** @throws BackupUnusable if the client, a user or a connected company exists here. */
async function assertFree(client: Client, { id, name }: ClientFile['client']): Promise<void> {
  for (const table of ['tenants', 'users', 'connections'])
    await client.query(`grant select on ${incoming(table)} to tallybridge_purge`);
  await client.query('set local role tallybridge_purge');
  const { rows: own } = await client.query<{ isMoved: boolean }>(
    'select moved_at is not null as "isMoved" from tenants where id = $1',
    [id],
  );
  if (own[0] !== undefined)
    throw new BackupUnusable(
      own[0].isMoved
        ? `${name} was moved away from here and its rows still exist: delete them with “tallybridge client delete”, then import the file again.`
        : `${name} exists here already, so nothing was imported.`,
    );
  const { rows: users } = await client.query<{ username: string }>(
    `select n.username from ${incoming('users')} n join public.users o
        on o.username = n.username or (o.psa_database_id, o.psa_resource_id) = (n.psa_database_id, n.psa_resource_id)
      order by 1 limit 1`,
  );
  if (users[0] !== undefined)
    throw new BackupUnusable(
      `${users[0].username} is a user of another client here: remove this user in one of both deployments first.`,
    );
  const { rows: companies } = await client.query<{ name: string }>(
    `select n.name from ${incoming('connections')} n join public.connections o using (service, external_hash)
      where n.status = 'active' and o.status = 'active' order by 1 limit 1`,
  );
  if (companies[0] !== undefined)
    throw new BackupUnusable(`“${companies[0].name}” is connected to another client here: disconnect it there first.`);
  const { rows: registered } = await client.query<{ name: string }>(
    `select o.name from ${incoming('tenants')} n join public.tenants o using (registered_as)
      where n.status <> 'cancelled' and o.status <> 'cancelled' limit 1`,
  );
  if (registered[0] !== undefined)
    throw new BackupUnusable(
      `The same Autotask database is registered by ${registered[0].name} here: cancel or delete that client first.`,
    );
  await client.query('reset role');
}

/** Inserts the rows, referenced tables first. The rights exist in this transaction only. */
async function insertRows(client: Client, tables: readonly ClientTable[]): Promise<void> {
  const granted: string[] = [];
  const grant = async (right: string, table: string, role: string) => {
    const { rows } = await client.query<{ has: boolean }>('select has_table_privilege($1, $2, $3) as has', [
      role,
      `public.${quoted(table)}`,
      right,
    ]);
    if (rows[0]?.has === true) return;
    await client.query(`grant ${right} on public.${quoted(table)} to ${role}`);
    granted.push(`revoke ${right} on public.${quoted(table)} from ${role}`);
  };
  // Triggers of the log update it.
  await grant('update', 'alert_states', 'tallybridge_purge');
  for (const table of await inOrderOfReferences(client, tables)) {
    const { reader, table: name } = table;
    if (reader === null) throw new Error(`${name} has rows of clients, but no row-level security.`);
    await grant('insert', name, reader);
    await client.query(`grant select on ${incoming(name)} to ${reader}`);
    await client.query(`set local role ${reader}`);
    await client.query(
      `insert into public.${quoted(name)} (${namesOf(table)}) overriding system value select ${namesOf(table)} from ${incoming(name)}`,
    );
    await client.query('reset role');
  }
  await client.query('set local role tallybridge_purge');
  await client.query(
    `update public.alert_states a set is_pending = n.is_pending from ${incoming('alert_states')} n where a.tenant_id = n.tenant_id`,
  );
  await client.query('reset role');
  for (const statement of granted) await client.query(statement);
}

async function inOrderOfReferences(client: Client, tables: readonly ClientTable[]): Promise<readonly ClientTable[]> {
  const { rows: references } = await client.query<{ from: string; to: string }>(
    `select f.relname::text as "from", t.relname::text as "to" from pg_constraint c
       join pg_class f on f.oid = c.conrelid join pg_class t on t.oid = c.confrelid
      where c.contype = 'f' and f.oid <> t.oid
      -- Triggers of the log add a row here, unless one exists.
      union all select unnest(array['logs', 'log_details']), 'alert_states'`,
  );
  const ordered: ClientTable[] = [];
  for (let left = [...tables]; left.length > 0;) {
    const names = new Set(left.map(({ table }) => table));
    const free = left.filter(({ table }) => !references.some(({ from, to }) => from === table && names.has(to)));
    if (free.length === 0) throw new Error('the tables reference one another in a circle');
    ordered.push(...free);
    left = left.filter((one) => !free.includes(one));
  }
  return ordered;
}

/**
 * Raises the sequences above the imported numbers, because lists are ordered by them. Numbers of different clients may
 * be equal: no unique index contains one without the client.
 */
async function raiseSequences(client: Client, tables: readonly ClientTable[]): Promise<void> {
  // More numbers than other transactions use between the comparison and the change.
  const margin = 10_000;
  const { rows: sequences } = await client.query<{ table: string; column: string; name: string }>(
    `select c.relname::text as "table", a.attname::text as column,
            pg_get_serial_sequence(format('public.%I', c.relname), a.attname) as name
       from pg_attribute a join pg_class c on c.oid = a.attrelid
      where a.attidentity <> '' and c.relname = any ($1) and c.relnamespace = 'public'::regnamespace`,
    [tables.map(({ table }) => table)],
  );
  for (const { table, column, name } of sequences)
    await client.query(
      `select setval('${name}', n.newest + ${2 * margin})
         from (select max(${quoted(column)}) as newest from ${incoming(table)}) n, ${name} s
        where n.newest + ${margin} > s.last_value`,
    );
}

/** @throws BackupUnusable if the database has other rows of the client than the file. */
async function assertComplete(
  client: Client,
  { client: { id }, rows }: ClientFile,
  tables: readonly ClientTable[],
): Promise<void> {
  for (const table of tables) {
    await client.query(`set local role ${table.reader}`);
    const { rows: counted } = await client.query<{ count: string }>(
      `select count(*) from public.${quoted(table.table)} where ${rowsOf(table, id)}`,
    );
    await client.query('reset role');
    if (Number(counted[0]?.count) !== rows[table.table])
      throw new BackupUnusable(`The table ${table.table} has other rows than the file, so nothing was imported.`);
  }
}

/** Adds an event to the audit trail. This also proves that the client's transactions see its rows. */
async function noteImport(client: Client, id: string, now: string): Promise<void> {
  const key = await readBindingKey(client);
  await client.query('set local role tallybridge_app');
  await client.query('select enter_tenant($1, $2)', [id, proofOf(key, id)]);
  await client.query(
    `insert into audit_events (tenant_id, at, username, action, before, after)
     select id, $1, 'command line', 'tenant.moved_in', 'null', 'null' from tenants`,
    [now],
  );
  await client.query('reset role');
}
