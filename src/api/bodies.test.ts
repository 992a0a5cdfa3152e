import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Client } from 'pg';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { RouteDefinition } from '#contract/define.ts';
import { routeNames, routes, type RouteName } from '#contract/routes.ts';
import { sentenceOf, useSentences } from '#contract/sentences.ts';
import { largestValue } from '#test/support/largest-value.ts';
import { newApi, people, type Answered } from '#test/support/api.ts';
import { asOwner } from '#test/support/database.ts';
import { bodyLimit, bodyLimitOf, inspect, keysOf, publicBodyLimit, refuseHostileJson } from './bodies.ts';

/**
 * Callers without a session can cause little work with any body. The tests count reads of values, database
 * statements, and PSA calls instead of measuring time.
 */

const api = await newApi();
afterAll(() => api.close());
beforeEach(() =>
  asOwner(api.world.database.url, async (client) => void (await client.query('delete from sign_in_failures'))),
);

const open = routeNames.filter((name) => routes[name].roles === 'public' && routes[name].method === 'POST');
const definitionOf = (name: RouteName): RouteDefinition => routes[name];

/** Maximum reads of a body's values before it is rejected or passed on. */
const maxSteps = 250;
/** Maximum database statements of a public call, including transactions. */
const maxStatements = 60;

/** Counts each read of a key or value of an object, at any depth. */
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

/** Returns the number of reads in the checks that every call runs first. */
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

const jsonCalls = open.filter((name) => name !== 'accountingNotification');

describe('limits of bodies', () => {
  test('follow from the schema: 2 kB for most calls, at most 64 kB unless a route declares more', () => {
    const limits = Object.fromEntries(routeNames.map((name) => [name, bodyLimitOf(definitionOf(name))]));
    const declared = routeNames.filter((name) => definitionOf(name).bodyBytes !== undefined);
    expect(declared.sort()).toEqual([
      'accountingNotification',
      'saveMappings',
      'submitDifferences',
      'submitExpenseReports',
      'submitInvoices',
      'submitPayments',
      'submitPurchaseOrders',
      'submitVoids',
    ]);
    for (const name of routeNames.filter((one) => !declared.includes(one)))
      expect(limits[name], name).toBeLessThanOrEqual(definitionOf(name).roles === 'public' ? publicBodyLimit : 65_536);
    expect(Object.values(limits).filter((bytes) => bytes === 2_048).length).toBeGreaterThan(routeNames.length * 0.7);
    expect(limits['changePassword']).toBeLessThanOrEqual(8_192);
    expect(limits['submitInvoices']).toBeGreaterThan(16_000);
  });

  test.each([
    ['levels', '['.repeat(400_000)],
    ['levels of objects', '{"a":'.repeat(200_000)],
    ['levels after a text with brackets', `["[[[[[[[[[[[[[[[[[[[[\\"[[",${'['.repeat(20)}`],
    ['values', `[${'1,'.repeat(300_000)}1]`],
  ])('rejects too many %s before parsing', (_what, text) => {
    expect(() => refuseHostileJson(text)).toThrow(/^The request was not understood: it has more than/);
  });

  test.each([
    ['[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]'],
    [JSON.stringify({ text: '['.repeat(1_000), quote: '"[[[[[[[[[[[[[[[[[[[["', backslash: '\\\\' })],
    [JSON.stringify(Array.from({ length: 19_000 }, () => 'a,b,c'))],
  ])('accepts an ordinary text', (text) => expect(() => refuseHostileJson(text)).not.toThrow());
});

