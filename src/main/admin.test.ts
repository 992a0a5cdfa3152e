import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { maxUnexpected } from '#core/records/unexpected-answers.ts';
import { instant } from '#core/values/dates.ts';
import { verifyPassword } from '#flows/access/passwords.ts';
import { runCommand, runHere } from '#test/support/command.ts';
import { newDatabase } from '#test/support/database.ts';
import { createAdmin, forgetLostSecrets, listUnexpected, resetFactor } from './admin.ts';
import { deleteClient, exportClient, listClients } from './clients.ts';
import type { Outcome } from './operator-context.ts';
import { newUser } from '#test/cases/sample-records.ts';

const [db, dataDir] = await Promise.all([newDatabase(), mkdtemp(join(tmpdir(), 'tallybridge-admin-'))]);
afterAll(async () => {
  await db.close();
  await rm(dataDir, { recursive: true });
});

type Variables = Readonly<Record<string, string>>;
const variables = (other: Variables) => ({
  folder: dataDir,
  DATABASE_URL: db.url,
  ADMIN_PASSWORD: 'Correct-Horse-9',
  ...other,
});
const admin = (words: readonly string[], other: Variables = {}) => runCommand(words, variables(other));
const here = (command: () => Promise<Outcome>, other: Variables = {}) => runHere(command, variables(other));

test('creates a system administrator without a client', async () => {
  expect(await admin(['admin', 'create', 'Ops@Example.com'])).toEqual({
    code: 0,
    output: 'ops@example.com is a system administrator now.\n',
  });
  const user = await db.store.findUser('ops@example.com');
  expect(user).toMatchObject({ roles: ['sysadmin'], tenantId: null, isActive: true });
  expect(await verifyPassword('Correct-Horse-9', user?.passwordHash ?? '')).toBe(true);
  expect(await here(() => createAdmin('ops@example.com'))).toEqual({
    code: 1,
    output: 'This email address is registered already.\n',
  });
});

test('removes a lost second factor, ends the sessions, logs it, and emails the user', async () => {
  const username = 'lost@example.com';
  const { id } = await db.store.addUser(newUser(username, { roles: ['sysadmin'] }));
  expect(await here(() => resetFactor(username))).toEqual({
    code: 0,
    output: `${username} had no second factor.\n`,
  });
  const now = instant(new Date());
  await db.store.beginSecondFactor(id, 'JBSWY3DPEHPK3PXP', now);
  const factor = await db.store.readSecondFactor(id);
  await db.store.confirmSecondFactor(id, factor?.version ?? '', { step: 1, recoveryHashes: ['h'], now });
  const ended = await admin(['admin', 'reset-second-factor', username]);
  expect(ended).toEqual({
    code: 0,
    output: `${username} logs in with the password alone now. Tallybridge sends an email about it.\n`,
  });
  expect(await db.store.readSecondFactor(id)).toBeNull();
  const [event] = await db.store.listDeploymentEvents(1);
  expect(event).toMatchObject({ actor: 'command line', action: 'second_factor.reset', subject: username });
  const mails = await readdir(join(dataDir, 'mail'));
  expect(await readFile(join(dataDir, 'mail', mails[0] ?? ''), 'utf8')).toContain('Your two-step login was reset');
  expect(await here(() => resetFactor('unknown@example.com'))).toEqual({
    code: 1,
    output: 'There is no user “unknown@example.com”.\n',
  });
});

test("exports a client to the operator's file and deletes it after its name was typed", async () => {
  const name = 'Fabrikam & Sons';
  const [ours, other] = [
    await db.store.addTenant({ name, status: 'pending', timeZone: 'UTC' }),
    await db.store.addTenant({ name: 'Contoso', status: 'pending', timeZone: 'UTC' }),
  ];
  const exported = await admin(['client', 'export', ours.id]);
  expect(exported.output).toMatch(
    /^All data of the client is in tallybridge-fabrikam-sons-\d{4}-\d\d-\d\d\.zip now\.\n$/,
  );
  const file = (await readdir(dataDir)).find((one) => one.endsWith('.zip')) ?? '';
  expect((await readFile(join(dataDir, file))).subarray(0, 2).toString()).toBe('PK');
  expect((await stat(join(dataDir, file))).mode & 0o777).toBe(0o600);

  expect(await here(() => deleteClient(ours.id, 'Contoso'))).toEqual({
    code: 1,
    output: 'This is not the name of the client.\n',
  });
  expect(await db.store.findTenant(ours.id)).not.toBeNull();
  const deleted = await admin(['client', 'delete', ours.id, name]);
  expect([deleted.code, deleted.output]).toEqual([0, expect.stringContaining(`${name} was deleted, `)]);
  expect(await db.store.findTenant(ours.id)).toBeNull();
  expect(await db.store.findTenant(other.id)).toEqual(other);
  const [event] = await db.store.listDeploymentEvents(1);
  expect(event).toMatchObject({ actor: 'command line', action: 'tenant.deleted', subject: ours.id });
  for (const command of [() => exportClient(ours.id), () => deleteClient('nonsense', name)])
    expect(await here(command)).toEqual({ code: 1, output: 'Client not found.\n' });
});

test.each([
  ['no address', 'Correct-Horse-9', 'is no email address'],
  ['weak@example.com', 'Password1!', 'Do not use a common password.'],
  ['silent@example.com', '', 'set ADMIN_PASSWORD'],
])('creates no administrator “%s” with the password “%s”', async (username, password, output) => {
  const ended = await here(() => createAdmin(username), { ADMIN_PASSWORD: password });
  expect(ended).toEqual({ code: 1, output: expect.stringContaining(output) });
  expect(await db.store.findUser(username)).toBeNull();
});

