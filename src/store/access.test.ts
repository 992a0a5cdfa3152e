import { afterAll, describe, expect, test } from 'vitest';
import { Refusal } from '#core/refusal.ts';
import type { NewSession, Session } from '#core/records/sessions.ts';
import type { OneTimeToken } from '#core/records/one-time-tokens.ts';
import type { User } from '#core/records/users.ts';
import { addSeconds, instant } from '#core/values/dates.ts';
import { began } from '#test/support/attempts.ts';
import { asOwner, newDatabase } from '#test/support/database.ts';
import { newSession } from '#test/cases/sample-records.ts';

const db = await newDatabase({ clock: { now: () => began } });
afterAll(() => db.close());

let counter = 0;
const unique = (prefix: string): string => `${prefix}${(counter += 1)}`;
const addUser = (change: Partial<User> = {}): Promise<User> =>
  db.store.addUser({
    username: `${unique('user')}@example.com`,
    passwordHash: 'hash',
    roles: ['clientadmin'],
    tenantId: null,
    isActive: true,
    ...change,
  });

/** Older than every account. */
const longAgo = instant('2000-01-01T00:00:00Z');

describe('users', () => {
  test('are found by name in any case', async () => {
    const added = await addUser({ username: 'Ann.O’Neil@Example.com', roles: ['clientadmin', 'sysadmin'] });
    expect(added.username).toBe('ann.o’neil@example.com');
    expect(await db.store.findUser('ANN.o’neil@example.COM')).toEqual(added);
    expect(await db.store.findUser("' or 1=1 --")).toBeNull();
    expect(await db.store.findUser('\u0000')).toBeNull();
  });

  test('have one account per name', async () => {
    const { username } = await addUser();
    const second = addUser({ username: username.toUpperCase() });
    await expect(second).rejects.toThrow(Refusal);
    await expect(second).rejects.toMatchObject({ kind: 'conflict', code: 'username_taken' });
  });

  test('get a new password', async () => {
    const { id, username } = await addUser();
    await db.store.setPassword(id, 'another', began);
    expect(await db.store.findUser(username)).toMatchObject({ passwordHash: 'another' });
  });
});

describe('a PSA user', () => {
  const link = () => ({ databaseId: unique('database '), resourceId: 20 });

  test('is found only by database and resource together', async () => {
    const psaLink = link();
    const added = await addUser({ name: 'Avery Admin', psaLink });
    expect(added).toMatchObject({ name: 'Avery Admin', psaLink });
    expect(await db.store.findUserByPsa(psaLink)).toEqual(added);
    expect(await db.store.findUserById(added.id)).toEqual(added);
    expect(await db.store.findUserByPsa({ ...psaLink, resourceId: 21 })).toBeNull();
    expect(await db.store.findUserByPsa({ ...psaLink, databaseId: 'other' })).toBeNull();
    expect(await db.store.findUserById('nonsense')).toBeNull();
  });

  test('belongs to one user', async () => {
    const psaLink = link();
    await addUser({ psaLink });
    await expect(addUser({ psaLink })).rejects.toBeInstanceOf(Refusal);
  });
});

describe('registering', () => {
  const tenant = { name: 'Northwind', status: 'pending', timeZone: 'UTC' } as const;
  const person = (username = `${unique('founder')}@example.com`) =>
    ({ username, passwordHash: 'hash', roles: ['clientadmin'], isActive: true }) as const;

  test('creates the client and its first user, or neither', async () => {
    const made = await db.store.registerTenant(tenant, person(), unique('database '), longAgo);
    expect(made.user.tenantId).toBe(made.tenant.id);
    expect(await db.store.findTenant(made.tenant.id)).toEqual(made.tenant);
    const before = (await db.store.listTenants()).length;
    const again = db.store.registerTenant(tenant, person(made.user.username), unique('database '), longAgo);
    await expect(again).rejects.toMatchObject({ kind: 'conflict', code: 'username_taken' });
    expect(await db.store.listTenants()).toHaveLength(before);
  });

  test('allows a company only once, also for parallel registrations', async () => {
    const database = unique('database ');
    const tries = await Promise.allSettled(
      Array.from({ length: 5 }, () => db.store.registerTenant(tenant, person(), database, longAgo)),
    );
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of tries)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ kind: 'conflict', code: 'company_registered' });
  });

  test('is possible again after the client canceled', async () => {
    const database = unique('database ');
    const first = await db.store.registerTenant(tenant, person(), database, longAgo);
    await db.store.forTenant(first.tenant.id).setStatus('cancelled');
    await expect(db.store.registerTenant(tenant, person(), database, longAgo)).resolves.toBeDefined();
  });
});

