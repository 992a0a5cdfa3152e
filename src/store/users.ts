import { sql, type Selectable } from 'kysely';
import type { NewUser, PsaLink, User } from '#core/records/users.ts';
import { Refusal } from '#core/refusal.ts';
import type { Instant } from '#core/values/dates.ts';
import type { Tenant } from '#core/tenant.ts';
import type { Tx } from './database.ts';
import { codeOf, constraintOf } from './errors.ts';
import type { RootWork } from './scope.ts';
import { clean, isId, type Tables } from './tables.ts';
import { tenantColumns } from './tenants.ts';
import { spendAllTokens } from './one-time-tokens.ts';

/** Users of all tenants, with registration and invitations. */
export const users = {
  findUser: ({ tx }: RootWork, username: string): Promise<User | null> =>
    one(tx.selectFrom('users').selectAll().where('username', '=', username.toLowerCase().replaceAll('\0', ''))),

  findUserById: async ({ tx }: RootWork, id: string): Promise<User | null> => {
    if (!isId(id)) return null;
    return one(tx.selectFrom('users').selectAll().where('id', '=', id));
  },

  /** Email addresses of the active system administrators. */
  listSystemAdministrators: async ({ tx }: RootWork): Promise<readonly string[]> =>
    (
      await tx
        .selectFrom('users')
        .select('username')
        .where(sql<boolean>`'sysadmin' = any (roles)`)
        .where('is_active', '=', true)
        .orderBy('username')
        .execute()
    ).map(({ username }) => username),

  /** Finds the user who is linked with a PSA resource. */
  findUserByPsa: ({ tx }: RootWork, { databaseId, resourceId }: PsaLink): Promise<User | null> =>
    one(
      tx
        .selectFrom('users')
        .selectAll()
        .where('psa_database_id', '=', clean(databaseId))
        .where('psa_resource_id', '=', resourceId),
    ),

  /** @throws Refusal `username_taken`. */
  addUser: ({ tx }: RootWork, user: NewUser): Promise<User> => refusingDuplicates(() => insert(tx, user)),

  /** Sets a password, ends every session of the user and invalidates every token, in one transaction. */
  setPassword: async ({ tx }: RootWork, userId: string, passwordHash: string, now: Instant): Promise<void> => {
    await tx.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', userId).execute();
    await spendAllTokens(tx, userId, now);
  },

  /**
   * Enables or disables a user. Disabling ends the user's sessions and invalidates their codes.
   *
   * @returns false when no user with this name changes.
   */
  setUserActive: async ({ tx }: RootWork, username: string, isActive: boolean, now: Instant): Promise<boolean> => {
    const user = await tx
      .updateTable('users')
      .set({ is_active: isActive })
      .where('username', '=', username)
      .where('is_active', '=', !isActive)
      .returning('id')
      .executeTakeFirst();
    if (user === undefined) return false;
    await spendAllTokens(tx, user.id, now);
    await tx.deleteFrom('sign_in_links').where('user_id', '=', user.id).execute();
    return true;
  },

  /**
   * Uses up a reset token, sets the password, ends every session of the user and invalidates every other token, in one
   * transaction. Null when the token is unknown, used or expired. Of two concurrent calls, one succeeds.
   */
  setPasswordByToken: async (
    { tx }: RootWork,
    hash: string,
    passwordHash: string,
    now: Instant,
  ): Promise<User | null> => {
    const spent = await tx
      .updateTable('one_time_tokens')
      .set({ spent_at: now })
      .where('hash', '=', hash)
      .where('purpose', '=', 'reset_password')
      .where('spent_at', 'is', null)
      .where('ends_at', '>', now)
      .returning('user_id')
      .executeTakeFirst();
    const userId = spent?.user_id ?? null;
    if (userId === null) return null;
    // The holder of another code for this account obtained it under the old password.
    await spendAllTokens(tx, userId, now);
    const row = await tx
      .updateTable('users')
      .set((user) => ({
        password_hash: passwordHash,
        email_proved_at: sql`coalesce(${user.ref('email_proved_at')}, ${now})`,
      }))
      .where('id', '=', userId)
      .returningAll()
      .executeTakeFirstOrThrow();
    return toUser(row);
  },

  /** Records that the address of a user was verified. */
  markEmailProved: async ({ tx }: RootWork, userId: string, now: Instant): Promise<void> => {
    await tx
      .updateTable('users')
      .set({ email_proved_at: now })
      .where('id', '=', userId)
      .where('email_proved_at', 'is', null)
      .execute();
  },

  /**
   * Adds a client and its first user in one transaction; the address of the user is not verified yet.
   *
   * @param registeredAs the PSA database that the client registers with.
   * @param unprovedSince an account that was not verified since then releases its address.
   * @throws Refusal `company_registered` when a client is already registered with the database, `username_taken`.
   */
  registerTenant: (
    { tx }: RootWork,
    tenant: Omit<Tenant, 'id'>,
    user: Omit<NewUser, 'tenantId'>,
    registeredAs: string,
    unprovedSince: Instant,
  ): Promise<{ readonly tenant: Tenant; readonly user: User }> =>
    refusingDuplicates(async () => {
      await removeUnproved(tx, user.username, unprovedSince);
      const added = await tx
        .insertInto('tenants')
        .values({
          name: clean(tenant.name),
          status: tenant.status,
          time_zone: tenant.timeZone,
          registered_as: clean(registeredAs),
        })
        .returning(tenantColumns)
        .executeTakeFirstOrThrow();
      return { tenant: added, user: await insert(tx, { ...user, tenantId: added.id }, { isProved: false }) };
    }),

  /** Reads the terms of an invitation that exists and is not expired. */
  readInvitation: async (
    { tx }: RootWork,
    tokenHash: string,
    now: Instant,
  ): Promise<{ readonly email: string; readonly name: string; readonly tenant: Tenant } | null> => {
    const found = await tx
      .selectFrom('invitations')
      .select(['tenant_id', 'email', 'name'])
      .where('token_hash', '=', tokenHash)
      .where('ends_at', '>', now)
      .executeTakeFirst();
    if (found === undefined) return null;
    const tenant = await tx
      .selectFrom('tenants')
      .select(tenantColumns)
      .where('id', '=', found.tenant_id)
      .executeTakeFirstOrThrow();
    return { email: found.email, name: found.name, tenant };
  },

  /**
   * Creates a user from an invitation and deletes the invitation; replaces an account of the same address that was
   * never verified. Null when the invitation is unknown, used or expired. Of two concurrent calls, one succeeds.
   *
   * @throws Refusal `username_taken` when the address belongs to a user by now; the invitation remains.
   */
  acceptInvitation: ({ tx }: RootWork, tokenHash: string, passwordHash: string, now: Instant): Promise<User | null> =>
    refusingDuplicates(async () => {
      const taken = await tx
        .deleteFrom('invitations')
        .where('token_hash', '=', tokenHash)
        .where('ends_at', '>', now)
        .returning(['tenant_id', 'email', 'name', 'role'])
        .executeTakeFirst();
      if (taken === undefined) return null;
      await removeUnproved(tx, taken.email);
      return insert(tx, {
        username: taken.email,
        passwordHash,
        roles: [taken.role],
        tenantId: taken.tenant_id,
        isActive: true,
        name: taken.name,
      });
    }),
};

