import { roles as knownRoles, type Role } from '#core/roles.ts';
import { asRecord, asText } from './json.ts';

/** The claims of a token about its user, for display and routing only; the server makes the decisions. */
export interface Claims {
  /** Seconds since 1970. */
  readonly exp: number;
  readonly username: string;
  readonly roles: readonly Role[];
  /** Null for a system administrator who is not masquerading. */
  readonly client: { readonly id: string; readonly name: string } | null;
  /** The system administrator behind a masquerade; null otherwise. */
  readonly actor: string | null;
  readonly psaTenantId: string | null;
  readonly psaResourceId: string | null;
  /** The session has no role yet: the user must first set up a second step for the login. */
  readonly mustSetUp: boolean;
}

export interface Session {
  readonly token: string;
  readonly claims: Claims;
}

/** Key of the token in local storage (screens reference 1.4). */
export const tokenKey = 'token';

/** Keys of local storage that survive a logout: the user's display preferences. */
const lastingKeys: readonly string[] = ['color-scheme', 'improcat', 'imbcuse', 'guide-closed', 'lists'];

/** The used part of `Storage`; tests pass their own. */
export type TokenStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

/**
 * Reads the claims of a token without checking its signature.
 *
 * @returns null when the text is not a token with the claims of contract section 1.
 */
export function readClaims(token: string): Claims | null {
  const payload = decodePayload(token.split('.')[1] ?? '');
  if (payload === null || typeof payload['exp'] !== 'number') return null;
  const user = asRecord(payload['user']);
  const client = asRecord(payload['client']);
  if (typeof user?.['username'] !== 'string' || !Array.isArray(user['roles'])) return null;
  const claimed: readonly unknown[] = user['roles'];
  return {
    exp: payload['exp'],
    username: user['username'],
    roles: knownRoles.filter((role) => claimed.includes(role)),
    client:
      client === null || typeof client['name'] !== 'string'
        ? null
        : { id: asText(client['id']) ?? '', name: client['name'] },
    actor: asText(asRecord(payload['act'])?.['username']),
    psaTenantId: asText(payload['autotask_tenant_id']),
    psaResourceId: asText(payload['autotask_resource_id']),
    mustSetUp: payload['must_set_up'] !== undefined,
  };
}

/**
 * Returns the stored session, or null. Removes a malformed or expired token with all its data.
 *
 * @param nowMs the current time, in milliseconds since 1970.
 */
export function loadSession(storage: TokenStorage, nowMs: number): Session | null {
  const token = storage.getItem(tokenKey);
  if (token === null) return null;
  const claims = readClaims(token);
  if (claims !== null && claims.exp > nowMs / 1_000) return { token, claims };
  clearStorage(storage);
  return null;
}

/** Removes all data of the user and the client before another user logs in. */
export function clearStorage(storage: TokenStorage): void {
  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index));
  for (const key of keys) if (key !== null && !lastingKeys.includes(key)) storage.removeItem(key);
}

function decodePayload(part: string): Readonly<Record<string, unknown>> | null {
  try {
    const bytes = Uint8Array.from(atob(part.replaceAll('-', '+').replaceAll('_', '/')), (letter) =>
      letter.charCodeAt(0),
    );
    return asRecord(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return null;
  }
}