describe('tenants', () => {
  test('are found by ID and listed by name', async () => {
    const zebra = await db.store.addTenant({ name: 'Zebra', status: 'pending', timeZone: 'UTC' });
    const apple = await db.store.addTenant({ name: 'Apple', status: 'active', timeZone: 'Europe/London' });
    expect(await db.store.findTenant(apple.id)).toEqual(apple);
    expect(await db.store.findTenant('nonsense')).toBeNull();
    expect(await db.store.findTenant('00000000-0000-0000-0000-000000000000')).toBeNull();
    expect((await db.store.listTenants()).filter((one) => [zebra.id, apple.id].includes(one.id))).toEqual([
      apple,
      zebra,
    ]);
    expect(() => db.store.forTenant("x' or '1'='1")).toThrow('UUID');
  });
});

describe('a session', () => {
  const addSession = async ({ id, accessVersion }: User, change: Partial<NewSession> = {}): Promise<Session | null> => {
    const session = newSession(unique('jti'), { id, tenantId: null, roles: ['sysadmin'], accessVersion }, began, {
      cookieHash: unique('hash'),
      endsAt: addSeconds(began, 60),
      ...change,
    });
    const hasBegun = await db.store.addSession(session);
    const stored = await db.store.readSession(session.jti, began);
    expect(hasBegun, 'result and stored session match').toBe(stored !== null);
    if (stored !== null)
      expect(stored).toEqual({ ...session, emailIsProved: true, id: expect.any(String), lastUsedAt: stored.createdAt });
    return stored;
  };
  const begin = async (...of: Parameters<typeof addSession>): Promise<Session> => {
    const session = await addSession(...of);
    if (session === null) throw new Error('no session');
    return session;
  };
  const isAlive = async ({ jti, cookieHash }: Session): Promise<boolean> => {
    const [byToken, byCookie] = [
      await db.store.readSession(jti, began),
      await db.store.readSessionByCookie(cookieHash ?? '', began),
    ];
    expect(byCookie).toEqual(byToken);
    return byToken !== null;
  };

  test('is valid until it expires', async () => {
    const session = await begin(await addUser());
    expect(await db.store.readSession(session.jti, addSeconds(began, 59))).toEqual(session);
    expect(await db.store.readSession(session.jti, addSeconds(began, 60))).toBeNull();
    expect(await db.store.readSession('unknown', began)).toBeNull();
  });

  test("ends when it is revoked, alone, with the user's others, or with all", async () => {
    const [user, other] = [await addUser(), await addUser()];
    const [a, b, c, d] = [await begin(user), await begin(user), await begin(user), await begin(other)];
    await db.store.revokeSession(a.jti, began);
    expect([await isAlive(a), await isAlive(b)]).toEqual([false, true]);
    expect(await db.store.revokeSessionsOf(user.id, began, { exceptJti: b.jti })).toBe(1);
    expect([await isAlive(b), await isAlive(c)]).toEqual([true, false]);
    expect(await db.store.revokeSessionsOf(user.id, began)).toBe(1);
    expect([await isAlive(b), await isAlive(d)]).toEqual([false, true]);
  });

  test("is listed with the user's other valid sessions, newest first", async () => {
    const user = await addUser();
    const older = await begin(user);
    const newer = await begin(user, { createdAt: addSeconds(began, 5), endsAt: addSeconds(began, 90) });
    await begin(await addUser());
    expect((await db.store.listSessionsOf(user.id, began)).map(({ id }) => id)).toEqual([newer.id, older.id]);
    expect((await db.store.listSessionsOf(user.id, addSeconds(began, 60))).map(({ id }) => id)).toEqual([newer.id]);
    await db.store.markSessionUsed(newer.jti, addSeconds(began, 70));
    expect(await db.store.readSession(newer.jti, addSeconds(began, 70))).toMatchObject({
      lastUsedAt: addSeconds(began, 70),
    });
  });

  test('ends after a new password, other roles, deactivation, or removal, regardless of the statement', async () => {
    const changes: Readonly<Record<string, (user: User) => Promise<unknown>>> = {
      'a new password': ({ id }) => db.store.setPassword(id, 'another', began),
      'a password by hand': ({ id }) => owner(`update users set password_hash = 'x' where id = $1`, id),
      'other roles': ({ id }) => owner(`update users set roles = '{}' where id = $1`, id),
      deactivation: ({ id }) => owner('update users set is_active = false where id = $1', id),
      removal: ({ id }) => owner('delete from users where id = $1', id),
    };
    for (const [what, change] of Object.entries(changes)) {
      const user = await addUser();
      const session = await begin(user);
      await owner(`update users set name = 'Another Name' where id = $1`, user.id);
      expect([what, await isAlive(session)]).toEqual([what, true]);
      await change(user);
      expect([what, await isAlive(session), await db.store.listSessionsOf(user.id, began)]).toEqual([what, false, []]);
    }
  });

  test('is not created for a user who changed after the check', async () => {
    const user = await addUser();
    await db.store.setPassword(user.id, 'another', began);
    expect(await addSession(user)).toBeNull();
    const again = await db.store.findUserById(user.id);
    expect(again?.accessVersion).toBe(user.accessVersion + 1);
    expect(await addSession(again ?? user)).not.toBeNull();
    await owner('update users set is_active = false where id = $1', user.id);
    expect(await addSession((await db.store.findUserById(user.id)) ?? user)).toBeNull();
  });

  test('created in parallel with a new password never outlives it', async () => {
    const user = await addUser();
    const sessions = Array.from({ length: 8 }, (_, number) =>
      newSession(unique(`race ${number} `), { ...user, tenantId: null }, began, { endsAt: addSeconds(began, 60) }),
    );
    await Promise.all([
      ...sessions.slice(0, 4).map((session) => db.store.addSession(session)),
      db.store.setPassword(user.id, 'another', began),
      ...sessions.slice(4).map((session) => db.store.addSession(session)),
    ]);
    for (const { jti } of sessions) expect(await db.store.readSession(jti, began)).toBeNull();
  });
});