type Row = Selectable<Tables['users']>;

async function one(query: { executeTakeFirst(): Promise<Row | undefined> }): Promise<User | null> {
  const row = await query.executeTakeFirst();
  return row === undefined ? null : toUser(row);
}

/**
 * Removes an account with an unproved email address; with `registeredUntil`, only if it was registered by then. A
 * client without remaining users is canceled, because it was only a claim.
 */
async function removeUnproved(tx: Tx, username: string, registeredUntil?: Instant): Promise<void> {
  const gone = await tx
    .deleteFrom('users')
    .where('username', '=', username.toLowerCase())
    .where('email_proved_at', 'is', null)
    .$if(registeredUntil !== undefined, (query) => query.where('created_at', '<=', registeredUntil ?? null))
    .returning('tenant_id')
    .executeTakeFirst();
  if (gone?.tenant_id === undefined || gone.tenant_id === null) return;
  await tx
    .updateTable('tenants')
    .set({ status: 'cancelled', next_sync_at: null })
    .where('id', '=', gone.tenant_id)
    .where((where) =>
      where.not(where.exists(where.selectFrom('users').select('id').whereRef('users.tenant_id', '=', 'tenants.id'))),
    )
    .execute();
}

async function insert(tx: Tx, user: NewUser, { isProved } = { isProved: true }): Promise<User> {
  const row = await tx
    .insertInto('users')
    .values({
      username: user.username.toLowerCase(),
      password_hash: user.passwordHash,
      roles: user.roles,
      tenant_id: user.tenantId,
      is_active: user.isActive,
      name: clean(user.name ?? ''),
      psa_database_id: user.psaLink?.databaseId ?? null,
      psa_resource_id: user.psaLink?.resourceId ?? null,
      ...(isProved ? {} : { email_proved_at: null }),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toUser(row);
}

const toUser = (row: Row): User => ({
  id: row.id,
  username: row.username,
  passwordHash: row.password_hash,
  roles: row.roles,
  tenantId: row.tenant_id,
  isActive: row.is_active,
  name: row.name,
  psaLink: linkOf(row),
  emailIsProved: row.email_proved_at !== null,
  accessVersion: row.access_version,
});

const linkOf = ({ psa_database_id: databaseId, psa_resource_id: resourceId }: Row): PsaLink | null =>
  databaseId === null || resourceId === null ? null : { databaseId, resourceId };

/** Converts a violation of the unique user or company constraint into a readable refusal. */
async function refusingDuplicates<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (codeOf(error) !== '23505') throw error;
    throw constraintOf(error) === 'tenants_registered_once'
      ? new Refusal('conflict', 'company_registered', 'This company is registered already.')
      : new Refusal('conflict', 'username_taken', 'This email address is registered already.');
  }
}
