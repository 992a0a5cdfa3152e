import { afterAll, describe, expect, test } from 'vitest';
import type { NewAuditEvent } from '#core/records/audit.ts';
import type { NewInvitation, PeopleFilter } from '#core/records/people.ts';
import type { TenantStore } from './tenant-store.ts';
import type { User } from '#core/records/users.ts';
import { addSeconds } from '#core/values/dates.ts';
import { began, newTenant } from '#test/support/attempts.ts';
import { newDatabase } from '#test/support/database.ts';
import { newSession } from '#test/cases/sample-records.ts';

const db = await newDatabase({ clock: { now: () => began } });
afterAll(() => db.close());

let counter = 0;
const unique = (prefix: string): string => `${prefix}${(counter += 1)}`;
const unknownId = '00000000-0000-4000-8000-000000000000';
const event = (action: string): NewAuditEvent => ({
  at: began,
  actor: { username: 'admin@example.com' },
  action,
  subject: 'user',
  before: null,
  after: null,
});
const addUser = (store: TenantStore, change: Partial<User> = {}): Promise<User> =>
  db.store.addUser({
    username: `${unique('user')}@example.com`,
    passwordHash: 'hash',
    roles: ['clientadmin'],
    tenantId: store.tenantId,
    isActive: true,
    name: 'Ada King',
    ...change,
  });
const invite = (store: TenantStore, change: Partial<NewInvitation> = {}) =>
  store.addInvitation(
    {
      email: `${unique('guest')}@example.com`,
      name: 'Grace Hopper',
      role: 'clientadmin',
      tokenHash: unique('token '),
      by: 'admin@example.com',
      at: began,
      endsAt: addSeconds(began, 600),
      ...change,
    },
    event('user.invited'),
  );
const begin = async (user: User, change: { endsAt?: typeof began } = {}) => {
  const jti = unique('jti');
  await db.store.addSession(newSession(jti, user, began, { endsAt: addSeconds(began, 60), ...change }));
  return jti;
};
const list = (store: TenantStore, filter: Partial<PeopleFilter> = {}) =>
  store.listPeople({ page: 1, pageSize: 20, ...filter });
const actionsOf = async (store: TenantStore): Promise<readonly string[]> =>
  (await store.listAudit({ page: 1, pageSize: 50 })).events.map(({ action }) => action);

