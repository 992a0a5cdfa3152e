import { sql } from 'kysely';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import type { NewSession, Session } from '#core/records/sessions.ts';
import type { Tx } from './database.ts';
import type { RootWork } from './scope.ts';
import { clean, movedTenants } from './tables.ts';

/** A session without activity for this time ends, to protect a screen that was left open (ASVS 7.3.1). */
const idleSeconds = 2 * 3_600;
/** A session that began at a provider ends when the provider has not confirmed the account for this time. */
export const confirmedSeconds = 3_600;
/** Age after which ended sessions and failed tries are deleted, whenever new ones are added. */
const retentionSeconds = 7 * 86_400;

/** Sessions whose user is unchanged: each change of the user's access raises the version. */
const alive = (tx: Tx, now: Instant) =>
  tx
    .selectFrom('sessions')
    .innerJoin('users', (join) =>
      join
        .onRef('users.id', '=', 'sessions.user_id')
        .onRef('users.access_version', '=', 'sessions.access_version')
        .on('users.is_active', '=', true),
    )
    .select((one) => [
      one('users.email_proved_at', 'is not', null).$castTo<boolean>().as('emailIsProved'),
      'sessions.id',
      'sessions.jti',
      'sessions.user_id as userId',
      'sessions.tenant_id as tenantId',
      'sessions.roles',
      'sessions.masquerader',
      'sessions.cookie_hash as cookieHash',
      'sessions.access_version as accessVersion',
      'sessions.user_agent as userAgent',
      'sessions.address',
      'sessions.created_at as createdAt',
      'sessions.last_used_at as lastUsedAt',
      'sessions.ends_at as endsAt',
      'sessions.proof',
    ])
    .where('sessions.revoked_at', 'is', null)
    .where('sessions.ends_at', '>', now)
    .where('sessions.last_used_at', '>', addSeconds(now, -idleSeconds))
    .where((one) =>
      one.or([
        one('sessions.proof', '=', 'password'),
        one.exists(
          one
            .selectFrom('sign_in_links')
            .select('user_id')
            .whereRef('sign_in_links.user_id', '=', 'sessions.user_id')
            .where('checked_at', '>', addSeconds(now, -confirmedSeconds)),
        ),
      ]),
    );

