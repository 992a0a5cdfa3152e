import { sql } from 'kysely';
import type { SecondFactor } from '#core/records/second-factors.ts';
import type { Instant } from '#core/values/dates.ts';
import type { Tx } from './database.ts';
import type { RootWork } from './scope.ts';
import { open, seal, type Vault, type WrappedKey } from './vault.ts';

/** Name of the sealed field; a secret copied to another field does not open. */
const field = 'second factor';

/** Second factors of users. */
export const secondFactors = {
  /**
   * Reads the second factor of a user, confirmed or not; null when there is none. Takes the same time for unknown ids.
   */
  readSecondFactor: async ({ tx, vault }: RootWork, userId: string): Promise<SecondFactor | null> => {
    const row = await tx
      .selectFrom('second_factors')
      .selectAll()
      .select((of) =>
        of
          .selectFrom('recovery_codes')
          .select((code) => code.fn.agg<readonly string[] | null>('array_agg', ['hash']).as('hashes'))
          .whereRef('recovery_codes.user_id', '=', 'second_factors.user_id')
          .where('spent_at', 'is', null)
          .as('recoveryHashes'),
      )
      .where('user_id', '=', userId)
      .executeTakeFirst();
    if (row === undefined) return null;
    return {
      version: row.key_id,
      secret: open(vault.unwrap(userId, wrappedOf(row)), field, row.secret),
      confirmedAt: row.confirmed_at,
      recoveryHashes: row.recoveryHashes ?? [],
    };
  },

  /** Returns the users among these who have to enter a second factor. */
  listSecured: async ({ tx }: RootWork, userIds: readonly string[]): Promise<ReadonlySet<string>> => {
    if (userIds.length === 0) return new Set();
    const rows = await tx
      .selectFrom('second_factors')
      .select('user_id')
      .where('user_id', 'in', userIds)
      .where('confirmed_at', 'is not', null)
      .execute();
    return new Set(rows.map((row) => row.user_id));
  },

  /** Stores an unconfirmed secret in place of an earlier one; false when a confirmed one exists. */
  beginSecondFactor: async (
    { tx, vault }: RootWork,
    userId: string,
    secret: string,
    now: Instant,
  ): Promise<boolean> => {
    const { key, wrapped } = vault.createKey(userId);
    const values = {
      key_id: wrapped.id,
      root_key_id: wrapped.rootKeyId,
      wrapped_key: wrapped.wrapped,
      secret: seal(key, field, secret),
      begun_at: now,
    };
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto('second_factors')
      .values({ user_id: userId, ...values })
      .onConflict((conflict) =>
        conflict.column('user_id').doUpdateSet(values).where('second_factors.confirmed_at', 'is', null),
      )
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  },

  /**
   * Confirms the pending secret with its first code, stores its recovery codes, and ends every session of the user. Of
   * two concurrent calls, one returns true.
   */
  confirmSecondFactor: async (
    { tx }: RootWork,
    userId: string,
    version: string,
    {
      step,
      recoveryHashes,
      now,
    }: { readonly step: number; readonly recoveryHashes: readonly string[]; readonly now: Instant },
  ): Promise<boolean> => {
    const { numUpdatedRows } = await tx
      .updateTable('second_factors')
      .set({ confirmed_at: now, last_step: step })
      .where('user_id', '=', userId)
      .where('key_id', '=', version)
      .where('confirmed_at', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows !== 1n) return false;
    await setCodes(tx, userId, recoveryHashes);
    // Ends every session, including one that is just starting with the password alone.
    await tx
      .updateTable('users')
      .set((user) => ({ access_version: sql`${user.ref('access_version')} + 1` }))
      .where('id', '=', userId)
      .execute();
    return true;
  },

  /**
   * Uses up the code of a 30-second step and all earlier ones; false when it was already used. Of two concurrent calls,
   * one succeeds.
   */
  spendCodeStep: async ({ tx }: RootWork, userId: string, version: string, step: number): Promise<boolean> => {
    const { numUpdatedRows } = await tx
      .updateTable('second_factors')
      .set({ last_step: step })
      .where('user_id', '=', userId)
      .where('key_id', '=', version)
      .where('confirmed_at', 'is not', null)
      .where('last_step', '<', step)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  },

  /** Uses up a recovery code; false when it does not exist. Of two concurrent calls, one succeeds. */
  spendRecoveryCode: async ({ tx }: RootWork, userId: string, hash: string, now: Instant): Promise<boolean> => {
    const { numUpdatedRows } = await tx
      .updateTable('recovery_codes')
      .set({ spent_at: now })
      .where('user_id', '=', userId)
      .where('hash', '=', hash)
      .where('spent_at', 'is', null)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  },

  replaceRecoveryCodes: ({ tx }: RootWork, userId: string, hashes: readonly string[]): Promise<void> =>
    setCodes(tx, userId, hashes),

  /** False when there was none. */
  removeSecondFactor: async ({ tx }: RootWork, userId: string): Promise<boolean> => {
    const { numDeletedRows } = await tx.deleteFrom('second_factors').where('user_id', '=', userId).executeTakeFirst();
    return numDeletedRows === 1n;
  },

  /** Whether users of this client must have a second factor. */
  requiresSecondFactor: async ({ tx }: RootWork, tenantId: string): Promise<boolean> => {
    const row = await tx
      .selectFrom('tenants')
      .select('requires_second_factor')
      .where('id', '=', tenantId)
      .executeTakeFirst();
    return row?.requires_second_factor === true;
  },

  /**
   * Sets whether users must have a second factor; ends the sessions of users without one. False when nothing changes.
   */
  requireSecondFactor: async (
    { tx }: RootWork,
    tenantId: string,
    isRequired: boolean,
    now: Instant,
  ): Promise<boolean> => {
    const { numUpdatedRows } = await tx
      .updateTable('tenants')
      .set({ requires_second_factor: isRequired })
      .where('id', '=', tenantId)
      .where('requires_second_factor', '!=', isRequired)
      .executeTakeFirst();
    if (numUpdatedRows !== 1n) return false;
    if (isRequired)
      await tx
        .updateTable('sessions')
        .set({ revoked_at: now })
        .where('tenant_id', '=', tenantId)
        .where('masquerader', 'is', null)
        .where('revoked_at', 'is', null)
        .where('proof', '!=', 'provider_two_step')
        .where('user_id', 'not in', (of) =>
          of.selectFrom('second_factors').select('user_id').where('confirmed_at', 'is not', null),
        )
        .execute();
    return true;
  },
};

