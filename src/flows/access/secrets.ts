import { createHash, timingSafeEqual } from 'node:crypto';

/** Hashes one-time codes and cookies for storage. They are random, so they need no salt and no slow hash. */
export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url');

/** True when the secret has this hash; in constant time. */
export function matches(secret: string | null, hash: string): boolean {
  const actual = Buffer.from(hashOf(secret ?? ''));
  const expected = Buffer.from(hash);
  return secret !== null && actual.length === expected.length && timingSafeEqual(actual, expected);
}
