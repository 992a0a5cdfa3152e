import type { Service } from '#core/tenant.ts';
import type { Database, Tx } from './database.ts';
import { rotateSecondFactors } from './second-factors.ts';
import { keyIdOf, open, seal, VaultError, type DataKey, type Vault, type WrappedKey } from './vault.ts';

/** The places that sealed values belong to; part of their binding, so never renamed. */
export const credentialsField = (service: Service): string => `connections.${service}.credentials`;
export const externalIdField = (service: Service): string => `connections.${service}.external_id`;

const namedExternal = (service: Service, externalId: string): string => `${service}\n${externalId}`;

/** Under what a company at the other side is kept, so that the database can find it. */
export const externalHash = (vault: Vault, service: Service, externalId: string): string =>
  vault.fingerprints(namedExternal(service, externalId))[0];

/** Under what it may have been kept, before and after a change of the root key. */
export const externalHashes = (vault: Vault, service: Service, externalId: string): readonly string[] =>
  vault.fingerprints(namedExternal(service, externalId));

/** Seals and opens the secrets of one tenant within a transaction. */
export interface Secrets {
  seal(field: string, text: string): Promise<string>;
  open(field: string, sealed: string): Promise<string>;
}

/** Binds the vault to a tenant's keys, which stand in the database and are made at first need. */
export function secretsOf(tx: Tx, vault: Vault, tenantId: string): Secrets {
  return {
    async seal(field, text) {
      return seal(await newestKey(tx, vault, tenantId), field, text);
    },
    async open(field, sealed) {
      const record = await keys(tx, tenantId).where('id', '=', keyIdOf(sealed)).executeTakeFirst();
      if (record === undefined) throw new VaultError(`A key of tenant ${tenantId} is missing.`);
      return open(vault.unwrap(tenantId, record), field, sealed);
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

/**
 * Wraps every tenant's and every user's keys with the newest root key; the sealed values themselves stay as they are. May run while the
 * product works, and again after an interruption. Once it is through, the old SECRET_KEY is not needed any more.
 *
 * @returns how many keys were wrapped anew.
 */
export async function rotateKeys(database: Database, vault: Vault): Promise<number> {
  const tenants = await database.acrossTenants((tx) => tx.selectFrom('tenants').select('id').orderBy('id').execute());
  let count = await database.acrossTenants((tx) => rotateSecondFactors(tx, vault));
  for (const { id: tenantId } of tenants) {
    count += await database.forTenant(tenantId, async (tx) => {
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
      await renewHashes(tx, vault, tenantId);
      return renewed;
    });
  }
  return count;
}

/** The hashes of external ids follow the newest root key as well; connections that are older than the hashes get theirs. */
async function renewHashes(tx: Tx, vault: Vault, tenantId: string): Promise<void> {
  const rows = await tx
    .selectFrom('connections')
    .select(['service', 'external_id as externalId'])
    .where('tenant_id', '=', tenantId)
    .where('credentials', 'is not', null)
    .execute();
  for (const { service, externalId } of rows) {
    if (externalId === null) continue;
    const text = await secretsOf(tx, vault, tenantId).open(externalIdField(service), externalId);
    await tx
      .updateTable('connections')
      .set({ external_hash: externalHash(vault, service, text) })
      .where('tenant_id', '=', tenantId)
      .where('service', '=', service)
      .execute();
  }
}
