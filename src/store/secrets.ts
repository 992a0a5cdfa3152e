import type { Service } from '#core/tenant.ts';
import type { Updateable } from 'kysely';
import type { Database, Tx } from './database.ts';
import { codeOf } from './errors.ts';
import { rotateOutbox } from './outbox.ts';
import { rotateSecondFactors } from './second-factors.ts';
import { rotateSignInLinks } from './sign-in-links.ts';
import type { Tables } from './tables.ts';
import { keyIdOf, open, seal, VaultError, type DataKey, type Vault, type WrappedKey } from './vault.ts';

/**
 * Names of the fields that sealed values belong to; they are part of the encryption binding, so they are never renamed.
 */
export const credentialsField = (service: Service): string => `connections.${service}.credentials`;
export const externalIdField = (service: Service): string => `connections.${service}.external_id`;

const namedExternal = (service: Service, externalId: string): string => `${service}\n${externalId}`;

/** Returns the hash under which a company of a service is stored, so that the database can find it. */
export const externalHash = (vault: Vault, service: Service, externalId: string): string =>
  vault.fingerprints(namedExternal(service, externalId))[0];

/** Returns all hashes under which it may be stored, before and after a change of the root key. */
export const externalHashes = (vault: Vault, service: Service, externalId: string): readonly string[] =>
  vault.fingerprints(namedExternal(service, externalId));

/** Seals and opens the secrets of one tenant within a transaction. */
export interface Secrets {
  seal(field: string, text: string): Promise<string>;
  open(field: string, sealed: string): Promise<string>;
}

/** Binds the vault to a tenant's keys, which are stored in the database and created when first needed. */
export function secretsOf(tx: Tx, vault: Vault, tenantId: string): Secrets {
  const opened = new Map<string, DataKey>();
  async function keyOf(id: string): Promise<DataKey> {
    const record = await keys(tx, tenantId).where('id', '=', id).executeTakeFirst();
    if (record === undefined) throw new VaultError(`A key of tenant ${tenantId} is missing.`);
    const key = vault.unwrap(tenantId, record);
    opened.set(id, key);
    return key;
  }
  return {
    async seal(field, text) {
      return seal(await newestKey(tx, vault, tenantId), field, text);
    },
    async open(field, sealed) {
      const id = keyIdOf(sealed);
      return open(opened.get(id) ?? (await keyOf(id)), field, sealed);
    },
  };
}

const keys = (tx: Tx, tenantId: string) =>
  tx.selectFrom('data_keys').select(['id', 'root_key_id as rootKeyId', 'wrapped']).where('tenant_id', '=', tenantId);

async function newestKey(tx: Tx, vault: Vault, tenantId: string): Promise<DataKey> {
  const record = await keys(tx, tenantId).orderBy('created_at', 'desc').limit(1).executeTakeFirst();
  if (record !== undefined) return vault.unwrap(tenantId, record);
  const { key, wrapped } = vault.createKey(tenantId);
  await tx.insertInto('data_keys').values(rowOf(tenantId, wrapped)).execute();
  return key;
}

const rowOf = (tenantId: string, { id, rootKeyId, wrapped }: WrappedKey) => ({
  tenant_id: tenantId,
  id,
  root_key_id: rootKeyId,
  wrapped,
});

/** The unique index that allows each company only one tenant at a time. */
export const companyOnce = 'connections_company_once';

/** Problem shown on the later of two connections to one company (also in migration 0012). */
const connectedTwice =
  'This company is connected to another subscription, which connected it first. Disconnect it there, then connect it here again.';

/**
 * Rewraps the keys of all tenants, users and waiting emails with the newest root key; the sealed values do not change. Can run while
 * the product works, and again after an interruption; only tenants with outdated keys are read. After it finishes, the
 * old SECRET_KEY is no longer needed.
 *
 * @returns the number of rewrapped keys.
 */
export async function rotateKeys(database: Database, vault: Vault): Promise<number> {
  let count = await database.acrossTenants(
    async (tx) =>
      (await rotateSecondFactors(tx, vault)) + (await rotateOutbox(tx, vault)) + (await rotateSignInLinks(tx, vault)),
  );
  for (const tenantId of await tenantsToRenew(database, vault)) {
    // Keys are rewrapped last: after an interruption, a tenant without renewed hashes is found again.
    await renewHashes(database, vault, tenantId);
    count += await database.forTenant(tenantId, (tx) => rewrapKeys(tx, vault, tenantId));
  }
  return count;
}

async function tenantsToRenew(database: Database, vault: Vault): Promise<readonly string[]> {
  const rows = await database.asPurge((tx) =>
    tx
      .selectFrom('data_keys')
      .select('tenant_id')
      .where('root_key_id', '!=', vault.rootKeyId)
      .union(
        tx
          .selectFrom('connections')
          .select('tenant_id')
          .where('external_id', 'is not', null)
          .where('external_hash', 'is', null),
      )
      .orderBy('tenant_id')
      .execute(),
  );
  return rows.map((row) => row.tenant_id);
}

async function rewrapKeys(tx: Tx, vault: Vault, tenantId: string): Promise<number> {
  let renewed = 0;
  for (const record of await keys(tx, tenantId).forUpdate().execute()) {
    const next = vault.rewrap(tenantId, record);
    if (next === null) continue;
    renewed += 1;
    await tx
      .updateTable('data_keys')
      .set({ root_key_id: next.rootKeyId, wrapped: next.wrapped })
      .where('tenant_id', '=', tenantId)
      .where('id', '=', record.id)
      .execute();
  }
  return renewed;
}

