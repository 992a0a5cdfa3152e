import { sql } from 'kysely';
import type { RootStore } from '#core/ports/store.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import type { Tx } from './database.ts';
import type { RootScope } from './scope.ts';

/** Sessions and failed tries that can matter to nobody any more are removed when new ones come. */
const keepSeconds = 7 * 86_400;

/** A session counts for no more than its user may do at this moment, whatever they might when it began. */
const isStillAllowed = sql<boolean>`exists (
  select 1 from users
   where users.id = sessions.user_id and users.is_active
     and case when sessions.masquerader is null
           then users.roles @> sessions.roles and users.tenant_id is not distinct from sessions.tenant_id
           else 'sysadmin' = any (users.roles)
         end)`;

const alive = (tx: Tx, now: Instant) =>
  tx
    .selectFrom('sessions')
    .select([
      'jti',
      'user_id as userId',
      'tenant_id as tenantId',
      'roles',
      'masquerader',
      'cookie_hash as cookieHash',
      'created_at as createdAt',
      'ends_at as endsAt',
    ])
    .where('revoked_at', 'is', null)
    .where('ends_at', '>', now)
    .where(isStillAllowed);

export const sessions = ({
  inTransaction,
}: RootScope): Pick<
  RootStore,
  | 'addSession'
  | 'readSession'
  | 'readSessionByCookie'
  | 'revokeSession'
  | 'revokeSessionsOf'
  | 'countFailures'
  | 'addFailure'
> => ({
  addSession: (session) =>
    inTransaction(async (tx) => {
      await tx.deleteFrom('sessions').where('ends_at', '<', addSeconds(session.createdAt, -keepSeconds)).execute();
      await tx
        .insertInto('sessions')
        .values({
          jti: session.jti,
          user_id: session.userId,
          tenant_id: session.tenantId,
          roles: session.roles,
          masquerader: session.masquerader,
          cookie_hash: session.cookieHash,
          created_at: session.createdAt,
          ends_at: session.endsAt,
        })
        .execute();
    }),

  readSession: (jti, now) =>
    inTransaction(async (tx) => (await alive(tx, now).where('jti', '=', jti).executeTakeFirst()) ?? null),

  readSessionByCookie: (cookieHash, now) =>
    inTransaction(
      async (tx) => (await alive(tx, now).where('cookie_hash', '=', cookieHash).executeTakeFirst()) ?? null,
    ),

  revokeSession: (jti, now) =>
    inTransaction(async (tx) => {
      await tx
        .updateTable('sessions')
        .set({ revoked_at: now })
        .where('jti', '=', jti)
        .where('revoked_at', 'is', null)
        .execute();
    }),

  revokeSessionsOf: (userId, now) =>
    inTransaction(async (tx) => {
      await tx
        .updateTable('sessions')
        .set({ revoked_at: now })
        .where('user_id', '=', userId)
        .where('revoked_at', 'is', null)
        .execute();
    }),

  // Of several keys the one with the most failures decides: a try that counts for account and address is one try.
  countFailures: async (keys, since) => {
    if (keys.length === 0) return 0;
    return inTransaction(async (tx) => {
      const rows = await tx
        .selectFrom('sign_in_failures')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('key', 'in', keys)
        .where('at', '>=', since)
        .groupBy('key')
        .execute();
      return Math.max(0, ...rows.map((row) => row.count));
    });
  },

  addFailure: async (keys, at) => {
    if (keys.length === 0) return;
    await inTransaction(async (tx) => {
      await tx.deleteFrom('sign_in_failures').where('at', '<', addSeconds(at, -keepSeconds)).execute();
      await tx
        .insertInto('sign_in_failures')
        .values(keys.map((key) => ({ key, at })))
        .execute();
    });
  },
});