describe('the users of a client', () => {
  test('are users and invitations sorted by email, with their details', async () => {
    const store = await newTenant(db.store);
    const ada = await addUser(store, { username: 'b.ada@example.com' });
    await begin(ada);
    await begin(ada);
    await begin(ada, { endsAt: began });
    await addUser(store, { username: 'c.gone@example.com', isActive: false, name: '' });
    const { id } = await invite(store, { email: 'a.guest@example.com' });
    await addUser(await newTenant(db.store), { username: 'a.foreigner@example.com' });
    const { people, total } = await list(store);
    expect(total).toBe(3);
    expect(people).toEqual([
      {
        id,
        email: 'a.guest@example.com',
        name: 'Grace Hopper',
        role: 'clientadmin',
        state: 'invited',
        since: began,
        lastSignInAt: null,
        sessions: 0,
        invitation: { by: 'admin@example.com', endsAt: addSeconds(began, 600) },
      },
      {
        id: ada.id,
        email: 'b.ada@example.com',
        name: 'Ada King',
        role: 'clientadmin',
        state: 'active',
        since: expect.any(String),
        lastSignInAt: began,
        sessions: 2,
        invitation: null,
      },
      expect.objectContaining({ email: 'c.gone@example.com', state: 'deactivated', lastSignInAt: null, sessions: 0 }),
    ]);
    for (const person of people) expect(await store.readPerson(person.id)).toEqual(person);
  });

  test('are found by parts of email and name, by state, and page by page', async () => {
    const store = await newTenant(db.store);
    for (const number of [10, 11, 12, 13, 14])
      await addUser(store, { username: `p${number}@${store.tenantId}.example`, name: `Person ${number}` });
    await addUser(store, { username: `x_y@${store.tenantId}.example`, isActive: false });
    await invite(store, { name: '100 % sure' });
    const emails = async (filter: Partial<PeopleFilter>) =>
      (await list(store, filter)).people.map(({ email }) => email.split('@')[0]?.replace(/\d+$/, '#'));
    expect(await emails({ text: 'pERSON 1' })).toHaveLength(5);
    expect(await emails({ text: 'P13' })).toHaveLength(1);
    expect(await emails({ text: 'x_y' })).toEqual(['x_y']);
    expect(await emails({ text: 'x%y' })).toEqual([]);
    expect(await emails({ text: '%' })).toEqual(['guest#']);
    expect(await emails({ state: 'deactivated' })).toEqual(['x_y']);
    expect(await emails({ state: 'invited' })).toEqual(['guest#']);
    const pages = [1, 2, 3, 4].map((page) => list(store, { page, pageSize: 3 }));
    const seen = (await Promise.all(pages)).map(({ people, total }) => [people.length, total]);
    expect(seen).toEqual([
      [3, 7],
      [3, 7],
      [1, 7],
      [0, 7],
    ]);
  });

  test('of another client appear not to exist', async () => {
    const [store, other] = [await newTenant(db.store), await newTenant(db.store)];
    await addUser(other);
    const active = await addUser(other);
    const jti = await begin(active);
    const inactive = await addUser(other, { isActive: false });
    const { id: invited } = await invite(other);
    const before = await list(other);
    for (const id of [active.id, inactive.id, invited, unknownId, 'nonsense', "' or true --"]) {
      expect(await store.readPerson(id)).toBeNull();
      const done = [
        await store.deactivateUser(id, { handOver: [], to: null }, event('x')),
        await store.reactivateUser(id, event('x')),
        await store.removeUser(id, { handOver: [], to: null }, event('x')),
        await store.endSessionsOf(id, event('x')),
        await store.removeInvitation(id, event('x')),
        await store.renewInvitation(id, { tokenHash: unique('token '), endsAt: began }, event('x')),
      ];
      expect(new Set(done)).toEqual(new Set([false]));
    }
    expect(await list(other)).toEqual(before);
    expect(await db.store.readSession(jti, began)).not.toBeNull();
    expect(await actionsOf(store)).toEqual([]);
  });
});

describe('an invitation', () => {
  const accept = (tokenHash: string, now = began) => db.store.acceptInvitation(tokenHash, 'new hash', now);

  test('creates one user for parallel uses of its code', async () => {
    const store = await newTenant(db.store, 'Northwind');
    const { email } = await invite(store, { tokenHash: 'raced' });
    expect(await db.store.readInvitation('raced', began)).toMatchObject({
      email,
      name: 'Grace Hopper',
      tenant: { id: store.tenantId, name: 'Northwind' },
    });
    const users = (await Promise.all(Array.from({ length: 6 }, () => accept('raced')))).filter((one) => one !== null);
    expect(users).toMatchObject([
      { username: email, name: 'Grace Hopper', tenantId: store.tenantId, roles: ['clientadmin'], isActive: true },
    ]);
    expect(await list(store)).toMatchObject({ total: 1, people: [{ email, state: 'active' }] });
    expect(await db.store.readInvitation('raced', began)).toBeNull();
  });

  test('is valid until it expires, is renewed, or is withdrawn', async () => {
    const store = await newTenant(db.store);
    const { id } = await invite(store, { tokenHash: 'first' });
    expect(await accept('first', addSeconds(began, 600))).toBeNull();
    expect(await db.store.readInvitation('first', addSeconds(began, 600))).toBeNull();
    const endsAt = addSeconds(began, 1_200);
    expect(await store.renewInvitation(id, { tokenHash: 'second', endsAt }, event('renewed'))).toBe(true);
    expect(await accept('first')).toBeNull();
    expect(await db.store.readInvitation('second', addSeconds(began, 1_199))).not.toBeNull();
    expect(await store.removeInvitation(id, event('withdrawn'))).toBe(true);
    expect(await accept('second')).toBeNull();
    expect(await actionsOf(store)).toEqual(['withdrawn', 'renewed', 'user.invited']);
  });

  test('remains when its email was registered elsewhere meanwhile', async () => {
    const store = await newTenant(db.store);
    const { email, id } = await invite(store, { tokenHash: 'taken' });
    await addUser(await newTenant(db.store), { username: email });
    await expect(accept('taken')).rejects.toMatchObject({ code: 'username_taken' });
    expect(await store.readPerson(id)).toMatchObject({ state: 'invited' });
  });

  test('is rejected for existing users of the client, but not for users elsewhere', async () => {
    const store = await newTenant(db.store);
    const [active, inactive] = [await addUser(store), await addUser(store, { isActive: false })];
    const { email } = await invite(store);
    const foreign = await addUser(await newTenant(db.store));
    const refusals = [active.username, inactive.username, email].map((one) =>
      invite(store, { email: one }).catch((error: unknown) => error),
    );
    expect(await Promise.all(refusals)).toMatchObject([
      { code: 'user_exists', message: expect.stringContaining('already'), errors: [{ key: 'email' }] },
      { code: 'user_exists', message: expect.stringContaining('Reactivate') },
      { code: 'invited_already' },
    ]);
    expect(await invite(store, { email: foreign.username })).toMatchObject({ state: 'invited' });
    expect(await actionsOf(store), 'no audit events of rejected requests').toEqual(['user.invited', 'user.invited']);
  });
});

