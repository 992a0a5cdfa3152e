import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errors, jwtVerify, SignJWT } from 'jose';
import { sessionClaims, type SessionClaims } from '#contract/auth.ts';
import type { Session } from '#core/ports/sessions.ts';
import { Refusal } from '#core/refusal.ts';
import { addSeconds, epochMs, secondsBetween } from '#core/values/dates.ts';
import type { App } from '#flows/context.ts';
import type { Principal, SignedIn } from '#flows/access/principal.ts';
import { hashOf, matches } from '#flows/access/secrets.ts';
import type { CookieJar } from './cookies.ts';
import type { SessionKey } from './session-keys.ts';

/** A session ends this long after it began, used or not. */
const sessionSeconds = 12 * 3_600;
/** Precision of the last use of a session. */
const useSeconds = 60;
/** Most characters that are kept of a browser's name for itself. */
const longestUserAgent = 400;
/** Tokens whose signature a process remembers. */
const mostKnown = 5_000;
const algorithm = 'HS256';
const audience = 'tallybridge:session';
const tokenType = 'session+jwt';

/** Sessions: a signed token that the client reads, a row that can be revoked, and for browsers a cookie beside it. */
export interface Sessions {
  /**
   * Begins a session and answers its token.
   *
   * @throws Refusal `unauthorized` (401) when the user has another password by now, or was deactivated.
   */
  begin(signedIn: SignedIn, request: FastifyRequest, reply: FastifyReply): Promise<string>;
  /**
   * Verifies the session of a request and answers its user.
   *
   * @throws Refusal `unauthorized` (401) for no token, or one that is not valid here and now.
   */
  verify(request: FastifyRequest): Promise<Principal>;
  /** True while the session is neither revoked nor over. */
  isAlive(principal: Principal): Promise<boolean>;
  end(principal: Principal, reply: FastifyReply): Promise<void>;
  /** Id of the browser, if it signed in as this user before. */
  knownDevice(request: FastifyRequest, username: string): string | null;
}

/**
 * @param keys newest first; the first signs, all verify.
 */
