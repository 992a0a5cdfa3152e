import { decodeJwt, SignJWT, UnsecuredJWT } from 'jose';
import { sessionKeys } from '#api/session-keys.ts';
import type { Role } from '#core/roles.ts';
import type { NewSession } from '#core/ports/sessions.ts';
import { addSeconds } from '#core/values/dates.ts';
import { hashPassword } from '#flows/access/passwords.ts';
import { password, people, tokenOf } from '#test/support/api.ts';
import { asOwner, testSecretKey } from '#test/support/database.ts';
import type { TwoTenants } from './second-tenant.ts';

/** The maker of a call: its token, `null` for none. Each call gets a token of its own, because some calls end it. */
export type Actor = () => Promise<string | null>;

/** People with a session that counts (reliability reference 2.2). */
export const insiders = ['ours', 'accountant', 'sysadmin', 'masquerading', 'without roles', 'suspended'] as const;
export type Insider = (typeof insiders)[number];

/** The roles of their sessions. */
export const rolesOf: Readonly<Record<Insider, readonly Role[]>> = {
  ours: ['clientadmin'],
  accountant: ['accountant'],
  sysadmin: ['sysadmin'],
  masquerading: ['sysadmin', 'clientadmin'],
  'without roles': [],
  suspended: ['clientadmin'],
};

export interface Actors {
  readonly insiders: Readonly<Record<Insider, Actor>>;
  /** Callers who have to be treated as if they had no token at all. */
  readonly outsiders: Readonly<Record<string, Actor>>;
}

const [key] = sessionKeys(testSecretKey);
let count = 0;

/** Makes every actor of the matrix. */
export async function newActors({ api, ours }: TwoTenants): Promise<Actors> {
  const { app, clock, database } = api.world;
  const add = async (username: string, roles: readonly Role[], tenantId: string | null) => {
    await app.store.addUser({ username, passwordHash: await hashPassword(password), roles, tenantId, isActive: true });
    return api.signIn(username);
  };
  const alter = (statement: string, values: readonly unknown[]) =>
    asOwner(database.url, async (client) => void (await client.query(statement, [...values])));

  const admin = await api.signIn(people.admin);
  const sysadmin = await api.signIn(people.sysadmin);
  const forMasquerade = await api.signIn(people.sysadmin);
  const masquerading = tokenOf(
    await api.call('POST', '/auth/masquerade', { token: forMasquerade, body: { client_id: ours } }),
  );
  const nobody = await api.signIn(people.nobody);
  const stripped = await add('stripped@northwind-msp.example', ['clientadmin'], ours);
  await alter(`update users set roles = '{}' where username = $1`, ['stripped@northwind-msp.example']);
  const leaving = await add('leaving@northwind-msp.example', ['clientadmin'], ours);
  await alter(`update users set is_active = false where username = $1`, ['leaving@northwind-msp.example']);
  const accountant = await add('accountant@northwind-msp.example', ['accountant'], ours);
  const closed = await app.store.addTenant({ name: 'Closed Inc.', status: 'suspended', timeZone: 'UTC' });
  const suspended = await add('admin@closed.example', ['clientadmin'], closed.id);

  /** The same person in a session of its own. */
  const again = async (token: string): Promise<Actor> => {
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
    (token: string | null): Actor =>
    async () =>
      token;
  const forged = async (change: { claims?: object; header?: object; secret?: Uint8Array }): Promise<Actor> =>
    constant(await signed({ ...decodeJwt(admin), ...change.claims }, change));

  const over = Math.floor(Date.parse(addSeconds(clock.now(), -60)) / 1_000);
  const revoked = await api.signIn(people.admin);
  await api.call('POST', '/auth/logout', { token: revoked });
  const ticket = await api.call('POST', '/auth/connect-ticket', { token: admin, body: { service: 'qbo' } });
  return {
    insiders: {
      ours: await again(admin),
      accountant: await again(accountant),
      sysadmin: await again(sysadmin),
      masquerading: await again(masquerading),
      'without roles': await again(nobody),
      suspended: await again(suspended),
    },
    outsiders: {
      'without a token': constant(null),
      'whose token is over': await forged({ claims: { iat: over - 60, exp: over } }),
      'whose token is signed by another key': await forged({ secret: new Uint8Array(32).fill(7) }),
      'whose token is not signed': constant(new UnsecuredJWT(decodeJwt(admin)).encode()),
      'whose token has no signature': constant(admin.replace(/[^.]+$/, '')),
      'whose token is signed by another algorithm': constant(
        await new SignJWT(decodeJwt(admin))
          .setProtectedHeader({ alg: 'HS512', typ: 'session+jwt', kid: key.id })
          .sign(key.secret),
      ),
      'whose token is of another type': await forged({ header: { typ: 'reset+jwt' } }),
      'whose token has another audience': await forged({ claims: { aud: 'tallybridge:reset' } }),
      'whose token names another client': await forged({ claims: { client: { id: api.otherTenantId, name: 'x' } } }),
      'with a connect ticket for a token': constant(String(ticket.data['ticket'])),
      'who has logged out': constant(revoked),
      'whose role was removed a second ago': constant(stripped),
      'who was deactivated a second ago': constant(leaving),
    },
  };
}

const signed = (claims: object, change: { readonly header?: object; readonly secret?: Uint8Array } = {}) =>
  new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'HS256', typ: 'session+jwt', kid: key.id, ...change.header })
    .sign(change.secret ?? key.secret);
