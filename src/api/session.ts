import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errors, jwtVerify, SignJWT } from 'jose';
import { sessionClaims, type SessionClaims } from '#contract/auth.ts';
import type { Session } from '#core/records/sessions.ts';
import { Refusal } from '#core/refusal.ts';
import { addSeconds, epochMs, secondsBetween } from '#core/values/dates.ts';
import type { App } from '#flows/context.ts';
import type { Principal, SignedIn } from '#flows/access/principal.ts';
import { apiKeyPrefix, principalOfKey } from '#flows/access/api-keys.ts';
import { hashOf, matches } from '#flows/access/secrets.ts';
import type { CookieJar } from './cookies.ts';
import type { SessionKey } from './session-keys.ts';

/** Maximum duration of a session, used or not. */
const sessionSeconds = 12 * 3_600;
/** Precision of the last-use time, in seconds. */
const useSeconds = 60;
/** Maximum characters stored of a browser's user agent. */
const maxUserAgentLength = 400;
/** Maximum number of verified tokens in the cache of the process. */
const maxKnownTokens = 5_000;
const algorithm = 'HS256';
const audience = 'tallybridge:session';
const tokenType = 'session+jwt';

/** A session has a signed token that the client reads, a row that can be revoked, and for browsers a cookie. */
export interface Sessions {
  /**
   * Starts a session and returns its token.
   *
   * @throws Refusal `unauthorized` (401) when the user's password has changed or the user was deactivated.
   */
  begin(signedIn: SignedIn, request: FastifyRequest, reply: FastifyReply): Promise<string>;
  /**
   * Verifies the session of a request and returns its user.
   *
   * @throws Refusal `unauthorized` (401) for a missing or invalid token.
   */
  verify(request: FastifyRequest): Promise<Principal>;
  /** Returns true while the session is neither revoked nor expired. */
  isAlive(principal: Principal): Promise<boolean>;
  end(principal: Principal, reply: FastifyReply): Promise<void>;
  /** Returns true if the browser that opens a page has the session of a system administrator. */
  isOperator(request: FastifyRequest): Promise<boolean>;
  /** Returns the id of the browser if this user logged in with it before. */
  knownDevice(request: FastifyRequest, username: string): string | null;
}

const personOf = (session: Session, { user, client }: SessionClaims): Principal => ({
  jti: session.jti,
  userId: session.userId,
  username: user.username,
  roles: session.roles,
  client,
  masquerader: session.masquerader,
  accessVersion: session.accessVersion,
  emailIsProved: session.emailIsProved,
  endsAt: session.endsAt,
  proof: session.proof,
});

/** @param keys newest first; the first one signs, all verify. */
export function createSessions(app: App, jar: CookieJar, keys: readonly [SessionKey, ...SessionKey[]]): Sessions {
  const [signing] = keys;
  const claimsOf = tokenReader(app, keys);
  const { knownDevice, deviceCookie } = devices(jar, signing);

  async function begin(signedIn: SignedIn, request: FastifyRequest, reply: FastifyReply): Promise<string> {
    const createdAt = app.clock.now();
    const latest = addSeconds(createdAt, sessionSeconds);
    const endsAt = signedIn.endsAt !== null && signedIn.endsAt < latest ? signedIn.endsAt : latest;
    const jti = app.randomToken(16);
    const cookie = app.randomToken(32);
    const cookieHash = hashOf(cookie);
    // A program that stores no cookies uses only the token. Calls that accept only the cookie require it from programs
    // too.
    const ctx = isBrowser(request) ? cookieHash : undefined;
    const isAdded = await app.store.addSession({
      jti,
      userId: signedIn.userId,
      tenantId: signedIn.client?.id ?? null,
      roles: signedIn.roles,
      masquerader: signedIn.masquerader,
      cookieHash,
      accessVersion: signedIn.accessVersion,
      userAgent: (request.headers['user-agent'] ?? '').slice(0, maxUserAgentLength),
      address: request.ip,
      createdAt,
      endsAt,
      proof: signedIn.proof,
    });
    if (!isAdded) throw notSignedIn();
    jar.set(reply, 'session', cookie);
    if (ctx !== undefined) {
      const device = knownDevice(request, signedIn.username) ?? app.randomToken(16);
      jar.set(reply, 'device', deviceCookie(device, signedIn.username));
    }
    return new SignJWT(claimsFor(signedIn, ctx))
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
    const isKey = token?.startsWith(apiKeyPrefix) === true;
    const program = isKey ? await principalOfKey(app, token) : null;
    if (program !== null) return program;
    const claims = token === undefined || isKey ? null : await claimsOf(token);
    const session = claims === null ? null : await app.store.readSession(claims.jti, app.clock.now());
    if (claims === null || session === null || session.tenantId !== (claims.client?.id ?? null)) throw notSignedIn();
    // A browser's token is valid only with the cookie of that browser.
    if (claims.ctx !== undefined && !matches(jar.read(request, 'session'), claims.ctx)) throw notSignedIn();
    await noteUse(app, session);
    return personOf(session, claims);
  }

  return {
    begin,
    verify,
    knownDevice,
    isAlive: async ({ jti }) => (await app.store.readSession(jti, app.clock.now())) !== null,
    async isOperator(request) {
      const cookie = jar.read(request, 'session');
      if (cookie === null) return false;
      // Without the database, no one is known.
      const session = await app.store.readSessionByCookie(hashOf(cookie), app.clock.now()).catch(() => null);
      return session !== null && (session.tenantId === null || session.masquerader !== null);
    },
    async end({ jti }, reply) {
      await app.store.revokeSession(jti, app.clock.now());
      jar.clear(reply, 'session');
    },
  };
}