export function createSessions(app: App, jar: CookieJar, keys: readonly [SessionKey, ...SessionKey[]]): Sessions {
  const [signing] = keys;

  async function begin(signedIn: SignedIn, request: FastifyRequest, reply: FastifyReply): Promise<string> {
    const createdAt = app.clock.now();
    const latest = addSeconds(createdAt, sessionSeconds);
    const endsAt = signedIn.endsAt !== null && signedIn.endsAt < latest ? signedIn.endsAt : latest;
    const jti = app.randomToken(16);
    const cookie = app.randomToken(32);
    const cookieHash = hashOf(cookie);
    // A program that keeps no cookies uses the token alone; where only the cookie counts, it has to keep it too.
    const ctx = isBrowser(request) ? cookieHash : undefined;
    const hasBegun = await app.store.addSession({
      jti,
      userId: signedIn.userId,
      tenantId: signedIn.client?.id ?? null,
      roles: signedIn.roles,
      masquerader: signedIn.masquerader,
      cookieHash,
      accessVersion: signedIn.accessVersion,
      userAgent: (request.headers['user-agent'] ?? '').slice(0, longestUserAgent),
      address: request.ip,
      createdAt,
      endsAt,
    });
    if (!hasBegun) throw notSignedIn();
    jar.set(reply, 'session', cookie);
    if (ctx !== undefined) {
      const device = knownDevice(request, signedIn.username) ?? app.randomToken(16);
      jar.set(reply, 'device', `${device}.${deviceMark(device, signedIn.username)}`);
    }
    const claims: Omit<SessionClaims, 'exp' | 'iat' | 'iss' | 'aud' | 'jti'> = {
      user: { username: signedIn.username, roles: [...signedIn.roles] },
      client: signedIn.client,
      autotask_tenant_id: signedIn.psaLink?.databaseId ?? null,
      autotask_resource_id: signedIn.psaLink?.resourceId ?? null,
      ...(signedIn.masquerader === null ? {} : { act: { username: signedIn.masquerader } }),
      ...(ctx === undefined ? {} : { ctx }),
      ...(signedIn.mustSetUp ? { must_set_up: 'second_factor' as const } : {}),
    };
    return new SignJWT(claims)
      .setProtectedHeader({ alg: algorithm, typ: tokenType, kid: signing.id })
      .setIssuer(app.config.appUrl)
      .setAudience(audience)
      .setJti(jti)
      .setIssuedAt(Math.floor(epochMs(createdAt) / 1_000))
      .setExpirationTime(Math.floor(epochMs(endsAt) / 1_000))
      .sign(signing.secret);
  }

  async function verify(request: FastifyRequest): Promise<Principal> {
    const token = /^Bearer ([\w.-]+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const claims = token === undefined ? null : await claimsOf(token);
    const session = claims === null ? null : await app.store.readSession(claims.jti, app.clock.now());
    if (claims === null || session === null || session.tenantId !== (claims.client?.id ?? null)) throw notSignedIn();
    // A token of a browser is worth nothing without the cookie of that browser.
    if (claims.ctx !== undefined && !matches(jar.read(request, 'session'), claims.ctx)) throw notSignedIn();
    await noteUse(session);
    return {
      jti: session.jti,
      userId: session.userId,
      username: claims.user.username,
      roles: session.roles,
      client: claims.client,
      masquerader: session.masquerader,
      accessVersion: session.accessVersion,
      emailIsProved: session.emailIsProved,
      endsAt: session.endsAt,
    };
  }

  async function noteUse({ jti, lastUsedAt }: Session): Promise<void> {
    const now = app.clock.now();
    if (secondsBetween(lastUsedAt, now) >= useSeconds) await app.store.markSessionUsed(jti, now);
  }

  /** Claims of tokens whose signature was found good, by the hash of the token; the oldest go first. */
  const known = new Map<string, SessionClaims>();

  /** A good signature stays good; whether the session is still there is asked of the database with every request. */
  async function claimsOf(token: string): Promise<SessionClaims | null> {
    const hash = hashOf(token);
    const before = known.get(hash);
    if (before !== undefined) return before.exp > Math.floor(epochMs(app.clock.now()) / 1_000) ? before : null;
    const claims = await verified(token);
    if (claims === null) return null;
    if (known.size >= mostKnown) known.delete(known.keys().next().value ?? '');
    known.set(hash, claims);
    return claims;
  }

  async function verified(token: string): Promise<SessionClaims | null> {
    try {
      const { payload } = await jwtVerify(
        token,
        ({ kid }) => {
          const key = keys.find((one) => one.id === kid);
          if (key === undefined) throw new errors.JWSSignatureVerificationFailed();
          return key.secret;
        },
        {
          algorithms: [algorithm],
          typ: tokenType,
          issuer: app.config.appUrl,
          audience,
          currentDate: new Date(app.clock.now()),
          requiredClaims: ['jti', 'exp', 'iat'],
        },
      );
      return sessionClaims.parse(payload);
    } catch (error) {
      // Anything that is not a defect of ours is a token that somebody made up, changed or kept too long.
      if (error instanceof errors.JOSEError) return null;
      throw error;
    }
  }

  function knownDevice(request: FastifyRequest, username: string): string | null {
    const [device, mark] = (jar.read(request, 'device') ?? '').split('.');
    if (device === undefined || mark === undefined) return null;
    const actual = Buffer.from(mark);
    const expected = Buffer.from(deviceMark(device, username));
    return actual.length === expected.length && timingSafeEqual(actual, expected) ? device : null;
  }

  /**
   * Device and user name as JSON, so that no part of one can be read as part of the other: user names may hold any
   * sign.
   */
  const deviceMark = (device: string, username: string): string =>
    createHmac('sha256', signing.deviceSecret)
      .update(JSON.stringify([device, username.toLowerCase()]))
      .digest('base64url');

  return {
    begin,
    verify,
    knownDevice,
    isAlive: async ({ jti }) => (await app.store.readSession(jti, app.clock.now())) !== null,
    async end({ jti }, reply) {
      await app.store.revokeSession(jti, app.clock.now());
      jar.clear(reply, 'session');
    },
  };
}

/** Browsers name the site or origin that a request comes from; other programs do not. */
const isBrowser = ({ headers }: FastifyRequest): boolean =>
  headers['sec-fetch-site'] !== undefined || headers.origin !== undefined;

const notSignedIn = () => new Refusal('unauthorized', 'unauthorized', 'Please log in.');
