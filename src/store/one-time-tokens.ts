import type { OneTimeToken } from '#core/records/one-time-tokens.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import type { Tx } from './database.ts';
import type { RootWork } from './scope.ts';
import { toJson } from './tables.ts';

const retentionSeconds = 7 * 86_400;

const columns = ['hash', 'purpose', 'user_id as userId', 'tenant_id as tenantId', 'data', 'ends_at as endsAt'] as const;

/** One-time tokens: each is valid once, for one purpose and a short time. */
export const oneTimeTokens = {
  /** Stores the hash of a one-time token. */
  addOneTimeToken: async ({ tx, clock }: RootWork, token: OneTimeToken): Promise<void> => {
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

  /** Reads a token without using it up. */
  findOneTimeToken: async (
    { tx }: RootWork,
    hash: string,
    purpose: OneTimeToken['purpose'],
    now: Instant,
  ): Promise<OneTimeToken | null> =>
    (await tx
      .selectFrom('one_time_tokens')
      .select(columns)
      .where('hash', '=', hash)
      .where('purpose', '=', purpose)
      .where('spent_at', 'is', null)
      .where('ends_at', '>', now)
      .executeTakeFirst()) ?? null,

  /**
   * Uses up a token and returns it; null when it is unknown, used or expired. Of two concurrent calls, one succeeds.
   */
  spendOneTimeToken: async (
    { tx }: RootWork,
    hash: string,
    purpose: OneTimeToken['purpose'],
    now: Instant,
  ): Promise<OneTimeToken | null> =>
    (await tx
      .updateTable('one_time_tokens')
      .set({ spent_at: now })
      .where('hash', '=', hash)
      .where('purpose', '=', purpose)
      .where('spent_at', 'is', null)
      .where('ends_at', '>', now)
      .returning(columns)
      .executeTakeFirst()) ?? null,

  /** Invalidates every token of a user for one purpose. */
  spendOneTimeTokensOf: (
    { tx }: RootWork,
    userId: string,
    purpose: OneTimeToken['purpose'],
    now: Instant,
  ): Promise<void> => spendAllTokens(tx, userId, now, purpose),
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