describe('early checks', () => {
  test.each(jsonCalls)('of %s read little of the most expensive valid body', (name) => {
    const body = largestValue(definitionOf(name).body ?? z.strictObject({}));
    const { steps, isRefused } = stepsOf(name, body);
    expect([isRefused, steps <= maxSteps], `${steps} steps`).toEqual([false, true]);
    expect(JSON.stringify(body).length).toBeLessThanOrEqual(publicBodyLimit);
  });

  test.each(Object.entries(hostile))('of every public call read little of %s', (what, body) => {
    for (const name of jsonCalls) {
      const { steps, isRefused } = stepsOf(name, body);
      // A list is read once as a whole, which the 16 kB limit bounds; an object only up to its first unknown key.
      const max = what.includes('list') ? publicBodyLimit * 2 : maxSteps;
      expect([name, isRefused, steps <= max], `${steps} steps`).toEqual([name, true, true]);
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

  test.each(open)('%s rejects a body over its limit', async (name) => {
    const max = bodyLimitOf(definitionOf(name));
    const headers = { 'intuit-signature': `${'a'.repeat(43)}=` };
    expect((await send(name, 'x'.repeat(max + 1), headers)).status).toBe(413);
    expect(max).toBeLessThanOrEqual(name === 'accountingNotification' ? bodyLimit : publicBodyLimit);
  });

  test.each(jsonCalls)('%s runs a limited number of statements and repeats no call, for any body', async (name) => {
    const statements = vi.spyOn(Client.prototype, 'query');
    const before = (await api.world.autotask.journal()).length;
    await send(name, written(name, largestValue(definitionOf(name).body ?? z.strictObject({}))));
    const made = statements.mock.calls.length;
    statements.mockRestore();
    expect(made).toBeLessThanOrEqual(maxStatements);
    expect((await api.world.autotask.journal()).length - before).toBeLessThanOrEqual(4);
  });

  test('rejects invalid bodies with a reason and never with a server error, with and without a session', async () => {
    const token = await api.signIn(people.admin);
    const refused = async (path: string, body: string, headers = {}) => {
      const answer = await api.call('POST', path, { body, headers });
      return [answer.status, answer.body?.['error']];
    };
    const deep = (levels: number) => `{"username":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    expect(await refused('/auth/login', deep(500))).toEqual([400, 'validation_failed']);
    expect(await refused('/auth/login', deep(50_000))).toEqual([413, 'payload_too_large']);
    const bearer = { authorization: `Bearer ${token}` };
    expect(await refused('/auth/change-password', deep(500_000), bearer)).toEqual([413, 'payload_too_large']);
    expect(await refused('/api/my/xrefs/Customer/multiple', deep(400_000), bearer)).toEqual([400, 'validation_failed']);
    const many = JSON.stringify({ xrefs: Array.from({ length: 30_000 }, (_, index) => index + 1) });
    expect(await refused('/api/my/xrefs/Customer/multiple', many, bearer)).toEqual([400, 'validation_failed']);
  });

  const lists = Array.from({ length: 500 }, () => []);
  test.each([
    [
      '/api/my/invoices/sync/submit',
      { invoice_ids: [...Array.from({ length: 900 }, (_, n) => n + 1), ...Array<string>(99).fill('x')] },
      'invoice_ids.900',
      'Entry 901 of the list of invoices must be a number.',
    ],
    [
      '/api/my/autotask/Companies/query',
      { query: { filter: Array.from({ length: 25 }, () => ({ field: 'id', op: 'in', value: lists })) } },
      'query.filter.0.value',
      'Value of entry 1 is not valid.',
    ],
    [
      '/api/my/xrefs/Customer/multiple',
      { xrefs: Array.from({ length: 1_000 }, () => ({})) },
      'xrefs.0.source_entity',
      'Source entity of entry 1 is missing.',
    ],
    [
      '/api/my/drafts/approve',
      { draft_ids: Array.from({ length: 900 }, () => null) },
      'draft_ids.0',
      'Entry 1 of draft ids must be a text.',
    ],
  ])('reports only the first error of a long list in %s', async (path, body, key, error) => {
    const token = await api.signIn(people.admin);
    let messages = 0;
    z.config({ customError: (issue) => ((messages += 1), sentenceOf(issue)) });
    const answer = await api.call('POST', path, { body, token });
    useSentences();
    expect([answer.status, answer.body?.['errors'], answer.body?.['message']]).toEqual([400, [{ key, error }], error]);
    expect(messages).toBeLessThan(4_000);
  });

  test('names only the first unknown key', async () => {
    const { status, body } = await send('login', JSON.stringify({ username: 'a', unknown: 1, another: 2 }));
    expect([status, body]).toEqual([
      400,
      {
        success: false,
        error: 'validation_failed',
        message: 'There is no field “unknown”.',
        errors: [{ key: 'unknown', error: 'There is no field “unknown”.' }],
      },
    ]);
  });

  test('does not decode cookies', async () => {
    const decode = vi.spyOn(globalThis, 'decodeURIComponent');
    const cookie = 'a=%;'.repeat(3_000);
    expect((await api.call('GET', '/healthz', { headers: { cookie } })).status).toBe(200);
    const decoded = decode.mock.calls.length;
    decode.mockRestore();
    expect(decoded).toBe(0);
  });

  test('does not parse a form with very many fields', async () => {
    const fields = 'a=1&'.repeat(400);
    expect((await send('connectPsaForm', fields)).status).toBe(400);
  });

  describe('a webhook', () => {
    const body = JSON.stringify(
      Array.from({ length: 20_000 }, (_, index) => ({ type: 'qbo.invoice.created.v1', n: index })),
    );

    test('without a signature is rejected before its body is read', async () => {
      const parse = vi.spyOn(JSON, 'parse');
      const verify = vi.spyOn(api.world.app.notifications, 'receive');
      for (const headers of [{}, { 'intuit-signature': 'short' }, { 'intuit-signature': 'a'.repeat(8_000) }])
        expect((await send('accountingNotification', body, headers)).status).toBe(401);
      expect(verify).not.toHaveBeenCalled();
      expect(parse.mock.calls.filter(([text]) => text === body)).toEqual([]);
      verify.mockRestore();
      parse.mockRestore();
    });

    test('with a wrong signature is hashed once and not parsed', async () => {
      const parse = vi.spyOn(JSON, 'parse');
      const entries = vi.spyOn(Object, 'entries');
      const signature = createHmac('sha256', 'not the verifier').update(body).digest('base64');
      expect((await send('accountingNotification', body, { 'intuit-signature': signature })).status).toBe(401);
      expect(parse.mock.calls.filter(([text]) => text === body)).toEqual([]);
      expect(entries.mock.calls.filter(([value]) => (value as unknown) instanceof Uint8Array)).toEqual([]);
      entries.mockRestore();
      parse.mockRestore();
    });

    const signature = createHmac('sha256', 'not the verifier').update(body).digest('base64');
    const headers = { 'intuit-signature': signature };
    /** Announces a large body, sends only the headers, and waits. */
    const begin = async (url: string, length: string, from = '203.0.113.7') => {
      const { hostname, port } = new URL(url);
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      const head = `POST /webhooks/qbo HTTP/1.1\r\nhost: a\r\nx-forwarded-for: ${from}\r\ncontent-type: application/json\r\nintuit-signature: ${signature}\r\n`;
      socket.write(`${head}${length}\r\n\r\n`);
      return socket;
    };

    test('over 16 kB is received two at a time per address; others do not wait', async () => {
      const behindProxy = await newApi({ server: { trustProxy: 1 } });
      const answerTo = async (from: string, text = body) =>
        (
          await behindProxy.call('POST', '/webhooks/qbo', {
            body: text,
            headers: { ...headers, 'x-forwarded-for': from },
          })
        ).status;
      const first = await begin(behindProxy.url, `content-length: ${body.length}`);
      const second = await begin(behindProxy.url, 'transfer-encoding: chunked');
      await expect.poll(() => answerTo('203.0.113.7')).toBe(429);
      expect(await answerTo('203.0.113.7', JSON.stringify([{ type: 'qbo.invoice.created.v1' }]))).toBe(401);
      expect(await answerTo('203.0.113.8'), 'another address').toBe(401);
      const networks = await Promise.all(
        ['2001:db8:1:2::1', '2001:db8:1:2::2'].map((from) =>
          begin(behindProxy.url, 'transfer-encoding: chunked', from),
        ),
      );
      // The same network.
      await expect.poll(() => answerTo('2001:db8:1:2:ffff::3')).toBe(429);
      for (const socket of [first, second, ...networks]) socket.destroy();
      await expect.poll(() => answerTo('203.0.113.7')).toBe(401);
      await behindProxy.close();
    });

    test('that does not arrive in time is disconnected', async () => {
      const impatient = await newApi({ server: { notificationWithinMs: 50 } });
      const socket = await begin(impatient.url, `content-length: ${body.length}`);
      let answer = '';
      socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
      await expect.poll(() => answer.includes('408') || socket.destroyed).toBe(true);
      socket.destroy();
      await impatient.close();
    });

    test('waits for other messages about its company, up to a limit, but not for those of another one', async () => {
      const behindProxy = await newApi({ server: { trustProxy: 1 } });
      const { tenant, quickbooks, database } = behindProxy.world;
      const credentials = await fetch(`${quickbooks.url}/__sandbox/credentials`);
      const { webhookVerifier } = (await credentials.json()) as { webhookVerifier: string };
      const connections = await tenant.store.listConnections();
      const realmId = connections.find(({ service }) => service === 'accounting')?.externalId;
      const post = (company: string | null | undefined, address: number) => {
        const message = JSON.stringify([
          {
            specversion: '1.0',
            id: randomUUID(),
            source: 'intuit.0123456789abcdef0123456789abcdef',
            type: 'qbo.invoice.updated.v1',
            time: '2025-03-03T18:00:00Z',
            intuitentityid: '100000',
            intuitaccountid: company,
            data: { filler: 'x'.repeat(20_000) },
          },
        ]);
        const sent = {
          'intuit-signature': createHmac('sha256', webhookVerifier).update(message).digest('base64'),
          'x-forwarded-for': `203.0.113.${address}`,
        };
        return behindProxy.call('POST', '/webhooks/qbo', { body: message, headers: sent });
      };
      await asOwner(database.url, async (client) => {
        // Messages cannot be saved meanwhile.
        await client.query('begin');
        await client.query('lock table notifications in access exclusive mode');
        // Two at once per address.
        const answers = Array.from({ length: 9 }, (_, index) => post(realmId, Math.floor(index / 2)));
        expect((await Promise.race(answers)).status).toBe(429);
        // Messages that have arrived leave the places of their address.
        await expect.poll(async () => (await post('9', 0)).status).toBe(200);
        const { rows } = await client.query<{ count: number }>(
          `select count(*)::int as count from pg_locks l join pg_database d on d.oid = l.database
            where not l.granted and d.datname = current_database()`,
        );
        expect(rows, 'large messages are saved one after another').toEqual([{ count: 1 }]);
        await client.query('rollback');
        const statuses = (await Promise.all(answers)).map(({ status }) => status);
        expect(statuses.toSorted((x, y) => x - y)).toEqual([...Array<number>(8).fill(200), 429]);
      });
      await behindProxy.close();
    });

    test('that is valid costs few statements for any number of changes', async () => {
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
      expect(message.length).toBeLessThanOrEqual(definitionOf('accountingNotification').bodyBytes ?? 0);
      const signature = createHmac('sha256', webhookVerifier).update(message).digest('base64');
      const statements = vi.spyOn(Client.prototype, 'query');
      const parse = vi.spyOn(JSON, 'parse');
      expect((await send('accountingNotification', message, { 'intuit-signature': signature })).status).toBe(200);
      const [made, parsed] = [statements.mock.calls.length, parse.mock.calls.filter(([text]) => text === message)];
      statements.mockRestore();
      parse.mockRestore();
      expect([made <= 12, parsed.length], `${made} statements`).toEqual([true, 1]);
      expect(await api.world.app.forTenant(tenantId).store.listInbox(['invoice'], 5_000)).toHaveLength(3_500);
    });
  });
});
