import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createBehaviour } from './behaviour.ts';
import { createClock, type Clock } from './clock.ts';
import { html } from './html.ts';
import { BadInput, type JsonObject } from './input.ts';
import type { JournalEntry } from './journal.ts';
import { createGauge, createLimitSettings } from './limits.ts';
import { startService, type RunningService } from './service.ts';

let service: RunningService | undefined;
let clock: Clock;
let notes: Map<string, JsonObject>;

/** A service that stores notes: POST /notes creates one, GET /notes lists them. */
async function start(): Promise<string> {
  clock = createClock({ startAt: '2025-03-03T15:00:00Z', frozen: true });
  notes = new Map();
  const limits = createLimitSettings({ concurrent: null, requests_per_minute: null });
  const gauge = createGauge();
  const put = (id: string, fields: JsonObject): JsonObject => {
    const note = { ...notes.get(id), ...fields, id };
    notes.set(id, note);
    return note;
  };
  service = await startService({
    maxBodyBytes: 1000,
    definition: {
      name: 'Notes',
      clock,
      limits,
      behaviour: createBehaviour({ loud: { sentence: 'Whether it shouts.', default: false } }),
      admitRequest(request) {
        if (gauge.count() >= limits.of('concurrent')) return { owner: null, refuse: { status: 429, body: 'busy' } };
        return { owner: request.headers.authorization ?? null, release: gauge.enter() };
      },
      handle(request) {
        if (request.path === '/broken') throw new Error('a bug');
        const isCreate = request.method === 'POST';
        if (isCreate) put(String(notes.size + 1), { text: request.text(), at: clock.iso() });
        return {
          status: isCreate ? 201 : 200,
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify([...notes.values()]),
          applied: isCreate,
        };
      },
      control: {
        entities: {
          list: () => [{ name: 'Notes', count: notes.size }],
          items: (entity) => (entity === 'Notes' ? [...notes.values()] : undefined),
          item: (_entity, id) => notes.get(id),
          put: (_entity, id, fields) => put(id, fields),
          post(_entity, fields) {
            if (fields.text === '') throw new BadInput('A note needs a text.');
            return put(String(notes.size + 1), fields);
          },
          remove: (_entity, id) => notes.delete(id),
        },
        reset(body) {
          if (body.seed === 'x') throw new BadInput('seed must be a number.');
          notes.clear();
          clock.restart();
          return { notes: 0 };
        },
        credentials: () => ({ users: [] }),
        calls: { 'POST /shout': (body) => ({ heard: body.word ?? null }) },
        page: {
          columns: () => ['id', 'text'],
          document: (_entity, id) => html`<h2>Note ${id}</h2>`,
          faults: [{ label: 'Answer 503', rule: { action: { status: 503 } } }],
        },
      },
    },
  });
  return service.url;
}

afterEach(async () => {
  await service?.close();
  service = undefined;
});