/** Owners of secrets that were sealed with root keys that are not set here. */
export interface LostSecrets {
  /** Clients whose credentials cannot be opened. */
  readonly tenantIds: readonly string[];
  /** Users whose second factor cannot be opened. */
  readonly userIds: readonly string[];
  /** Names of the missing keys, as stored with the sealed values. */
  readonly rootKeyIds: readonly string[];
}

/** Finds secrets that no configured SECRET_KEY can open; empty if there are none. */
export async function findLostSecrets(database: Database, vault: Vault): Promise<LostSecrets> {
  const tenants = await database.asPurge((tx) =>
    tx
      .selectFrom('data_keys')
      .select(['tenant_id as id', 'root_key_id as rootKeyId'])
      .where('root_key_id', 'not in', vault.rootKeyIds)
      .execute(),
  );
  const users = await database.acrossTenants((tx) =>
    tx
      .selectFrom('second_factors')
      .select(['user_id as id', 'root_key_id as rootKeyId'])
      .where('root_key_id', 'not in', vault.rootKeyIds)
      .execute(),
  );
  const named = (rows: readonly { readonly id: string }[]) => [...new Set(rows.map(({ id }) => id))].sort();
  return {
    tenantIds: named(tenants),
    userIds: named(users),
    rootKeyIds: [...new Set([...tenants, ...users].map(({ rootKeyId }) => rootKeyId))].sort(),
  };
}

/** Message for an operator when secrets do not open. */
export function lostSecretsText({ tenantIds, userIds, rootKeyIds }: LostSecrets): string {
  const what = [
    ...(tenantIds.length === 0 ? [] : [`the connections of ${counted(tenantIds.length, 'client')}`]),
    ...(userIds.length === 0 ? [] : [`the second factor of ${counted(userIds.length, 'user')}`]),
  ].join(' and ');
  return `SECRET_KEY does not decrypt ${what}: they were encrypted with another key (${rootKeyIds.join(', ')}). Add the earlier SECRET_KEY after the current one, separated by a comma. If it is lost, run “npx tallybridge admin forget-lost-secrets yes”: then reconnect them by hand, and those users log in with their password alone; documents, logs, settings, mappings and passwords stay as they are.`;
}

export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Problem shown on a connection whose secrets were lost. */
const lostProblem = 'The key of its secrets was lost. Connect again; mappings and settings are still there.';

/**
 * Deletes the unreadable secrets of clients. Their connections and webhooks must be made again; nothing else changes. The name of
 * the connected company remains, so that a connection to another company is detected.
 */
export async function forgetSecretsOf(database: Database, tenantIds: readonly string[]): Promise<void> {
  for (const tenantId of tenantIds)
    await database.forTenant(tenantId, async (tx) => {
      const sealed = { credentials: null, external_id: null, external_hash: null, ended: null, ended_at: null };
      await tx
        .updateTable('connections')
        .set({ ...sealed, status: 'inactive', consent_ends_at: null, problem: lostProblem })
        .where('tenant_id', '=', tenantId)
        .execute();
      for (const table of ['chats', 'webhook_endpoints', 'sign_in_providers'] as const)
        await tx.deleteFrom(table).where('tenant_id', '=', tenantId).execute();
    });
  // Last, so that an interrupted run finds these tenants again.
  if (tenantIds.length > 0)
    await database.asPurge((tx) => tx.deleteFrom('data_keys').where('tenant_id', 'in', tenantIds).execute());
}

/** Renews the hashes of external ids with the newest root key; adds hashes to connections that predate them. */
async function renewHashes(database: Database, vault: Vault, tenantId: string): Promise<void> {
  const companies = await database.forTenant(tenantId, async (tx) => {
    const rows = await tx
      .selectFrom('connections')
      .select(['service', 'external_id as sealed'])
      .where('tenant_id', '=', tenantId)
      .execute();
    const found: { readonly service: Service; readonly externalId: string }[] = [];
    for (const { service, sealed } of rows)
      if (sealed !== null)
        found.push({
          service,
          externalId: await secretsOf(tx, vault, tenantId).open(externalIdField(service), sealed),
        });
    return found;
  });
  for (const { service, externalId } of companies)
    await saveHash(database, tenantId, service, externalHash(vault, service, externalId));
}

/** Two tenants may have connected one company before the unique index existed; that shows when both have a hash. */
async function saveHash(database: Database, tenantId: string, service: Service, hash: string): Promise<void> {
  const save = () => database.forTenant(tenantId, (tx) => own(tx, tenantId, service, { external_hash: hash }));
  try {
    await save();
  } catch (error) {
    if (codeOf(error) !== '23505') throw error;
    await endYounger(database, tenantId, service, hash);
    await save();
  }
}

async function endYounger(database: Database, tenantId: string, service: Service, hash: string): Promise<void> {
  const younger = await database.asPurge((tx) =>
    tx
      .selectFrom('connections')
      .select('tenant_id')
      .where('service', '=', service)
      .where('status', '=', 'active')
      .where((where) => where.or([where('external_hash', '=', hash), where('tenant_id', '=', tenantId)]))
      .orderBy('connected_at', (order) => order.desc().nullsLast())
      .orderBy('tenant_id', 'desc')
      .limit(1)
      .executeTakeFirst(),
  );
  if (younger === undefined) return;
  const end = { status: 'inactive', problem: connectedTwice } as const;
  await database.forTenant(younger.tenant_id, (tx) => own(tx, younger.tenant_id, service, end));
}

const own = (tx: Tx, tenantId: string, service: Service, change: Updateable<Tables['connections']>) =>
  tx.updateTable('connections').set(change).where('tenant_id', '=', tenantId).where('service', '=', service).execute();