test('reports the usage of a command that it does not understand', async () => {
  expect(await admin(['client', 'delete', 'an id without a name'])).toMatchObject({
    code: 2,
    output: expect.stringContaining('missing required argument'),
  });
  expect(await admin([])).toMatchObject({ code: 2, output: expect.stringContaining('Usage:') });
  expect(await admin(['--help'])).toMatchObject({ code: 0, output: expect.stringMatching(/^Usage: tallybridge/) });
});

test('lists, suspends and resumes clients, and prints JSON', async () => {
  const { id } = await db.store.addTenant({ name: 'Tailspin', status: 'active', timeZone: 'UTC' });
  expect((await here(listClients)).output).toContain(`${id}  active     Tailspin\n`);
  const because = ['--reason', 'Not paid.'];
  expect(await admin(['client', 'suspend', id, ...because])).toEqual({
    code: 0,
    output: 'The subscription of Tailspin is suspended now.\n',
  });
  const json = async (words: readonly string[]) => {
    const { code, output } = await admin([...words, '--json']);
    return { code, printed: JSON.parse(output) as unknown };
  };
  expect(await json(['client', 'suspend', id, ...because])).toEqual({
    code: 1,
    printed: { success: false, message: 'The subscription of Tailspin is suspended already.' },
  });
  expect(await json(['client', 'resume', id, ...because])).toMatchObject({
    code: 0,
    printed: { success: true, data: { id, status: 'pending' } },
  });
  expect(await json(['client', 'list'])).toMatchObject({
    printed: { data: { clients: expect.arrayContaining([{ id, name: 'Tailspin', status: 'pending' }]) } },
  });
});

test('reports a lost SECRET_KEY, and the operator continues without it', async () => {
  const fresh = await newDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'tallybridge-lost-'));
  try {
    const { id } = await fresh.store.addTenant({ name: 'Wingtip', status: 'active', timeZone: 'UTC' });
    const tenant = fresh.store.forTenant(id);
    const connection = {
      service: 'psa',
      status: 'active',
      name: 'Wingtip Toys',
      user: 'api',
      externalId: '4711',
    } as const;
    await tenant.saveConnection(
      { ...connection, connectedAt: instant('2025-03-03T15:00:00Z'), problem: null },
      { userName: 'api', secret: 'a secret of the PSA' },
    );
    const username = 'wendy@wingtip.example';
    const user = { username, passwordHash: 'x', roles: ['clientadmin'], tenantId: id, isActive: true } as const;
    const { id: userId } = await fresh.store.addUser({ ...user, roles: ['clientadmin'] });
    await fresh.store.beginSecondFactor(userId, 'JBSWY3DPEHPK3PXP', instant('2025-03-03T15:00:00Z'));
    const lost = { DATABASE_URL: fresh.url, DATA_DIR: folder, SECRET_KEY: 'quite another key than the one before' };

    const refused = await admin(['client', 'export', id], lost);
    expect(refused.code).toBe(1);
    expect(refused.output).toMatch(
      /^SECRET_KEY does not decrypt the connections of 1 client and the second factor of 1 user: they were encrypted with another key \([0-9a-f]{12}\)\. Add the earlier/,
    );
    expect(refused.output).not.toContain('    at ');

    expect((await here(() => forgetLostSecrets('no'), lost)).output).toMatch(/cannot be undone/);
    expect(await admin(['admin', 'forget-lost-secrets', 'yes'], lost)).toEqual({
      code: 0,
      output: 'Connections to make again: 1 client. Logging in with the password alone: 1 user.\n',
    });
    expect((await here(() => forgetLostSecrets('yes'), lost)).output).toMatch(/^Nothing is lost/);
    expect(await tenant.listConnections()).toContainEqual(
      expect.objectContaining({
        service: 'psa',
        status: 'inactive',
        name: 'Wingtip Toys',
        externalId: null,
        problem: expect.stringContaining('Connect again'),
      }),
    );
    expect(await fresh.store.readSecondFactor(userId)).toBeNull();
  } finally {
    await fresh.close();
    await rm(folder, { recursive: true });
  }
});

test('lists answers of the services that contradict a fact, at most 200 kinds', async () => {
  expect(await here(() => listUnexpected())).toMatchObject({ code: 0, output: expect.stringContaining('No answer') });
  const answer = (name: string) =>
    ({
      service: 'accounting',
      kind: 'unknown_code',
      fact: 'Q22',
      name,
      operation: 'create Invoice',
      shape: '{ Fault: { Error: [{ code: text }] } }',
      count: 2,
    }) as const;
  const at = instant('2026-11-28T12:00:00Z');
  // Two processes save the same answers at once.
  await Promise.all([1, 2].map(() => db.store.addUnexpected([answer('code 9999'), answer('code 8888')], at)));
  expect(await db.store.listUnexpected()).toMatchObject([
    { name: 'code 8888', count: 4, firstAt: at, lastAt: at },
    { name: 'code 9999', count: 4 },
  ]);
  expect((await admin(['admin', 'unexpected-answers'])).output).toContain(
    'QuickBooks Q22 unknown_code “code 9999”, 4 times since 2026-11-28T12:00:00',
  );
  const many = Array.from({ length: maxUnexpected + 10 }, (_, index) => answer(`code ${10_000 + index}`));
  await db.store.addUnexpected(many, at);
  expect(await db.store.listUnexpected()).toHaveLength(maxUnexpected);
});