describe('a user', () => {
  test('loses sessions and codes when deactivated and can be reactivated', async () => {
    const store = await newTenant(db.store);
    await addUser(store);
    const user = await addUser(store);
    const jti = await begin(user);
    const token = { purpose: 'connect_psa', userId: user.id, tenantId: store.tenantId, data: {} } as const;
    await db.store.addOneTimeToken({ ...token, hash: 'their token', endsAt: addSeconds(began, 60) });
    expect(await store.deactivateUser(user.id, { handOver: [], to: null }, event('deactivated'))).toBe(true);
    expect(await db.store.readSession(jti, began)).toBeNull();
    expect(await db.store.spendOneTimeToken('their token', 'connect_psa', began)).toBeNull();
    expect(await store.deactivateUser(user.id, { handOver: [], to: null }, event('deactivated')), 'twice').toBe(false);
    expect(await store.reactivateUser(user.id, event('reactivated'))).toBe(true);
    expect(await store.reactivateUser(user.id, event('reactivated')), 'twice').toBe(false);
    expect(await db.store.readSession(jti, began), 'an earlier session').toBeNull();
    expect(await actionsOf(store)).toEqual(['reactivated', 'deactivated']);
  });

  test('cannot be deactivated as the last administrator, also in parallel', async () => {
    const store = await newTenant(db.store);
    const [one, two] = [await addUser(store), await addUser(store)];
    await addUser(store, { isActive: false });
    await addUser(store, { roles: [] });
    const both = await Promise.allSettled(
      [one, two].map(({ id }) => store.deactivateUser(id, { handOver: [], to: null }, event('deactivated'))),
    );
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(both).toContainEqual(
      expect.objectContaining({ reason: expect.objectContaining({ kind: 'conflict', code: 'last_administrator' }) }),
    );
    expect(await list(store, { state: 'active' })).toMatchObject({ total: 2 });
  });

  test('is deleted with sessions and codes after deactivation, which frees the email', async () => {
    const store = await newTenant(db.store);
    await addUser(store);
    const user = await addUser(store);
    await begin(user);
    await db.store.addOneTimeToken({
      hash: unique('hash'),
      purpose: 'reset_password',
      userId: user.id,
      tenantId: store.tenantId,
      data: {},
      endsAt: addSeconds(began, 60),
    });
    expect(await store.removeUser(user.id, { handOver: [], to: null }, event('removed')), 'while active').toBe(false);
    await store.deactivateUser(user.id, { handOver: [], to: null }, event('deactivated'));
    expect(await store.removeUser(user.id, { handOver: [], to: null }, event('removed'))).toBe(true);
    expect(await db.store.findUserById(user.id)).toBeNull();
    await expect(addUser(await newTenant(db.store), { username: user.username })).resolves.toBeDefined();
    expect(await actionsOf(store)).toEqual(['removed', 'deactivated']);
  });

  test('can be logged out everywhere and remains a user', async () => {
    const store = await newTenant(db.store);
    const [user, other] = [await addUser(store), await addUser(store)];
    const [ended, remaining] = [await begin(user), await begin(other)];
    expect(await store.endSessionsOf(user.id, event('signed out'))).toBe(true);
    expect(await db.store.readSession(ended, began)).toBeNull();
    expect(await db.store.readSession(remaining, began)).not.toBeNull();
    expect(await store.readPerson(user.id)).toMatchObject({ state: 'active', sessions: 0 });
  });
});