const control = async (method: string, path: string, body?: unknown): Promise<{ status: number; json: JsonObject }> => {
  const response = await fetch(`${service?.url}/__sandbox${path}`, {
    method,
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, json: (await response.json()) as JsonObject };
};
const journal = async (): Promise<readonly JournalEntry[]> =>
  (await control('GET', '/journal')).json.entries as JournalEntry[];
const post = (url: string, text = 'hello', headers: Record<string, string> = {}) =>
  fetch(`${url}/notes?a=1`, { method: 'POST', body: text, headers });

test('the journal has every request with its owner, bodies, and effect', async () => {
  const url = await start();
  await (await post(url, 'hello', { authorization: 'Ann' })).text();
  await (await fetch(`${url}/notes`)).text();
  expect(await journal()).toMatchObject([
    {
      sequence: 1,
      time: '2025-03-03T15:00:00.000Z',
      method: 'POST',
      path: '/notes',
      query: 'a=1',
      owner: 'Ann',
      status: 201,
      applied: true,
      fault: null,
      request_body: 'hello',
    },
    { sequence: 2, method: 'GET', status: 200, applied: false, owner: null },
  ]);
  expect((await control('GET', '/journal?since=1')).json.entries).toHaveLength(1);
});

test('a connection cut before the request leaves nothing; cut after, the request is applied', async () => {
  const url = await start();
  await control('POST', '/faults', { match: { method: 'POST' }, times: 1, action: { reset: 'before' } });
  await expect(post(url)).rejects.toThrow();
  expect(notes.size).toBe(0);
  await control('POST', '/faults', { match: { method: 'POST' }, times: 1, action: { reset: 'after' } });
  await expect(post(url)).rejects.toThrow();
  expect(notes.size).toBe(1);
  expect((await journal()).map(({ status, applied, fault }) => [status, applied, fault])).toEqual([
    [null, false, 'fault-1'],
    [null, true, 'fault-2'],
  ]);
  expect((await post(url)).status).toBe(201);
});

test('a delayed request is applied by the sandbox clock long after the connection was cut', async () => {
  const url = await start();
  await control('POST', '/faults', { action: { reset: 'late', apply_after_seconds: 119 }, times: 1 });
  await expect(post(url)).rejects.toThrow();
  await control('POST', '/clock', { advance_seconds: 118 });
  expect([notes.size, (await journal())[0]?.applied]).toEqual([0, false]);
  await control('POST', '/clock', { advance_seconds: 1 });
  expect([...notes.values()]).toMatchObject([{ text: 'hello', at: '2025-03-03T15:01:59.000Z' }]);
  await expect.poll(async () => (await journal())[0]?.applied).toBe(true);
});

test('a fault can replace the response with any status, headers, and body', async () => {
  const url = await start();
  await control('POST', '/faults', {
    times: 1,
    action: { status: 429, headers: { 'Retry-After': '7', 'Content-Type': 'text/html' }, body: '<h1>No</h1>' },
  });
  const refused = await post(url);
  expect([refused.status, refused.headers.get('retry-after'), await refused.text()]).toEqual([429, '7', '<h1>No</h1>']);
  expect(notes.size).toBe(0);
  await control('POST', '/faults', { times: 1, action: { status: 500, body: { a: 1 }, apply: true } });
  expect(await (await post(url)).json()).toEqual({ a: 1 });
  expect(notes.size).toBe(1);
});

test('a truncated response is shorter than announced; a clean one looks complete', async () => {
  const url = await start();
  await (await post(url)).text();
  await control('POST', '/faults', { times: 1, action: { truncate: 9 } });
  await expect(fetch(`${url}/notes`).then((response) => response.text())).rejects.toThrow();
  await control('POST', '/faults', { times: 1, action: { truncate: 9, clean: true } });
  expect(await (await fetch(`${url}/notes`)).text()).toBe('[{"text":');
  await control('POST', '/faults', { times: 1, action: { truncate: true } });
  await expect(fetch(`${url}/notes`).then((response) => response.text())).rejects.toThrow();
  await control('POST', '/faults', { times: 1, action: { bytes_per_second: 1000 } });
  expect(await (await fetch(`${url}/notes`)).json()).toHaveLength(1);
});

test('a hanging request is applied without a response', async () => {
  const url = await start();
  await control('POST', '/faults', { times: 1, action: { hang_ms: 5 } });
  await expect(post(url)).rejects.toThrow();
  expect(notes.size).toBe(1);
  await control('POST', '/faults', { times: 1, action: { hang_ms: 5, apply: false } });
  await expect(post(url)).rejects.toThrow();
  expect(notes.size).toBe(1);
});

test('an incomplete request is not applied', async () => {
  const url = await start();
  const { port } = new URL(url);
  await new Promise<void>((resolve) => {
    const socket = connect(Number(port), '127.0.0.1', () => {
      socket.write('POST /notes HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\nonly this', () =>
        socket.destroy(),
      );
    });
    socket.on('close', () => resolve());
  });
  await expect.poll(journal).toMatchObject([{ status: null, applied: false }]);
  expect(notes.size).toBe(0);
});

test('a request rejected by a limit is logged and not applied, and the slot is released', async () => {
  const url = await start();
  await control('PUT', '/limits', { concurrent: 1 });
  await control('POST', '/faults', { times: 1, action: { hang_ms: 1000 } });
  const hanging = post(url).catch(() => 'cut');
  await expect.poll(async () => (await journal()).length).toBe(1);
  expect((await post(url)).status).toBe(429);
  expect(await hanging).toBe('cut');
  await expect.poll(async () => (await post(url)).status).toBe(201);
  expect((await journal())[1]).toMatchObject({ status: 429, applied: false, response_body: 'busy' });
});

test('a bug in a service returns a 500 with the reason, and the next request works', async () => {
  const url = await start();
  const response = await fetch(`${url}/broken`);
  expect([response.status, await response.text()]).toEqual([500, expect.stringContaining('a bug')]);
  expect((await post(url, 'x'.repeat(2000))).status).toBe(413);
  expect((await post(url)).status).toBe(201);
});

test('faults never affect the control API', async () => {
  await start();
  await control('POST', '/faults', { action: { reset: 'before' } });
  expect((await control('GET', '/faults')).json.faults).toMatchObject([{ id: 'fault-1', applied: 0 }]);
  expect((await control('DELETE', '/faults/fault-1')).status).toBe(200);
  expect((await control('DELETE', '/faults/fault-1')).status).toBe(404);
  await control('POST', '/faults', { times: null, action: { status: 503 } });
  await control('POST', '/faults', { action: { status: 504 } });
  expect((await control('DELETE', '/faults?id=fault-2')).json.faults).toMatchObject([{ id: 'fault-3' }]);
  expect((await control('DELETE', '/faults')).json.faults).toEqual([]);
});

test('the control API reads, changes, creates, and deletes records', async () => {
  await start();
  expect((await control('POST', '/entities/Notes', { text: 'one' })).json).toEqual({ item: { id: '1', text: 'one' } });
  expect((await control('PUT', '/entities/Notes/1', { text: 'two' })).json).toEqual({ item: { id: '1', text: 'two' } });
  expect((await control('GET', '/entities/Notes')).json).toEqual({ items: [{ id: '1', text: 'two' }], total: 1 });
  expect((await control('GET', '/entities/Notes/1')).json).toEqual({ item: { id: '1', text: 'two' } });
  expect((await control('DELETE', '/entities/Notes/1')).status).toBe(200);
  expect((await control('DELETE', '/entities/Notes/1')).status).toBe(404);
  expect((await control('GET', '/entities')).json).toEqual({ entities: [{ name: 'Notes', count: 0 }] });
  expect((await control('GET', '/entities/Songs')).json).toEqual({
    error: 'There is no entity “Songs”. There are: Notes.',
  });
});

test.each([
  ['POST', '/faults', 'not json', 400, 'The body is not JSON.'],
  ['POST', '/faults', [], 400, 'The body must be a JSON object.'],
  ['POST', '/entities/Notes', { text: '' }, 400, 'A note needs a text.'],
  ['POST', '/reset', { seed: 'x' }, 400, 'seed must be a number.'],
  ['PUT', '/behaviour', { loud: 'very' }, 400, 'loud must be true or false.'],
  ['PUT', '/limits', { concurrent: 1.5 }, 400, 'concurrent must be a whole number, 0 or more, or null for no limit.'],
  ['POST', '/clock', { advance_seconds: -1 }, 400, 'advance_seconds must be 0 or more.'],
  ['POST', '/clock', {}, 400, 'advance_seconds must be a number.'],
  ['GET', '/journal?since=soon', undefined, 400, 'since and limit must be numbers, 0 or more.'],
  ['GET', '/entities/%E0%A4%A', undefined, 400, 'The path is not encoded properly.'],
  ['PATCH', '/clock', {}, 405, '/__sandbox/clock takes GET, POST.'],
  ['GET', '/shout', undefined, 405, '/__sandbox/shout takes POST.'],
  ['GET', '/constructor', undefined, 404, expect.stringContaining('There is no /__sandbox/constructor.')],
  ['GET', '/nothing', undefined, 404, expect.stringContaining('There is no /__sandbox/nothing. There are: reset,')],
])('the control call %s %s with %j returns the reason', async (method, path, body, status, error) => {
  await start();
  expect(await control(method, path, body)).toEqual({ status, json: { error } });
});

test('the control API accepts only loopback hosts and no calls from other sites', async () => {
  const url = await start();
  const ask = (headers: Record<string, string>) =>
    new Promise<number>((resolve, reject) => {
      httpRequest(`${url}/__sandbox/reset`, { method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
        .on('error', reject)
        .end();
    });
  expect(await ask({})).toBe(200);
  expect(await ask({ origin: url })).toBe(200);
  expect(await ask({ host: 'attacker.example' })).toBe(403);
  expect(await ask({ origin: 'http://attacker.example' })).toBe(403);
});

test('reset creates new data, deletes faults and entries, and keeps switches and limits', async () => {
  const url = await start();
  await control('PUT', '/behaviour', { loud: true });
  await control('POST', '/faults', { match: { path: '/never' }, action: { status: 500 } });
  await (await post(url)).text();
  await control('POST', '/clock', { advance_seconds: 60 });
  expect((await control('POST', '/reset')).json).toEqual({ notes: 0 });
  expect(await journal()).toEqual([]);
  expect((await control('GET', '/faults')).json.faults).toEqual([]);
  expect((await control('GET', '/behaviour')).json.switches).toMatchObject([{ name: 'loud', value: true }]);
  expect((await control('DELETE', '/behaviour')).json.switches).toMatchObject([{ name: 'loud', value: false }]);
  expect((await control('GET', '/clock')).json).toEqual({ now: '2025-03-03T15:00:00.000Z' });
  await (await post(url)).text();
  expect((await journal()).map((entry) => entry.sequence)).toEqual([2]);
  expect((await control('POST', '/shout', { word: 'hey' })).json).toEqual({ heard: 'hey' });
});

test('the web page shows records, journal, switches, and fault buttons without external resources', async () => {
  const url = await start();
  await (await post(url, '<b>bold</b>')).text();
  const page = async (query: string) => (await fetch(`${url}/__sandbox${query}`)).text();
  const overview = await page('');
  expect(overview).toContain('Notes sandbox');
  expect(overview).toContain('Whether it shouts.');
  expect(overview).toContain('Answer 503');
  expect(overview).toContain('<td>/notes?a=1</td>');
  expect(overview).not.toMatch(/(src|href)="https?:/);
  const table = await page('?entity=Notes');
  expect(table).toContain('&lt;b&gt;bold&lt;/b&gt;');
  expect(table).not.toContain('<b>bold');
  expect(await page('?entity=Notes&id=1')).toContain('<h2>Note 1</h2>');
  expect(await page('?entity=Songs')).toContain('There is no entity');
});
