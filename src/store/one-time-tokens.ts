import type { OneTimeToken, OneTimeTokenStore } from '#core/ports/one-time-tokens.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import type { Tx } from './database.ts';
import type { RootMethods } from './scope.ts';
import { toJson } from './tables.ts';

const retentionSeconds = 7 * 86_400;

const columns = ['hash', 'purpose', 'user_id as userId', 'tenant_id as tenantId', 'data', 'ends_at as endsAt'] as const;

export const oneTimeTokens: RootMethods<OneTimeTokenStore> = {
  addOneTimeToken: async ({ tx, clock }, token) => {
    await tx.deleteFrom('one_time_tokens').where('ends_at', '<', addSeconds(clock.now(), -retentionSeconds)).execute();
    await tx
      .insertInto('one_time_tokens')
      .values({
        hash: token.hash,
        purpose: token.purpose,
        user_id: token.userId,
        tenant_id: token.tenantId,
        data: toJson(token.data),
        ends_at: token.endsAt,
      })
      .execute();
  },

  findOneTimeToken: async ({ tx }, hash, purpose, now) =>
    (await tx
      .selectFrom('one_time_tokens')
      .select(columns)
      .where('hash', '=', hash)
      .where('purpose', '=', purpose)
      .where('spent_at', 'is', null)
      .where('ends_at', '>', now)
      .executeTakeFirst()) ?? null,

  spendOneTimeToken: async ({ tx }, hash, purpose, now) =>
    (await tx
      .updateTable('one_time_tokens')
      .set({ spent_at: now })
      .where('hash', '=', hash)
      .where('purpose', '=', purpose)
      .where('spent_at', 'is', null)
      .where('ends_at', '>', now)
      .returning(columns)
      .executeTakeFirst()) ?? null,

  spendOneTimeTokensOf: ({ tx }, userId, purpose, now) => spendAllTokens(tx, userId, now, purpose),
};

/** Spends a user's remaining one-time tokens, for one purpose or for all, within the caller's transaction. */
export async function spendAllTokens(
  tx: Tx,
  userId: string,
  now: Instant,
  purpose?: OneTimeToken['purpose'],
): Promise<void> {
  const left = tx
    .updateTable('one_time_tokens')
    .set({ spent_at: now })
    .where('user_id', '=', userId)
    .where('spent_at', 'is', null);
  await (purpose === undefined ? left : left.where('purpose', '=', purpose)).execute();
}
