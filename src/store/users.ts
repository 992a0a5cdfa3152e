import { sql, type Selectable } from 'kysely';
import type { NewUser, PsaLink, User, UserStore } from '#core/ports/users.ts';
import { Refusal } from '#core/refusal.ts';
import type { Instant } from '#core/values/dates.ts';
import type { Tx } from './database.ts';
import { codeOf, constraintOf } from './errors.ts';
import type { RootMethods } from './scope.ts';
import { clean, isId, type Tables } from './tables.ts';
import { tenantColumns } from './tenants.ts';
import { spendAllTokens } from './one-time-tokens.ts';

export const users: RootMethods<UserStore> = {
  findUser: ({ tx }, username) =>
    one(tx.selectFrom('users').selectAll().where('username', '=', username.toLowerCase().replaceAll('\0', ''))),

  findUserById: async ({ tx }, id) => {
    if (!isId(id)) return null;
    return one(tx.selectFrom('users').selectAll().where('id', '=', id));
  },

  listSystemAdministrators: async ({ tx }) =>
    (
      await tx
        .selectFrom('users')
        .select('username')
        .where(sql<boolean>`'sysadmin' = any (roles)`)
        .where('is_active', '=', true)
        .orderBy('username')
        .execute()
    ).map(({ username }) => username),

  findUserByPsa: ({ tx }, { databaseId, resourceId }) =>
    one(
      tx
        .selectFrom('users')
        .selectAll()
        .where('psa_database_id', '=', clean(databaseId))
        .where('psa_resource_id', '=', resourceId),
    ),

  addUser: ({ tx }, user) => refusingDuplicates(() => insert(tx, user)),

  setPassword: async ({ tx }, userId, passwordHash, now) => {
    await tx.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', userId).execute();
    await spendAllTokens(tx, userId, now);
  },

  setUserActive: async ({ tx }, username, isActive, now) => {
    const user = await tx
      .updateTable('users')
      .set({ is_active: isActive })
      .where('username', '=', username)
      .where('is_active', '=', !isActive)
      .returning('id')
      .executeTakeFirst();
    if (user === undefined) return false;
    await spendAllTokens(tx, user.id, now);
    return true;
  },

  setPasswordByToken: async ({ tx }, hash, passwordHash, now) => {
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

  markEmailProved: async ({ tx }, userId, now) => {
    await tx
      .updateTable('users')
      .set({ email_proved_at: now })
      .where('id', '=', userId)
      .where('email_proved_at', 'is', null)
      .execute();
  },

  registerTenant: ({ tx }, tenant, user, registeredAs, unprovedSince) =>
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

  readInvitation: async ({ tx }, tokenHash, now) => {
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

  acceptInvitation: ({ tx }, tokenHash, passwordHash, now) =>
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
