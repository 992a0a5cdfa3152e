import { decodeJwt, SignJWT, UnsecuredJWT } from 'jose';
import { sessionKeys } from '#api/session-keys.ts';
import type { Role } from '#core/roles.ts';
import type { NewSession } from '#core/records/sessions.ts';
import { addSeconds } from '#core/values/dates.ts';
import { hashPassword } from '#flows/access/passwords.ts';
import { password, people, tokenOf } from '#test/support/api.ts';
import { asOwner, testSecretKey } from '#test/support/database.ts';
import type { TwoTenants } from './second-tenant.ts';

/** Returns a token, or `null` for none. Each call gets a new session, because some calls end it. */
export type Caller = () => Promise<string | null>;

/** Callers with a valid session (reliability reference 2.2). */
export const validCallers = ['ours', 'accountant', 'sysadmin', 'masquerading', 'without roles', 'suspended'] as const;
export type ValidCaller = (typeof validCallers)[number];

/** Roles of their sessions. */
export const rolesOf: Readonly<Record<ValidCaller, readonly Role[]>> = {
  ours: ['clientadmin'],
  accountant: ['accountant'],
  sysadmin: ['sysadmin'],
  masquerading: ['sysadmin', 'clientadmin'],
  'without roles': [],
  suspended: ['clientadmin'],
};

export interface Callers {
  readonly validCallers: Readonly<Record<ValidCaller, Caller>>;
  /** Callers that must be treated as if they had no token. */
  readonly invalidCallers: Readonly<Record<string, Caller>>;
}

const [key] = sessionKeys(testSecretKey);
let count = 0;

/** Creates all callers of the matrix. */
export async function newCallers({ api, ours }: TwoTenants): Promise<Callers> {
  const { app, clock, database } = api.world;
  const add = async (username: string, roles: readonly Role[], tenantId: string | null) => {
    await app.store.addUser({ username, passwordHash: await hashPassword(password), roles, tenantId, isActive: true });
    return api.signIn(username);
  };
  const alter = (statement: string, values: readonly unknown[]) =>
    asOwner(database.url, async (client) => void (await client.query(statement, [...values])));

  const admin = await api.signIn(people.admin);
  const sysadmin = await api.signIn(people.sysadmin);
  const masqueradeToken = await api.signIn(people.sysadmin);
  const masquerading = tokenOf(
    await api.call('POST', '/auth/masquerade', { token: masqueradeToken, body: { client_id: ours } }),
  );
  const withoutRoles = await api.signIn(people.nobody);
  const withoutRole = await add('stripped@northwind-msp.example', ['clientadmin'], ours);
  await alter(`update users set roles = '{}' where username = $1`, ['stripped@northwind-msp.example']);
  const deactivated = await add('leaving@northwind-msp.example', ['clientadmin'], ours);
  await alter(`update users set is_active = false where username = $1`, ['leaving@northwind-msp.example']);
  const accountant = await add('accountant@northwind-msp.example', ['accountant'], ours);
  const closed = await app.store.addTenant({ name: 'Closed Inc.', status: 'suspended', timeZone: 'UTC' });
  const suspended = await add('admin@closed.example', ['clientadmin'], closed.id);

  /** The same user in a new session. */
  const copySession = async (token: string): Promise<Caller> => {
    const claims = decodeJwt<{ jti: string }>(token);
    const row = await app.store.readSession(claims.jti, clock.now());
    if (row === null) throw new Error('the session to copy has ended');
    return async () => {
      const session: NewSession = { ...row, jti: `copy-${(count += 1)}-of-${row.jti}` };
      if (!(await app.store.addSession(session))) throw new Error('the user of the session has changed');
      return signed({ ...claims, jti: session.jti });
    };
  };
  const constant =
    (token: string | null): Caller =>
    async () =>
      token;
  const forged = async (change: { claims?: object; header?: object; secret?: Uint8Array }): Promise<Caller> =>
    constant(await signed({ ...decodeJwt(admin), ...change.claims }, change));

  const expiredAt = Math.floor(Date.parse(addSeconds(clock.now(), -60)) / 1_000);
  const revoked = await api.signIn(people.admin);
  await api.call('POST', '/auth/logout', { token: revoked });
  const ticket = await api.call('POST', '/auth/connect-ticket', { token: admin, body: { service: 'qbo' } });
  return {
    validCallers: {
      ours: await copySession(admin),
      accountant: await copySession(accountant),
      sysadmin: await copySession(sysadmin),
      masquerading: await copySession(masquerading),
      'without roles': await copySession(withoutRoles),
      suspended: await copySession(suspended),
    },
    invalidCallers: {
      'without a token': constant(null),
      'with an expired token': await forged({ claims: { iat: expiredAt - 60, exp: expiredAt } }),
      'with a token signed by another key': await forged({ secret: new Uint8Array(32).fill(7) }),
      'with an unsigned token': constant(new UnsecuredJWT(decodeJwt(admin)).encode()),
      'with a token without signature': constant(admin.replace(/[^.]+$/, '')),
      'with a token signed by another algorithm': constant(
        await new SignJWT(decodeJwt(admin))
          .setProtectedHeader({ alg: 'HS512', typ: 'session+jwt', kid: key.id })
          .sign(key.secret),
      ),
      'with a token of another type': await forged({ header: { typ: 'reset+jwt' } }),
      'with a token for another audience': await forged({ claims: { aud: 'tallybridge:reset' } }),
      'with a token that names another client': await forged({
        claims: { client: { id: api.otherTenantId, name: 'x' } },
      }),
      'with a connect ticket for a token': constant(String(ticket.data['ticket'])),
      'after logout': constant(revoked),
      'whose role was just removed': constant(withoutRole),
      'who was just deactivated': constant(deactivated),
    },
  };
}

const signed = (claims: object, change: { readonly header?: object; readonly secret?: Uint8Array } = {}) =>
  new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'HS256', typ: 'session+jwt', kid: key.id, ...change.header })
    .sign(change.secret ?? key.secret);
