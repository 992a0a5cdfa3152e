import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { JsonObject } from '#core/values/json.ts';
import { signIn } from '#test/support/api-client.ts';
import { asOwner, newDatabase, type TestDatabase } from '#test/support/database.ts';
import { newProcessFixture, type ProcessFixture, type ProductProcess } from '#test/support/process-fixture.ts';

/**
 * Secret canaries (reliability reference 2.3, rows 20 and 21). The product runs through logins, resets, registration,
 * connections, syncs, failures and lost tokens. Afterwards no secret may be readable anywhere else.
 */

const admin = 'admin@northwind-msp.example';
const rootSecret = 'canary-root-secret-0123456789-abcdefghijklmnop';
const wrongPassword = 'Canary-Wrong-Passw0rd-1';
const newPassword = 'Canary-New-Passw0rd-2!';
const wrongApiSecret = 'canary-wrong-api-secret-3';

let fixture: ProcessFixture;
let database: TestDatabase;
let product: ProductProcess;
/** Secrets and their descriptions. */
const webhookSecret = 'canary-webhook-B0-secret-7';
const secrets = new Map<string, string>([
  ['a webhook address', webhookSecret],
  ['the root secret', rootSecret],
  ['a wrong password', wrongPassword],
  ['the first password', 'Demo-Passw0rd!'],
  ['the new password', newPassword],
  ['a wrong API secret', wrongApiSecret],
]);
/** All responses except those that return a secret by design. */
const answers: string[] = [];

beforeAll(async () => {
  [fixture, database] = await Promise.all([newProcessFixture(), newDatabase({ isMigrated: false })]);
  product = await fixture.start({ DATABASE_URL: database.url, SECRET_KEY: rootSecret, LOG_LEVEL: 'debug' });
  await live();
  await collectSecretsOfServices();
}, 240_000);
afterAll(async () => {
  await fixture.close();
  await database.close();
});

