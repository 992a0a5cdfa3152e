import { createHash, hkdfSync } from 'node:crypto';

/** A key that signs session tokens; `id` is in the token's header. */
export interface SessionKey {
  readonly id: string;
  readonly secret: Uint8Array;
  /**
   * Signs the device cookies of browsers that logged in before. It is derived from the same secret but cannot sign
   * tokens.
   */
  readonly deviceSecret: Uint8Array;
}

/**
 * Derives the keys that sign session tokens. Each purpose of the secret has its own key.
 *
 * @param secretKey `SECRET_KEY`: one secret, or several separated by commas, newest first.
 * @throws Error when there is none.
 */
export function sessionKeys(secretKey: string): readonly [SessionKey, ...SessionKey[]] {
  const [newest, ...older] = secretKey
    .split(',')
    .map((secret) => secret.trim())
    .filter((secret) => secret !== '')
    .map(derive);
  if (newest === undefined) throw new Error('Impossible: no secret to sign sessions with');
  return [newest, ...older];
}

function derive(rootSecret: string): SessionKey {
  const secret = keyFor(rootSecret, 'session tokens');
  const id = createHash('sha256').update(secret).digest('hex').slice(0, 12);
  return { id, secret, deviceSecret: keyFor(rootSecret, 'device cookies') };
}

const keyFor = (rootSecret: string, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', rootSecret, 'tallybridge', purpose, 32));
