import { createHash } from 'node:crypto';
import type { Clock } from '../kit/clock.ts';
import type { QuickBooksBehaviour } from './behaviour.ts';

/** Published lifetime in seconds. */
export const accessTokenSeconds = 3600;
const refreshTokenSeconds = 8_726_400;
const daySeconds = 86_400;
/** Five years: the maximum lifetime of a refresh token (policy of November 2025). */
const hardLifeSeconds = 5 * 365 * daySeconds + daySeconds;

/** A company's consent to the app, with its tokens. */
export interface Connection {
  readonly realmId: string | undefined;
  readonly scopes: readonly string[];
  readonly connectedAt: number;
  refreshToken: string;
  refreshIssuedAt: number;
  refreshExpiresAt: number;
  readonly hardExpiresAt: number;
  /** Previous values with the instant each was replaced. */
  readonly former: Map<string, number>;
  isRevoked: boolean;
  /** The user who connected has lost access to the company. */
  userLeft: boolean;
}

interface Code {
  readonly realmId: string | undefined;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  readonly expiresAt: number;
  readonly challenge: string | undefined;
  readonly challengeMethod: string;
  connection: Connection | undefined;
}

interface AccessToken {
  readonly connection: Connection;
  expiresAt: number;
}

/** The tokens that the token endpoint returns, with their lifetimes in seconds. */
export interface Grant {
  readonly connection: Connection;
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly refreshSeconds: number;
  readonly hardSeconds: number;
}

/** Why a grant was rejected, as the token endpoint reports it. */
export interface Refusal {
  readonly error: 'invalid_grant';
  readonly error_description?: string;
  readonly x_error_reason?: string;
  readonly x_error_reason_detail?: string;
}

/** Validity of an access token. */
export type TokenState =
  | { readonly state: 'unknown' | 'expired' | 'revoked' }
  | { readonly state: 'valid'; readonly connection: Connection };

/** Every consent, code and token of the sandbox. Tokens come from the seed, so that runs are repeatable. */
export class Connections {
  readonly #clock: Clock;
  readonly #behaviour: QuickBooksBehaviour;
  readonly #codes = new Map<string, Code>();
  readonly #access = new Map<string, AccessToken>();
  readonly #all: Connection[] = [];
  readonly #seed: string;
  #made = 0;

  constructor(clock: Clock, behaviour: QuickBooksBehaviour, seed: number) {
    this.#clock = clock;
    this.#behaviour = behaviour;
    this.#seed = String(seed);
  }