async function say(
  method: string,
  path: string,
  body?: JsonObject,
  token?: string,
  isRecorded = true,
): Promise<JsonObject> {
  const answer = await fetch(`${product.url}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (isRecorded) answers.push(`${text} ${answer.headers.get('location') ?? ''}`);
  return answer.headers.get('content-type')?.startsWith('application/json') === true
    ? (JSON.parse(text) as JsonObject)
    : {};
}

const dataOf = (answer: JsonObject): JsonObject => (answer['data'] ?? {}) as JsonObject;

async function logIn(password: string): Promise<string> {
  const isRight = password !== wrongPassword;
  const token = dataOf(await say('POST', '/auth/login', { username: admin, password }, undefined, !isRight))['token'];
  if (typeof token === 'string') secrets.set(`session token ${secrets.size}`, token);
  return String(token);
}

/** Returns the newest email that matches, waiting for it. */
async function linkInMail(pattern: RegExp): Promise<string> {
  const folder = join(fixture.dataDir, 'mail');
  return vi.waitUntil(
    async () => {
      const names = await readdir(folder).catch(() => []);
      // Other files are still being written.
      const whole = names.filter((name) => name.endsWith('.eml'));
      const texts = await Promise.all(whole.map((name) => readFile(join(folder, name), 'utf8')));
      return texts.map((text) => pattern.exec(text)?.[1]).find((one) => one !== undefined);
    },
    { timeout: 60_000, interval: 50 },
  );
}

async function live(): Promise<void> {
  await logIn(wrongPassword);
  let token = await logIn('Demo-Passw0rd!');
  await say('POST', '/auth/forgot-password', { email: admin });
  const resetToken = await linkInMail(/\/password\/([\w-]{20,})/);
  secrets.set('the reset token', resetToken);
  await say('POST', '/auth/reset-password', { token: resetToken, password: 'password' });
  await say('POST', '/auth/reset-password', { token: resetToken, password: newPassword });
  token = await logIn(newPassword);

  const ticket = dataOf(await say('POST', '/auth/connect-ticket', { service: 'autotask' }, token, false))['ticket'];
  secrets.set('a connect ticket', String(ticket));
  await say('GET', `/connect/autotask?token=${String(ticket)}`);
  await say('GET', `/connect/qbo?token=${token}`);
  const registration = { api_user: 'registering@nowhere.example', api_secret: wrongApiSecret };
  const person = { first_name: 'A', last_name: 'B', email: 'a@nowhere.example' };
  await say('POST', '/register/validate-autotask-access', registration);
  await say('POST', '/register/complete-registration', {
    ...registration,
    ...person,
    company: { id: 1, companyName: 'x' },
    password: newPassword,
  });
  await say('POST', '/auth/login', { username: admin, password: newPassword, unheard: newPassword });
  await say('POST', `/auth/login?password=${encodeURIComponent(newPassword)}`, {});

  const client = await signIn(product.url, admin, newPassword);
  await client.connectQuickBooks();
  await say('POST', '/api/my/settings/', { inv_default_income_account: '2' }, token);
  const sync = async (mode: string, ids: number[]) => {
    const submitted = await say('POST', '/api/my/invoices/sync/submit', { mode, invoice_ids: ids }, token);
    const { id } = dataOf(submitted)['job'] as JsonObject;
    await vi.waitUntil(
      async () => {
        const job = dataOf(await say('GET', `/api/my/jobs/${String(id)}`, undefined, token))['job'] as JsonObject;
        return /finished|failed|cancelled/.test(String(job['status']));
      },
      { timeout: 120_000, interval: 50 },
    );
  };
  await sync('test', [48_213]);
  await fetch(`${fixture.quickbooks.url}/__sandbox/expire-tokens`, { method: 'POST' });
  await fixture.quickbooks.fault({
    match: { method: 'POST', path: 'v3' },
    times: 2,
    action: { status: 500, body: 'oops' },
  });
  await fixture.autotask.fault({ match: { path: 'Invoices' }, times: 1, action: { truncate: 20 } });
  await sync('live', [48_213, 48_302]);
  await fixture.quickbooks.clearFaults();
  await fixture.autotask.clearFaults();
  const webhook = { kind: 'slack', name: 'Finance', groups: ['connection_lost'] };
  const refused = { ...webhook, address: `https://10.0.0.1/${webhookSecret}` };
  await say('POST', '/api/my/webhooks', refused, token);
  const address = `${fixture.quickbooks.url}/webhooks/slack/${webhookSecret}`;
  const { id } = dataOf(await say('POST', '/api/my/webhooks', { ...webhook, address }, token));
  for (const chat_webhooks of ['gone', 'accept']) {
    await fixture.quickbooks.behave({ chat_webhooks });
    await say('POST', `/api/my/webhooks/${String(id)}/test`, {}, token);
  }
  const endpoint = {
    address: `${fixture.quickbooks.url}/webhooks/events?key=${webhookSecret}`,
    events: ['document.posted'],
  };
  const added = dataOf(await say('POST', '/api/my/webhook-endpoints', endpoint, token, false));
  secrets.set('a webhook signing secret', String(added['secret']).slice('whsec_'.length));
  const endpointId = String((added['endpoint'] as JsonObject)['id']);
  await fixture.quickbooks.behave({ event_webhooks: 'fail' });
  await say('POST', `/api/my/webhook-endpoints/${endpointId}/test`, {}, token);
  await vi.waitUntil(
    async () => {
      const log = await say('GET', `/api/my/webhook-endpoints/${endpointId}/deliveries`, undefined, token);
      return JSON.stringify(log).includes('"status":500');
    },
    { timeout: 60_000, interval: 50 },
  );
  for (const path of [
    '/api/my/webhooks',
    '/api/my/webhook-endpoints',
    '/api/my',
    '/api/my/qbo?refresh=true',
    '/api/my/logs',
    '/api/my/audit',
    '/api/my/xrefs',
    '/api/my/jobs',
    '/api/my/users',
    '/api/my/sessions',
    '/api/my/settings',
    '/metrics',
    '/api/openapi.json',
    '/api/environment',
  ])
    await say('GET', path, undefined, token);
  const { logs } = dataOf(await say('GET', '/api/my/logs', undefined, token));
  for (const log of (logs ?? []) as unknown as readonly JsonObject[])
    await say('GET', `/api/my/logs?key=${encodeURIComponent(String(log['Key']))}`, undefined, token);
  await fetch(`${fixture.quickbooks.url}/__sandbox/revoke`, { method: 'POST' });
  await say('GET', '/api/my/qbo?refresh=true', undefined, token);
  await say('PUT', '/api/my/connections/qbo/test', undefined, token);
  await say('PUT', '/api/my/connections/autotask/test', undefined, token);
  await say('POST', '/auth/logout', undefined, token);
}

/** Collects the secrets of the API user and the application, and all tokens and codes that the services issued. */
async function collectSecretsOfServices(): Promise<void> {
  const credentials = async (url: string) =>
    (await (await fetch(`${url}/__sandbox/credentials`)).json()) as {
      users?: readonly { userName: string; secret: string }[];
      clientSecret?: string;
    };
  const psa = await credentials(fixture.autotask.url);
  secrets.set('the API secret', psa.users?.[0]?.secret ?? '');
  secrets.set('the client secret', (await credentials(fixture.quickbooks.url)).clientSecret ?? '');
  const journal = (await fixture.quickbooks.journal()) as readonly unknown[] as readonly {
    response_body: string;
    request_body?: string;
  }[];
  for (const { response_body: answered, request_body: asked = '' } of journal) {
    for (const [, name = '', value = ''] of answered.matchAll(/"(access_token|refresh_token)":"([^"]+)"/g))
      secrets.set(`${name} ${secrets.size}`, value);
    const form = new URLSearchParams(asked);
    for (const name of ['code', 'code_verifier']) {
      const value = form.get(name);
      if (value !== null && value.length > 16) secrets.set(`${name} ${secrets.size}`, value);
    }
  }
}

/** A secret and its usual encodings. */
const encodingsOf = (secret: string): readonly string[] => [
  secret,
  encodeURIComponent(secret),
  Buffer.from(secret).toString('hex'),
  Buffer.from(secret).toString('base64').replace(/=+$/, '').slice(0, -1),
  Buffer.from(secret).toString('base64url').slice(0, -1),
];

const foundIn = (text: string, except: RegExp = /^$/): readonly string[] =>
  [...secrets].flatMap(([description, secret]) =>
    !except.test(description) && encodingsOf(secret).some((look) => text.includes(look)) ? [description] : [],
  );

test('collects secrets of every kind', () => {
  const kinds = [...secrets].map(
    ([description, secret]) => `${description.replace(/ \d+$/, '')}${secret.length < 10 ? ' (missing)' : ''}`,
  );
  expect([...new Set(kinds)].sort()).toEqual([
    'a connect ticket',
    'a webhook address',
    'a webhook signing secret',
    'a wrong API secret',
    'a wrong password',
    'access_token',
    'code',
    'code_verifier',
    'refresh_token',
    'session token',
    'the API secret',
    'the client secret',
    'the first password',
    'the new password',
    'the reset token',
    'the root secret',
  ]);
  expect(answers.length).toBeGreaterThan(30);
  expect(product.output()).toContain('/auth/login');
});

test('no secret is in the output at the most verbose log level', () => {
  // The demo prints its users' first password by design.
  const lines = product
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  expect(lines.length).toBeGreaterThan(50);
  expect(foundIn(lines.join('\n'))).toEqual([]);
  expect(foundIn(product.output(), /^the first password$/)).toEqual([]);
});

test('no secret is in any column of the database', async () => {
  const rows = await asOwner(database.url, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.relkind in ('r', 'p') and n.nspname not in ('pg_catalog', 'information_schema')`,
    );
    const found: [string, string][] = [];
    for (const { name } of tables) {
      const { rows: content } = await client.query<{ row: string }>(`select t::text as row from ${name} t`);
      found.push([name, content.map(({ row }) => row).join('\n')]);
    }
    return found;
  });
  expect(rows.filter(([, content]) => content !== '').length).toBeGreaterThan(15);
  for (const [table, content] of rows) expect([table, foundIn(content)]).toEqual([table, []]);
});

test('no response or metric contains an unrequested secret', () => {
  for (const answer of answers) {
    // The demo's login page shows the first password by design.
    const except = answer.includes('"demo_users"') ? /^the first password$/ : /^$/;
    expect([answer.slice(0, 200), foundIn(answer, except)]).toEqual([answer.slice(0, 200), []]);
  }
});

test('emails contain only their own link, and other files no secret', async () => {
  const names = await readdir(fixture.dataDir, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile() && !entry.parentPath.includes('postgres'));
  expect(files.some((file) => file.parentPath.endsWith('mail'))).toBe(true);
  for (const file of files) {
    const text = await readFile(join(file.parentPath, file.name), 'utf8');
    const except = file.parentPath.endsWith('mail') ? /^the reset token$/ : /^$/;
    expect([file.name, foundIn(text, except)]).toEqual([file.name, []]);
  }
});
