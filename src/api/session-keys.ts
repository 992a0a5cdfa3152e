import { createHash, hkdfSync } from 'node:crypto';

/** A key that signs session tokens; `id` stands in the token's header. */
export interface SessionKey {
  readonly id: string;
  readonly secret: Uint8Array;
}

/** Derives the signing key of one root secret; other uses of the root have other purposes and so other keys. */
export function sessionKey(rootSecret: string | Uint8Array): SessionKey {
  const secret = new Uint8Array(hkdfSync('sha256', rootSecret, 'tallybridge', 'session tokens', 32));
  return { id: createHash('sha256').update(secret).digest('hex').slice(0, 12), secret };
}
