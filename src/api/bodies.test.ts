import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { RouteDefinition } from '#contract/define.ts';
import { routeNames, routes, type RouteName } from '#contract/routes.ts';
import { newApi, people, type Answered, type TestApi } from '#test/support/api.ts';
import { asOwner } from '#test/support/database.ts';
import { bodyLimit, inspect, keysOf, publicBodyLimit } from './bodies.ts';

/**
 * Callers without a session can cause little, however the body is made: counted in looks at values, in statements of
 * the database and in calls of the PSA, never in time.
 */

let api: TestApi;
beforeAll(async () => void (api = await newApi()));
afterAll(() => api.close());
beforeEach(() =>
  asOwner(api.world.database.url, async (client) => void (await client.query('delete from sign_in_failures'))),
);

const open = routeNames.filter((name) => routes[name].roles === 'public' && routes[name].method === 'POST');
const definitionOf = (name: RouteName): RouteDefinition => routes[name];

/** Most looks at the values of a body that take place before it is refused or handed on. */
const mostSteps = 250;
/** Most statements that a public call makes, transactions included. */
const mostStatements = 60;

/** The dearest value that a schema takes: every field there, every text as long as it may be, of signs that cost most. */
function dearest(schema: z.ZodType): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return dearest(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodPipe) return dearest(schema.in as z.ZodType);
  if (schema instanceof z.ZodObject)
    return Object.fromEntries(Object.entries(schema.shape).map(([key, inner]) => [key, dearest(inner as z.ZodType)]));
  if (schema instanceof z.ZodUnion) return dearest(schema.options[0] as z.ZodType);
  if (schema instanceof z.ZodArray) return Array.from({ length: 1_000 }, () => dearest(schema.element as z.ZodType));
  if (schema instanceof z.ZodString) return text(schema);
  if (schema instanceof z.ZodNumber) return Number.MAX_SAFE_INTEGER;
  if (schema instanceof z.ZodLiteral) return [...schema.values][0];
  if (schema instanceof z.ZodEnum) return schema.options[0];
  if (schema instanceof z.ZodBoolean) return true;
  throw new Error(`no dearest value of ${schema.def.type} is known`);
}

function text(schema: z.ZodString): string {
  const longest = '\u{fb03}'.repeat(schema.maxLength ?? 0);
  if (schema.maxLength === null) throw new Error('a text of a public call has no longest length');
  return [longest, 'Europe/Berlin', 'a@b.example'].find((one) => schema.safeParse(one).success) ?? longest;
}

/** Counts each look at a key or value of an object, however deep. */
function counted(value: unknown, count: { steps: number }): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const look = <T>(of: T): T => {
    count.steps += 1;
    return of;
  };
  return new Proxy(value, {
    get: (target, key) => look(counted(Reflect.get(target, key) as unknown, count)),
    has: (target, key) => look(Reflect.has(target, key)),
    getOwnPropertyDescriptor: (target, key) => look(Reflect.getOwnPropertyDescriptor(target, key)),
  });
}