/** Sessions and sign-in attempts. */
export const sessions = {
  /**
   * Starts a session and records the sign-in of its user, except while a system administrator acts as a client. False
   * when the user changed since the check (another password or other roles, deactivated or removed), and when the client
   * was moved to another deployment.
   */
  addSession: async ({ tx }: RootWork, session: NewSession): Promise<boolean> => {
    await tx.deleteFrom('sessions').where('ends_at', '<', addSeconds(session.createdAt, -retentionSeconds)).execute();
    // This statement checks and locks the user: a concurrent change of the user waits, and then ends this new
    // session.
    const { numUpdatedRows } = await tx
      .updateTable('users')
      .set((user) => ({
        last_sign_in_at: session.masquerader === null ? session.createdAt : user.ref('last_sign_in_at'),
      }))
      .where('id', '=', session.userId)
      .where('access_version', '=', session.accessVersion)
      .where('is_active', '=', true)
      .where(sql<boolean>`(${session.tenantId}::uuid is null or ${session.tenantId} not in ${movedTenants})`)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    await tx
      .insertInto('sessions')
      .values({
        jti: session.jti,
        user_id: session.userId,
        tenant_id: session.tenantId,
        roles: session.roles,
        masquerader: session.masquerader,
        cookie_hash: session.cookieHash,
        access_version: session.accessVersion,
        user_agent: clean(session.userAgent),
        address: clean(session.address),
        created_at: session.createdAt,
        last_used_at: session.createdAt,
        ends_at: session.endsAt,
        proof: session.proof,
      })
      .execute();
    return true;
  },

  /** Reads the session if it is neither revoked nor expired, and its user has not changed since it began. */
  readSession: async ({ tx }: RootWork, jti: string, now: Instant): Promise<Session | null> =>
    (await alive(tx, now).where('sessions.jti', '=', jti).executeTakeFirst()) ?? null,

  /** Reads the session of the browser that holds the cookie with this hash, under the same conditions. */
  readSessionByCookie: async ({ tx }: RootWork, cookieHash: string, now: Instant): Promise<Session | null> =>
    (await alive(tx, now).where('sessions.cookie_hash', '=', cookieHash).executeTakeFirst()) ?? null,

  /** Lists the active sessions of a user, newest first. */
  listSessionsOf: ({ tx }: RootWork, userId: string, now: Instant): Promise<readonly Session[]> =>
    alive(tx, now)
      .where('sessions.user_id', '=', userId)
      .orderBy('sessions.created_at', 'desc')
      .orderBy('sessions.id')
      .execute(),

  /** Records the use of a session. */
  markSessionUsed: async ({ tx }: RootWork, jti: string, now: Instant): Promise<void> => {
    await tx.updateTable('sessions').set({ last_used_at: now }).where('jti', '=', jti).execute();
  },

  revokeSession: async ({ tx }: RootWork, jti: string, now: Instant): Promise<void> => {
    await tx
      .updateTable('sessions')
      .set({ revoked_at: now })
      .where('jti', '=', jti)
      .where('revoked_at', 'is', null)
      .execute();
  },

  /** Ends the sessions of a user, or all but one; returns how many were active. */
  revokeSessionsOf: async (
    { tx }: RootWork,
    userId: string,
    now: Instant,
    options?: { readonly exceptJti: string },
  ): Promise<number> => {
    const living = await alive(tx, now).where('sessions.user_id', '=', userId).execute();
    const ids = living.flatMap(({ id, jti }) => (jti === options?.exceptJti ? [] : [id]));
    if (ids.length > 0) await tx.updateTable('sessions').set({ revoked_at: now }).where('id', 'in', ids).execute();
    return ids.length;
  },

  // The key with the most failures decides: a try that counts for account and address is one try.
  /** Counts failed sign-ins by account and address since this time, for throttling. */
  countFailures: async ({ tx }: RootWork, keys: readonly string[], since: Instant): Promise<number> => {
    if (keys.length === 0) return 0;
    const rows = await tx
      .selectFrom('sign_in_failures')
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('key', 'in', keys)
      .where('at', '>=', since)
      .groupBy('key')
      .execute();
    return Math.max(0, ...rows.map((row) => row.count));
  },

  addFailure: async ({ tx }: RootWork, keys: readonly string[], at: Instant): Promise<void> => {
    if (keys.length === 0) return;
    await tx.deleteFrom('sign_in_failures').where('at', '<', addSeconds(at, -retentionSeconds)).execute();
    await tx
      .insertInto('sign_in_failures')
      .values(keys.map((key) => ({ key, at })))
      .execute();
  },

  /**
   * Counts an attempt under each key, unless one of them has reached its limit since then: then it returns false and
   * counts none. Concurrent calls never exceed the limit.
   */
  admitTry: async (
    { tx }: RootWork,
    counters: readonly { readonly key: string; readonly limit: number }[],
    since: Instant,
    at: Instant,
  ): Promise<boolean> => {
    await tx.deleteFrom('sign_in_failures').where('at', '<', addSeconds(at, -retentionSeconds)).execute();
    const keys = counters.map(({ key }) => key);
    await lockTries(tx, keys);
    const rows = await tx
      .selectFrom('sign_in_failures')
      .select((select) => ['key', select.fn.countAll<number>().as('count')])
      .where('key', 'in', keys)
      .where('at', '>=', since)
      .groupBy('key')
      .execute();
    const countOf = new Map(rows.map(({ key, count }) => [key, count]));
    if (counters.some(({ key, limit }) => (countOf.get(key) ?? 0) >= limit)) return false;
    await tx
      .insertInto('sign_in_failures')
      .values(keys.map((key) => ({ key, at })))
      .execute();
    return true;
  },

  /** Removes one attempt that was counted at this time under each key. */
  forgetTry: async ({ tx }: RootWork, keys: readonly string[], at: Instant): Promise<void> => {
    await lockTries(tx, keys);
    await sql`delete from sign_in_failures where ctid in (
      select distinct on (key) ctid from sign_in_failures where key = any (${keys}) and at = ${at} order by key)`.execute(
      tx,
    );
  },
};

/** Makes tries under the same keys wait for one another, in a fixed order to prevent deadlocks. */
async function lockTries(tx: Tx, keys: readonly string[]): Promise<void> {
  for (const key of [...keys].sort())
    await sql`select pg_advisory_xact_lock(hashtextextended(${`try ${key}`}, 0))`.execute(tx);
}