async function noteUse(app: App, { jti, lastUsedAt }: Session): Promise<void> {
  const now = app.clock.now();
  if (secondsBetween(lastUsedAt, now) >= useSeconds) await app.store.markSessionUsed(jti, now);
}

/** @param ctx hash of the cookie that the token requires; undefined: none. */
const claimsFor = (
  signedIn: SignedIn,
  ctx: string | undefined,
): Omit<SessionClaims, 'exp' | 'iat' | 'iss' | 'aud' | 'jti'> => ({
  user: { username: signedIn.username, roles: [...signedIn.roles] },
  client: signedIn.client,
  autotask_tenant_id: signedIn.psaLink?.databaseId ?? null,
  autotask_resource_id: signedIn.psaLink?.resourceId ?? null,
  ...(signedIn.masquerader === null ? {} : { act: { username: signedIn.masquerader } }),
  ...(ctx === undefined ? {} : { ctx }),
  ...(signedIn.mustSetUp ? { must_set_up: 'second_factor' as const } : {}),
});

/** Returns a function that returns the claims of a token; null if the token is forged, changed or expired. */
function tokenReader(app: App, keys: readonly SessionKey[]): (token: string) => Promise<SessionClaims | null> {
  /** Claims of verified tokens, by the hash of the token; the oldest are removed first. */
  const known = new Map<string, SessionClaims>();

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
      // A JOSE error means that the token was forged, changed or has expired. Any other error is a bug.
      if (error instanceof errors.JOSEError) return null;
      throw error;
    }
  }

  /** A valid signature stays valid; every request checks in the database that the session still exists. */
  return async (token) => {
    const hash = hashOf(token);
    const before = known.get(hash);
    if (before !== undefined) return before.exp > Math.floor(epochMs(app.clock.now()) / 1_000) ? before : null;
    const claims = await verified(token);
    if (claims === null) return null;
    if (known.size >= maxKnownTokens) known.delete(known.keys().next().value ?? '');
    known.set(hash, claims);
    return claims;
  };
}

/** The cookie that names a browser in which a user has logged in before. */
function devices(jar: CookieJar, signing: SessionKey) {
  function knownDevice(request: FastifyRequest, username: string): string | null {
    const [device, mark] = (jar.read(request, 'device') ?? '').split('.');
    if (device === undefined || mark === undefined) return null;
    const actual = Buffer.from(mark);
    const expected = Buffer.from(deviceMark(device, username));
    return actual.length === expected.length && timingSafeEqual(actual, expected) ? device : null;
  }

  /**
   * Signs device and user name as JSON, so that the boundary between them is unambiguous: user names may contain any
   * character.
   */
  const deviceMark = (device: string, username: string): string =>
    createHmac('sha256', signing.deviceSecret)
      .update(JSON.stringify([device, username.toLowerCase()]))
      .digest('base64url');

  return {
    knownDevice,
    deviceCookie: (device: string, username: string): string => `${device}.${deviceMark(device, username)}`,
  };
}

/** Browsers send the site or origin of a request; other programs do not. */
const isBrowser = ({ headers }: FastifyRequest): boolean =>
  headers['sec-fetch-site'] !== undefined || headers.origin !== undefined;

const notSignedIn = () => new Refusal('unauthorized', 'unauthorized', 'Please log in.');