const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}1${']'.repeat(levels)}`);
const hostile: Readonly<Record<string, unknown>> = {
  'many unknown keys': Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`k${index}`, 0])),
  'many levels': { username: nested(5_000) },
  'many levels at once': nested(5_000),
  'a long list': { username: Array.from({ length: 8_000 }, () => 0) },
  'a list': Array.from({ length: 8_000 }, () => 0),
};

/** Looks that a body costs in what every call makes of it first. */
function stepsOf(name: RouteName, body: unknown): { readonly steps: number; readonly isRefused: boolean } {
  const { body: schema } = definitionOf(name);
  const count = { steps: 0 };
  const countedBody = counted(body, count);
  try {
    inspect(countedBody, keysOf(schema));
  } catch {
    return { steps: count.steps, isRefused: true };
  }
  return { steps: count.steps, isRefused: schema?.safeParse(countedBody).success !== true };
}

const jsonCalls = open.filter((name) => name !== 'booksWebhook');

describe('before anything else is done', () => {
  test.each(jsonCalls)('%s looks little at the dearest body that it takes', (name) => {
    const body = dearest(definitionOf(name).body ?? z.strictObject({}));
    const { steps, isRefused } = stepsOf(name, body);
    expect([isRefused, steps <= mostSteps], `${steps} steps`).toEqual([false, true]);
    expect(JSON.stringify(body).length).toBeLessThanOrEqual(publicBodyLimit);
  });

  test.each(Object.entries(hostile))('every public call looks little at %s', (what, body) => {
    for (const name of jsonCalls) {
      const { steps, isRefused } = stepsOf(name, body);
      // A list is looked at once in whole, which 16 kB bound; an object only as far as its first unknown key.
      const most = what.includes('list') ? publicBodyLimit * 2 : mostSteps;
      expect([name, isRefused, steps <= most], `${steps} steps`).toEqual([name, true, true]);
    }
  });
});

describe('over HTTP', () => {
  const send = (name: RouteName, body: string, headers: Readonly<Record<string, string>> = {}): Promise<Answered> =>
    api.call('POST', definitionOf(name).path, {
      body,
      headers: {
        'sec-fetch-site': 'same-origin',
        ...(definitionOf(name).speaks === 'browser' ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
        ...headers,
      },
    });
  const written = (name: RouteName, body: unknown): string =>
    definitionOf(name).speaks === 'browser'
      ? new URLSearchParams(body as Record<string, string>).toString()
      : JSON.stringify(body);

  test.each(open)('%s takes no body over its bound', async (name) => {
    const most = definitionOf(name).bodyBytes ?? publicBodyLimit;
    const headers = { 'intuit-signature': `${'a'.repeat(43)}=` };
    expect((await send(name, 'x'.repeat(most + 1), headers)).status).toBe(413);
    expect(most).toBeLessThanOrEqual(name === 'booksWebhook' ? bodyLimit : publicBodyLimit);
  });

  test.each(jsonCalls)(
    '%s makes a bounded number of statements and no call twice, whatever it is given',
    async (name) => {
      const statements = vi.spyOn(Client.prototype, 'query');
      const before = (await api.world.autotask.journal()).length;
      await send(name, written(name, dearest(definitionOf(name).body ?? z.strictObject({}))));
      const made = statements.mock.calls.length;
      statements.mockRestore();
      expect(made).toBeLessThanOrEqual(mostStatements);
      expect((await api.world.autotask.journal()).length - before).toBeLessThanOrEqual(4);
    },
  );

  test('what no call takes is refused with its reason and never a defect, without a session and with one', async () => {
    const token = await api.signIn(people.admin);
    const refused = async (path: string, body: string, headers = {}) => {
      const answer = await api.call('POST', path, { body, headers });
      return [answer.status, answer.body?.['error']];
    };
    const deep = `{"username":${'['.repeat(5_000)}${']'.repeat(5_000)}}`;
    expect(await refused('/auth/login', deep)).toEqual([400, 'validation_failed']);
    const bearer = { authorization: `Bearer ${token}` };
    const deeper = `{"inv_max_age_days":${'['.repeat(400_000)}${']'.repeat(400_000)}}`;
    expect(await refused('/api/my/settings/', deeper, bearer)).toEqual([400, 'validation_failed']);
    const many = JSON.stringify({ invoice_ids: Array.from({ length: 30_000 }, (_, index) => index + 1) });
    expect(await refused('/api/my/invoices/sync/submit', many, bearer)).toEqual([400, 'validation_failed']);
  });

  test('an unknown key is named, the first one alone', async () => {
    const { status, body } = await send('login', JSON.stringify({ username: 'a', unheard: 1, another: 2 }));
    expect([status, body]).toEqual([
      400,
      {
        success: false,
        error: 'validation_failed',
        message: 'There is no field “unheard”.',
        errors: [{ key: 'unheard', error: 'There is no field “unheard”.' }],
      },
    ]);
  });

  test('a form with very many fields is not taken apart', async () => {
    const fields = 'a=1&'.repeat(3_000);
    expect((await send('connectPsaForm', fields)).status).toBe(400);
  });

  describe('a message to the webhook', () => {
    const body = JSON.stringify(
      Array.from({ length: 20_000 }, (_, index) => ({ type: 'qbo.invoice.created.v1', n: index })),
    );

    test('without a signature is refused before its body is read', async () => {
      const parse = vi.spyOn(JSON, 'parse');
      const verify = vi.spyOn(api.world.app.webhooks, 'read');
      for (const headers of [{}, { 'intuit-signature': 'short' }, { 'intuit-signature': 'a'.repeat(8_000) }])
        expect((await send('booksWebhook', body, headers)).status).toBe(401);
      expect(verify).not.toHaveBeenCalled();
      expect(parse.mock.calls.filter(([text]) => text === body)).toEqual([]);
      verify.mockRestore();
      parse.mockRestore();
    });

    test('with a wrong one is hashed once and neither parsed nor walked through', async () => {
      const parse = vi.spyOn(JSON, 'parse');
      const entries = vi.spyOn(Object, 'entries');
      const signature = createHmac('sha256', 'not the verifier').update(body).digest('base64');
      expect((await send('booksWebhook', body, { 'intuit-signature': signature })).status).toBe(401);
      expect(parse.mock.calls.filter(([text]) => text === body)).toEqual([]);
      expect(entries.mock.calls.filter(([value]) => (value as unknown) instanceof Uint8Array)).toEqual([]);
      entries.mockRestore();
      parse.mockRestore();
    });

    test('over 16 kB is read two at a time; a third is told to come again, a small one is not', async () => {
      const signature = createHmac('sha256', 'not the verifier').update(body).digest('base64');
      const headers = { 'intuit-signature': signature };
      /** Announces a large body, sends a part of it and goes on only when told. */
      const begin = async (length: string) => {
        const { hostname, port } = new URL(api.url);
        const socket = connect(Number(port), hostname);
        await once(socket, 'connect');
        const head = `POST /webhooks/qbo HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\nintuit-signature: ${signature}\r\n`;
        socket.write(`${head}${length}\r\n\r\n`);
        return socket;
      };
      const first = await begin(`content-length: ${body.length}`);
      const second = await begin('transfer-encoding: chunked');
      await expect.poll(async () => (await send('booksWebhook', body, headers)).status).toBe(429);
      const small = JSON.stringify([{ type: 'qbo.invoice.created.v1' }]);
      expect((await send('booksWebhook', small, headers)).status).toBe(401);
      first.destroy();
      second.destroy();
      await expect.poll(async () => (await send('booksWebhook', body, headers)).status).toBe(401);
    });

    test('that is right costs a few statements, however many changes it tells of', async () => {
      const { tenantId } = api.world.tenant;
      const connections = await api.world.app.forTenant(tenantId).store.listConnections();
      const realmId = connections.find(({ service }) => service === 'accounting')?.externalId;
      const credentials = await fetch(`${api.world.quickbooks.url}/__sandbox/credentials`);
      const { webhookVerifier } = (await credentials.json()) as { webhookVerifier: string };
      const events = Array.from({ length: 3_500 }, (_, index) => ({
        specversion: '1.0',
        id: randomUUID(),
        source: 'intuit.0123456789abcdef0123456789abcdef',
        type: 'qbo.invoice.updated.v1',
        datacontenttype: 'application/json',
        time: '2025-03-03T18:00:00Z',
        intuitentityid: String(100_000 + index),
        intuitaccountid: realmId,
        data: {},
      }));
      const message = JSON.stringify(events);
      expect(message.length).toBeLessThanOrEqual(definitionOf('booksWebhook').bodyBytes ?? 0);
      const signature = createHmac('sha256', webhookVerifier).update(message).digest('base64');
      const statements = vi.spyOn(Client.prototype, 'query');
      const parse = vi.spyOn(JSON, 'parse');
      expect((await send('booksWebhook', message, { 'intuit-signature': signature })).status).toBe(200);
      const [made, parsed] = [statements.mock.calls.length, parse.mock.calls.filter(([text]) => text === message)];
      statements.mockRestore();
      parse.mockRestore();
      expect([made <= 12, parsed.length], `${made} statements`).toEqual([true, 1]);
      expect(await api.world.app.forTenant(tenantId).store.listInbox(['invoice'], 5_000)).toHaveLength(3_500);
    });
  });
});
