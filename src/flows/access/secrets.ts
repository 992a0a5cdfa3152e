import { createHash, timingSafeEqual } from 'node:crypto';
import type { OneTimeToken } from '#core/records/one-time-tokens.ts';
import type { User } from '#core/records/users.ts';
import { addSeconds } from '#core/values/dates.ts';
import type { App } from '../context.ts';

/** 192 bits; short enough to keep the link on one line of a mail. */
const linkBytes = 24;

/** Hashes one-time codes and cookies for storage. They are random, so they need no salt and no slow hash. */
export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url');

/** True when the secret has this hash; in constant time. */
export function matches(secret: string | null, hash: string): boolean {
  const actual = Buffer.from(hashOf(secret ?? ''));
  const expected = Buffer.from(hash);
  return secret !== null && actual.length === expected.length && timingSafeEqual(actual, expected);
}

/** Saves the token of a link for a user. A new link invalidates the earlier ones. @returns the token. */
export async function newLinkToken(
  app: App,
  user: User,
  purpose: OneTimeToken['purpose'],
  validSeconds: number,
): Promise<string> {
  const { store, clock } = app;
  const now = clock.now();
  const token = app.randomToken(linkBytes);
  await store.spendOneTimeTokensOf(user.id, purpose, now);
  const endsAt = addSeconds(now, validSeconds);
  await store.addOneTimeToken({
    hash: hashOf(token),
    purpose,
    userId: user.id,
    tenantId: user.tenantId,
    data: {},
    endsAt,
  });
  return token;
}