/** Replaces all recovery codes at once; earlier codes become invalid. */
async function setCodes(tx: Tx, userId: string, hashes: readonly string[]): Promise<void> {
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  await tx
    .insertInto('recovery_codes')
    .values(hashes.map((hash) => ({ user_id: userId, hash })))
    .execute();
}

const wrappedOf = (row: {
  readonly key_id: string;
  readonly root_key_id: string;
  readonly wrapped_key: string;
}): WrappedKey => ({ id: row.key_id, rootKeyId: row.root_key_id, wrapped: row.wrapped_key });

/**
 * Rewraps the keys of all second factors with the newest root key, as `rotateKeys` does for tenant keys.
 *
 * @returns the number of rewrapped keys.
 */
export async function rotateSecondFactors(tx: Tx, vault: Vault): Promise<number> {
  let renewed = 0;
  for (const row of await tx
    .selectFrom('second_factors')
    .select(['user_id', 'key_id', 'root_key_id', 'wrapped_key'])
    .forUpdate()
    .execute()) {
    const next = vault.rewrap(row.user_id, wrappedOf(row));
    if (next === null) continue;
    renewed += 1;
    await tx
      .updateTable('second_factors')
      .set({ root_key_id: next.rootKeyId, wrapped_key: next.wrapped })
      .where('user_id', '=', row.user_id)
      .execute();
  }
  return renewed;
}