  #secret(kind: string): string {
    this.#made += 1;
    return createHash('sha512').update(`${this.#seed} ${kind} ${this.#made}`).digest('base64url');
  }

  /** Issues a one-time code for the company that a person chose. */
  issueCode(about: {
    readonly realmId: string | undefined;
    readonly scopes: readonly string[];
    readonly redirectUri: string;
    readonly challenge?: string | undefined;
    readonly challengeMethod?: string | undefined;
  }): string {
    const code = `XAB1${this.#secret('code').slice(0, 46)}`;
    this.#codes.set(code, {
      realmId: about.realmId,
      scopes: about.scopes,
      redirectUri: about.redirectUri,
      expiresAt: this.#clock.now() + this.#behaviour.get('authorization_code_seconds') * 1000,
      challenge: about.challenge,
      challengeMethod: about.challengeMethod ?? 'plain',
      connection: undefined,
    });
    return code;
  }

  /** Exchanges a code. Using a code twice ends its connection. */
  exchange(text: string, redirectUri: string, verifier: string | undefined): Grant | Refusal {
    const code = this.#codes.get(text);
    if (code === undefined) return { error: 'invalid_grant', error_description: 'Invalid authorization code' };
    if (code.connection !== undefined) {
      this.revoke(code.connection);
      return { error: 'invalid_grant', error_description: 'Invalid authorization code' };
    }
    if (code.expiresAt <= this.#clock.now())
      return { error: 'invalid_grant', error_description: 'Authorization code expired' };
    if (code.redirectUri !== redirectUri) return { error: 'invalid_grant', error_description: 'Invalid redirect uri' };
    if (code.challenge !== undefined && this.#behaviour.get('pkce') === 'honoured') {
      const given =
        code.challengeMethod === 'S256'
          ? createHash('sha256')
              .update(verifier ?? '')
              .digest('base64url')
          : verifier;
      if (given !== code.challenge) return { error: 'invalid_grant', error_description: 'Invalid code verifier' };
    }
    const now = this.#clock.now();
    const connection: Connection = {
      realmId: code.realmId,
      scopes: code.scopes,
      connectedAt: now,
      refreshToken: `RT1-${this.#secret('refresh').slice(0, 60)}`,
      refreshIssuedAt: now,
      refreshExpiresAt: now + refreshTokenSeconds * 1000,
      hardExpiresAt: now + hardLifeSeconds * 1000,
      former: new Map(),
      isRevoked: false,
      userLeft: false,
    };
    this.#all.push(connection);
    code.connection = connection;
    return this.#grant(connection);
  }

  /** Returns a new access token for a refresh token, whose value changes once a day (or each time, by switch). */
  refresh(text: string): Grant | Refusal {
    const now = this.#clock.now();
    const connection = this.#all.find(({ refreshToken, former }) => refreshToken === text || former.has(text));
    if (connection === undefined)
      return { error: 'invalid_grant', error_description: 'Incorrect or invalid refresh token' };
    if (connection.isRevoked || connection.refreshExpiresAt <= now || connection.hardExpiresAt <= now)
      return { error: 'invalid_grant', error_description: 'Token invalid' };
    if (connection.userLeft)
      return {
        error: 'invalid_grant',
        error_description: 'Unauthorized Request: User is not a member of the specified Realm',
        x_error_reason: 'user_not_in_realm',
        x_error_reason_detail: 'The user is not in the specified realm',
      };
    const replacedAt = connection.former.get(text);
    if (replacedAt !== undefined) {
      const grace = this.#behaviour.get('refresh_token_grace_seconds') * 1000;
      if (now - replacedAt >= grace) return { error: 'invalid_grant' };
      return this.#grant(connection);
    }
    const isOld = now - connection.refreshIssuedAt >= daySeconds * 1000;
    if (isOld || this.#behaviour.get('refresh_token_rotation') === 'every-refresh') {
      connection.former.set(connection.refreshToken, now);
      connection.refreshToken = `RT1-${this.#secret('refresh').slice(0, 60)}`;
      connection.refreshIssuedAt = now;
    }
    connection.refreshExpiresAt = Math.min(now + refreshTokenSeconds * 1000, connection.hardExpiresAt);
    return this.#grant(connection);
  }

  #grant(connection: Connection): Grant {
    const now = this.#clock.now();
    const accessToken = `eyJlbmMiOiJBMTI4Q0JDLUhTMjU2IiwiYWxnIjoiZGlyIn0..${this.#secret('access')}${this.#secret('access')}`;
    this.#access.set(accessToken, { connection, expiresAt: now + accessTokenSeconds * 1000 });
    return {
      connection,
      accessToken,
      refreshToken: connection.refreshToken,
      refreshSeconds: Math.floor((connection.refreshExpiresAt - now) / 1000),
      hardSeconds: Math.floor((connection.hardExpiresAt - now) / 1000),
    };
  }

  /** Returns the current validity of an access token. */
  stateOf(accessToken: string): TokenState {
    const token = this.#access.get(accessToken);
    if (token === undefined) return { state: 'unknown' };
    if (token.connection.isRevoked) return { state: 'revoked' };
    return token.expiresAt <= this.#clock.now()
      ? { state: 'expired' }
      : { state: 'valid', connection: token.connection };
  }

  /** Returns the connection of an access or refresh token; undefined for an unknown token. */
  find(token: string): Connection | undefined {
    return (
      this.#access.get(token)?.connection ??
      this.#all.find(({ refreshToken, former }) => refreshToken === token || former.has(token))
    );
  }

  revoke(connection: Connection): void {
    connection.isRevoked = true;
  }

  /**
   * Disconnects the app as a person does in QuickBooks: from one company, or from all. Returns the number of ended
   * connections.
   */
  revokeAll(realmId?: string): number {
    const ended = this.#all.filter(
      (connection) => !connection.isRevoked && (realmId === undefined || connection.realmId === realmId),
    );
    for (const connection of ended) this.revoke(connection);
    return ended.length;
  }

  /** Removes the connecting user's access to a company, or to all. Returns the number of affected connections. */
  removeUser(realmId?: string): number {
    const hit = this.living().filter((connection) => realmId === undefined || connection.realmId === realmId);
    for (const connection of hit) connection.userLeft = true;
    return hit.length;
  }

  /** Expires tokens now: access tokens, refresh tokens or both. Returns the number of expired access tokens. */
  expire(what: 'access' | 'refresh' | 'both', realmId?: string): number {
    const now = this.#clock.now();
    const isMeant = (connection: Connection) => realmId === undefined || connection.realmId === realmId;
    let count = 0;
    for (const token of this.#access.values())
      if (what !== 'refresh' && isMeant(token.connection) && token.expiresAt > now) {
        token.expiresAt = now;
        count += 1;
      }
    if (what !== 'access') for (const connection of this.#all.filter(isMeant)) connection.refreshExpiresAt = now;
    return count;
  }

  /** Returns the active connections, oldest first. */
  living(): readonly Connection[] {
    return this.#all.filter(({ isRevoked }) => !isRevoked);
  }
}
