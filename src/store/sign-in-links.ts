import { sql } from 'kysely';
import type { SignInLink } from '#core/records/sign-in-providers.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import type { Tx } from './database.ts';
import type { RootWork } from './scope.ts';
import { clean } from './tables.ts';
import { open, seal, type Vault, VaultError, type WrappedKey } from './vault.ts';

/** Name of the sealed field; a token copied to another field does not open. */
const field = 'sign-in refresh token';
/** Time after which a worker asks the provider again whether the account still exists. */
const checkSeconds = 1_800;
/** Time after which a check without a result is repeated, by this or another worker. */
const retrySeconds = 300;

/** Accounts at providers, and the domains that lead to them. */
export const signInLinks = {
  /** Returns the client whose users of this email domain log in at its provider. */
  findTenantOfDomain: async ({ tx }: RootWork, domain: string): Promise<string | null> =>
    (await tx.selectFrom('sign_in_domains').select('tenant_id').where('domain', '=', clean(domain)).executeTakeFirst())
      ?.tenant_id ?? null,

  /** Returns the id of the user who logs in with this account. */
  findUserOfAccount: async (
    { tx }: RootWork,
    { issuer, subject }: Pick<SignInLink, 'issuer' | 'subject'>,
  ): Promise<string | null> =>
    (
      await tx
        .selectFrom('sign_in_links')
        .select('user_id')
        .where('issuer', '=', issuer)
        .where('subject', '=', clean(subject))
        .executeTakeFirst()
    )?.user_id ?? null,

  /**
   * Links a user with an account, or records that the provider confirmed it again. Returns whether the link is new; null
   * when the user or the account is linked otherwise.
   */
  saveSignInLink: async (
    { tx, vault }: RootWork,
    link: SignInLink,
    now: Instant,
  ): Promise<{ readonly isNew: boolean } | null> => {
    const { userId, issuer, subject, refreshToken } = link;
    const token = sealed(vault, userId, refreshToken, now);
    // Google issues a refresh token only at the first login.
    const next = sql<Instant | null>`case when refresh_token is not null then ${addSeconds(now, checkSeconds)}::timestamptz end`;
    const { numUpdatedRows } = await tx
      .updateTable('sign_in_links')
      .set({ checked_at: now, ...(refreshToken === null ? { next_check_at: next } : token) })
      .where('user_id', '=', userId)
      .where('issuer', '=', issuer)
      .where('subject', '=', clean(subject))
      .executeTakeFirst();
    if (numUpdatedRows === 1n) return { isNew: false };
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto('sign_in_links')
      .values({ user_id: userId, issuer, subject: clean(subject), linked_at: now, checked_at: now, ...token })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n ? { isNew: true } : null;
  },

  /** Removes the link of a user; their next login links the account with their address again. */
  removeSignInLink: async ({ tx }: RootWork, userId: string): Promise<void> => {
    await tx.deleteFrom('sign_in_links').where('user_id', '=', userId).execute();
  },

  /** Removes the links of all users of a client, which ends the sessions that began at the provider. */
  removeSignInLinksOf: async ({ tx }: RootWork, tenantId: string): Promise<void> => {
    await tx
      .deleteFrom('sign_in_links')
      .where('user_id', 'in', (of) => of.selectFrom('users').select('id').where('tenant_id', '=', tenantId))
      .execute();
  },

  /** Claims links that are due for a check and have a session that began at the provider. */
  claimSignInLinks: async ({ tx, vault }: RootWork, now: Instant, limit: number): Promise<readonly SignInLink[]> => {
    const { rows } = await sql<LinkRow>`
      update sign_in_links set next_check_at = ${addSeconds(now, retrySeconds)}
       where user_id in (
         select user_id from sign_in_links l
          where next_check_at <= ${now}
            and exists (select from sessions s where s.user_id = l.user_id and s.proof <> 'password'
                           and s.revoked_at is null and s.ends_at > ${now})
          order by next_check_at limit ${limit} for update skip locked)
      returning user_id, issuer, subject, key_id, root_key_id, wrapped_key, refresh_token`.execute(tx);
    return rows.map((row) => ({
      userId: row.user_id,
      issuer: row.issuer,
      subject: row.subject,
      refreshToken: opened(vault, row),
    }));
  },

  /** Ends the sessions of a user that began at a provider; returns how many. */
  revokeProviderSessionsOf: async ({ tx }: RootWork, userId: string, now: Instant): Promise<number> => {
    const { numUpdatedRows } = await tx
      .updateTable('sessions')
      .set({ revoked_at: now })
      .where('user_id', '=', userId)
      .where('proof', '!=', 'password')
      .where('revoked_at', 'is', null)
      .where('ends_at', '>', now)
      .executeTakeFirst();
    await tx.updateTable('sign_in_links').set(noToken).where('user_id', '=', userId).execute();
    return Number(numUpdatedRows);
  },
};

interface LinkRow {
  readonly user_id: string;
  readonly issuer: string;
  readonly subject: string;
  readonly key_id: string | null;
  readonly root_key_id: string | null;
  readonly wrapped_key: string | null;
  readonly refresh_token: string | null;
}

const noToken = { next_check_at: null, key_id: null, root_key_id: null, wrapped_key: null, refresh_token: null };

/** Returns the columns of a refresh token, encrypted with a new key of the user. */
function sealed(vault: Vault, userId: string, refreshToken: string | null, now: Instant) {
  if (refreshToken === null) return noToken;
  const { key, wrapped } = vault.createKey(userId);
  return {
    next_check_at: addSeconds(now, checkSeconds),
    key_id: wrapped.id,
    root_key_id: wrapped.rootKeyId,
    wrapped_key: wrapped.wrapped,
    refresh_token: seal(key, field, refreshToken),
  };
}

/** Returns the refresh token; null without one, and when its key was lost. */
function opened(vault: Vault, row: LinkRow): string | null {
  const wrapped = wrappedOf(row);
  if (wrapped === null || row.refresh_token === null) return null;
  try {
    return open(vault.unwrap(row.user_id, wrapped), field, row.refresh_token);
  } catch (error) {
    if (error instanceof VaultError) return null;
    throw error;
  }
}

const wrappedOf = ({
  key_id: id,
  root_key_id: rootKeyId,
  wrapped_key: wrapped,
}: Pick<LinkRow, 'key_id' | 'root_key_id' | 'wrapped_key'>): WrappedKey | null =>
  id === null || rootKeyId === null || wrapped === null ? null : { id, rootKeyId, wrapped };

/**
 * Rewraps the keys of all refresh tokens with the newest root key, as `rotateKeys` does for tenant keys. Removes tokens
 * that no configured key opens: their users log in again.
 *
 * @returns the number of rewrapped keys.
 */
export async function rotateSignInLinks(tx: Tx, vault: Vault): Promise<number> {
  let renewed = 0;
  const rows = await tx
    .selectFrom('sign_in_links')
    .select(['user_id', 'key_id', 'root_key_id', 'wrapped_key'])
    .where('root_key_id', '!=', vault.rootKeyId)
    .forUpdate()
    .execute();
  for (const row of rows) {
    const wrapped = wrappedOf(row);
    const isKnown = wrapped !== null && vault.rootKeyIds.includes(wrapped.rootKeyId);
    const next = isKnown ? vault.rewrap(row.user_id, wrapped) : null;
    await tx
      .updateTable('sign_in_links')
      .set(next === null ? noToken : { root_key_id: next.rootKeyId, wrapped_key: next.wrapped })
      .where('user_id', '=', row.user_id)
      .execute();
    if (next !== null) renewed += 1;
  }
  return renewed;
}