/** Runs a statement about one user directly, as a database administrator would. */
const owner = (statement: string, userId: string): Promise<unknown> =>
  asOwner(db.url, (client) => client.query(statement, [userId]));

describe('a token', () => {
  const addOneTimeToken = async (purpose: OneTimeToken['purpose'] = 'oauth_state'): Promise<OneTimeToken> => {
    const token: OneTimeToken = {
      hash: unique('hash'),
      purpose,
      userId: (await addUser()).id,
      tenantId: null,
      data: { verifier: 'v', nested: { a: [1] } },
      endsAt: addSeconds(began, 60),
    };
    await db.store.addOneTimeToken(token);
    return token;
  };

  test('can be spent once, also by parallel requests', async () => {
    const token = await addOneTimeToken();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => db.store.spendOneTimeToken(token.hash, 'oauth_state', began)),
    );
    expect(answers.filter((one) => one !== null)).toEqual([token]);
    expect(await db.store.spendOneTimeToken(token.hash, 'oauth_state', began)).toBeNull();
  });

  test('becomes invalid for every purpose when its user gets a new password', async () => {
    for (const purpose of ['sign_on', 'connect_psa', 'reset_password'] as const) {
      const { hash, userId } = await addOneTimeToken(purpose);
      await db.store.setPassword(userId ?? '', 'another', began);
      expect(await db.store.spendOneTimeToken(hash, purpose, began)).toBeNull();
    }
  });

  test('is invalid for another purpose or after expiry, and attempts do not spend it', async () => {
    const token = await addOneTimeToken('connect_psa');
    expect(await db.store.spendOneTimeToken(token.hash, 'connect_accounting', began)).toBeNull();
    expect(await db.store.spendOneTimeToken(token.hash, 'connect_psa', addSeconds(began, 60))).toBeNull();
    expect(await db.store.spendOneTimeToken('unknown', 'connect_psa', began)).toBeNull();
    expect(await db.store.spendOneTimeToken(token.hash, 'connect_psa', addSeconds(began, 59))).toEqual(token);
  });
});

describe('failed logins', () => {
  test('are counted in their window by the key with the most failures', async () => {
    const [account, address] = [unique('account'), unique('address')];
    expect(await db.store.countFailures([account, address], began)).toBe(0);
    await db.store.addFailure([account, address], began);
    await db.store.addFailure([account], addSeconds(began, 10));
    await db.store.addFailure([unique('account'), address], addSeconds(began, 20));
    await db.store.addFailure([unique('account'), address], addSeconds(began, 30));
    expect(await db.store.countFailures([account], began)).toBe(2);
    expect(await db.store.countFailures([account, address], began)).toBe(3);
    expect(await db.store.countFailures([account, address], addSeconds(began, 20))).toBe(2);
    expect(await db.store.countFailures([], began)).toBe(0);
  });

  test('count under all of their keys or none, and can be undone one by one', async () => {
    const [one, two] = [unique('one'), unique('two')];
    const counters = [
      { key: one, limit: 2 },
      { key: two, limit: 1 },
    ];
    const since = addSeconds(began, -60);
    expect(await db.store.admitTry(counters, since, began)).toBe(true);
    expect(await db.store.admitTry(counters, since, began)).toBe(false);
    expect([await db.store.countFailures([one], since), await db.store.countFailures([two], since)]).toEqual([1, 1]);
    await db.store.addFailure([one], began);
    await Promise.all([db.store.forgetTry([one, two], began), db.store.forgetTry([two, one], began)]);
    expect(await db.store.countFailures([one, two], since)).toBe(0);
  });

  test('allow attempts up to the limit, also in parallel', async () => {
    const key = unique('wish');
    const tries = (at = began) =>
      Promise.all(Array.from({ length: 8 }, () => db.store.admitTry([{ key, limit: 3 }], addSeconds(at, -60), at)));
    expect((await tries()).filter(Boolean)).toHaveLength(3);
    expect((await tries(addSeconds(began, 60))).filter(Boolean), 'rejected attempts do not count').toHaveLength(0);
    expect((await tries(addSeconds(began, 61))).filter(Boolean)).toHaveLength(3);
  });
});
