import { afterAll, beforeAll, expect, test } from 'vitest';
import { signIn } from '../support/api-client.ts';
import { newDatabase } from '../support/database.ts';
import { deployment } from '../support/deployment.ts';
import { newProcessFixture, type ProcessFixture } from '../support/process-fixture.ts';

const admin = 'admin@northwind-msp.example';
const known = 'Demo-Passw0rd!';
let fixture: ProcessFixture;
beforeAll(async () => {
  fixture = await newProcessFixture();
});
afterAll(() => fixture.close());

const get = (url: string, path: string) => fetch(new URL(path, url)).then(({ status }) => status);
const logIn = (url: string, password: string) => signIn(url, admin, password);

test('a deployment, an exposed demo and a local one on the same database each let in only their users', async () => {
  const environment = await deployment(fixture);
  const secret = { SECRET_KEY: environment['SECRET_KEY'] ?? '' };
  const open = await fixture.start(secret);
  await logIn(open.url, known);
  expect(await get(open.url, '/demo/mails')).toBe(200);
  expect(await get(open.url, '/metrics')).toBe(200);
  const login = await fetch(new URL('/auth/login', open.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'sysadmin@tallybridge.example', password: known }),
  });
  const { data } = (await login.json()) as { data: { token: string } };
  await open.stop();

  const real = await fixture.start(environment);
  expect(real.output()).toContain(
    `The users of an earlier demo were disabled, because their password is public: ${admin}, sysadmin@tallybridge.example.`,
  );
  for (const username of [admin, 'sysadmin@tallybridge.example'])
    await expect(signIn(real.url, username, known)).rejects.toThrow('POST /auth/login');
  const clients = await fetch(new URL('/api/clients', real.url), {
    headers: { authorization: `Bearer ${data.token}` },
  });
  expect(clients.status, 'a session of the demo').toBe(401);
  await real.stop();

  // A demo that other machines can reach has generated passwords and no open pages.
  const exposed = await fixture.start({ ...secret, HOST: '0.0.0.0' });
  const password = new RegExp(`${admin.replaceAll('.', '\\.')} +(\\S+)`).exec(exposed.output())?.[1] ?? '';
  expect(exposed.output()).not.toContain(known);
  await expect(logIn(exposed.url, known)).rejects.toThrow('POST /auth/login');
  await logIn(exposed.url, password);
  expect(await get(exposed.url, '/demo/mails')).toBe(404);
  expect(await get(exposed.url, '/metrics')).toBe(401);
  const shown = await (await fetch(new URL('/api/environment', exposed.url))).text();
  expect(shown).not.toContain(known);
  expect(shown).not.toContain(password);
  await exposed.stop();

  const again = await fixture.start({ ...secret, HOST: '0.0.0.0' });
  await logIn(again.url, password);
  await again.stop();

  const local = await fixture.start(secret);
  await logIn(local.url, known);
  await expect(logIn(local.url, password)).rejects.toThrow('POST /auth/login');
  await local.stop();
}, 180_000);

test('a demo refuses the database of a deployment', async () => {
  const database = await newDatabase();
  const { url, store } = database;
  await store.addTenant({ name: 'Real Client', status: 'active', timeZone: 'UTC' });
  const start = fixture.start({ DATABASE_URL: url });
  await expect(start).rejects.toThrow(
    'This database holds 1 client of a deployment, so the demo does not start on it. Unset DATABASE_URL for a separate demo, or set the variables of the deployment and DEMO=false.',
  );
  expect(await store.findUser(admin)).toBeNull();
  await database.close();
});
