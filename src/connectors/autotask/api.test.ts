import { afterEach, describe, expect, test } from 'vitest';
import type { ServiceError } from '#core/service-error.ts';
import { instant } from '#core/values/dates.ts';
import { clockAt, keepingLogger, UnlimitedRateLimits } from '#test/support/fake-ports.ts';
import { startFakeService, type FakeService, type Received, type Reply } from '#test/support/fake-service.ts';
import { type AutotaskOptions, autotaskPsa } from './psa.ts';
import { checkedZoneUrl } from './calls.ts';

const services: FakeService[] = [];
async function service(answer: (request: Received) => Reply | Promise<Reply>): Promise<FakeService> {
  const started = await startFakeService(answer);
  services.push(started);
  return started;
}
afterEach(async () => {
  await Promise.all(services.splice(0).map((one) => one.stop()));
});

const isZone = ({ path }: Received) => path.toLowerCase().endsWith('/zoneinformation');
const zoneReply = (url: string, ci = 777): Reply => ({ json: { zoneName: 'z', url, webUrl: url, ci } });
const company: Reply = { json: { item: { id: 0, companyName: 'Northwind IT Services', companyType: 1 } } };
const noItems: Reply = { json: { items: [], pageDetails: { count: 0, requestCount: 500, nextPageUrl: null } } };

const isQuota = ({ path }: Received) => path.endsWith('/ThresholdInformation');
const quotaReply = (used: number): Reply => ({
  json: { externalRequestThreshold: 10_000, requestThresholdTimeframe: 60, currentTimeframeRequestCount: used },
});

/** Serves as zone service and database; `answer` serves all requests except the zone and the quota. */
const database = (
  answer: (request: Received) => Reply | Promise<Reply>,
  used: () => number = () => 100,
): Promise<FakeService> => {
  const started: Promise<FakeService> = service(async (request) => {
    if (isZone(request)) return zoneReply(`${(await started).url}/ATServicesRest/`);
    return isQuota(request) ? quotaReply(used()) : answer(request);
  });
  return started;
};

function psaAt(services_: readonly FakeService[], more: Partial<AutotaskOptions> = {}) {
  const rateLimits = new UnlimitedRateLimits();
  const logger = keepingLogger();
  const clock = clockAt('2025-03-03T15:00:00Z');
  const psa = autotaskPsa({
    credentials: { userName: 'api@NORTHWIND.EXAMPLE', secret: 'canary-secret' },
    integrationCode: 'canary-code',
    zoneUrl: services_[0]?.url ?? '',
    allowedHosts: services_.map(({ host }) => host),
    timeZone: 'America/Chicago',
    rateLimits,
    logger,
    clock,
    sleep: async () => undefined,
    ...more,
  });
  return { psa, rateLimits, logger, clock };
}

/** Returns true for the read that verifies the first write of a kind. */
const isReadBack = ({ method, path }: Received) => method === 'GET' && /\/Invoices\/\d+$/.test(path);
const calls = ({ received }: FakeService) =>
  received.filter((request) => !isZone(request) && !isQuota(request) && !isReadBack(request));

describe('the database URL', () => {
  test.each([
    'https://webservices5.autotask.net/ATServicesRest/',
    'https://webservices.autotask.net/atservicesrest/v1.0/x',
  ])('may be %s', (url) => expect(checkedZoneUrl(url, [])).not.toBeNull());

  test.each([
    'http://webservices5.autotask.net/ATServicesRest/',
    'https://webservices5.autotask.net.evil.example/ATServicesRest/',
    'https://evil.example/ATServicesRest/',
    'https://webservices5.autotask.net:8443/ATServicesRest/',
    'https://webservices5.autotask.net/other/',
    'https://user:pass@webservices5.autotask.net/ATServicesRest/',
    'https://webservices5-autotask.net/ATServicesRest/',
    'http://127.0.0.1:4010/ATServicesRest/',
    'http://169.254.169.254/ATServicesRest/',
    'file:///ATServicesRest/',
    'nonsense',
  ])('may not be %s', (url) => expect(checkedZoneUrl(url, [])).toBeNull());

  test('may be a sandbox only if the configuration allows its host', () => {
    expect(checkedZoneUrl('http://127.0.0.1:4010/ATServicesRest/', ['127.0.0.1:4010'])).not.toBeNull();
    expect(checkedZoneUrl('http://127.0.0.1:4011/ATServicesRest/', ['127.0.0.1:4010'])).toBeNull();
    expect(() => psaAt([], { zoneUrl: 'http://127.0.0.1:4010', allowedHosts: [] })).toThrow(/not allowed/);
  });

  test('from a forged zone response receives no request', async () => {
    const evil = await service(() => company);
    const zone = await service(() => zoneReply(`${evil.url}/ATServicesRest/`));
    const { psa } = psaAt([zone]);
    await expect(psa.identify()).rejects.toMatchObject({ about: { outcome: 'not_applied' } });
    expect(evil.received).toEqual([]);
    expect(JSON.stringify(zone.received)).not.toContain('canary');
  });

  test('is requested once and cached for twelve hours', async () => {
    const one = await database(() => company);
    const { psa, clock } = psaAt([one]);
    await psa.identify();
    await psa.identify();
    expect(one.received.filter(isZone)).toHaveLength(1);
    clock.advance(13 * 3_600);
    await psa.identify();
    expect(one.received.filter(isZone)).toHaveLength(2);
  });

  test('is requested again after the tenant moved', async () => {
    let home = '';
    const zone = await service(() => zoneReply(home));
    const fresh = await service(() => company);
    const old = await service(() => {
      home = `${fresh.url}/ATServicesRest/`;
      return { status: 404, text: 'gone' };
    });
    home = `${old.url}/ATServicesRest/`;
    const { psa } = psaAt([zone, old, fresh]);
    expect(await psa.identify()).toMatchObject({ companyName: 'Northwind IT Services', databaseId: '777' });
    expect(old.received).toHaveLength(1);
  });

  test('is not followed to a redirect', async () => {
    const other = await service(() => company);
    const one = await database(() => ({
      status: 307,
      headers: { Location: `${other.url}/ATServicesRest/` },
      text: '',
    }));
    await expect(psaAt([one]).psa.identify()).rejects.toMatchObject({ about: { code: 'PSA_UNAVAILABLE' } });
    expect(other.received).toEqual([]);
  });
});

describe('logging in', () => {
  test('sends the three headers on every call', async () => {
    const one = await database(() => company);
    await psaAt([one]).psa.identify();
    expect(calls(one)[0]?.headers).toMatchObject({
      apiintegrationcode: 'canary-code',
      username: 'api@NORTHWIND.EXAMPLE',
      secret: 'canary-secret',
    });
  });

  test('stops after two attempts with a wrong password', async () => {
    const one = await database(() => ({ status: 401, text: '' }));
    const { psa } = psaAt([one]);
    await expect(psa.readReferenceData()).rejects.toMatchObject({ about: { code: 'PSA_AUTH', next: 'reconnect' } });
    await expect(psa.identify()).rejects.toMatchObject({ about: { code: 'PSA_AUTH' } });
    await expect(psa.readModules()).rejects.toMatchObject({ about: { code: 'PSA_AUTH' } });
    expect(calls(one)).toHaveLength(2);
  });

  test('requires a new connection when the zone service rejects the user', async () => {
    const one = await service(() => ({ status: 500, json: { errors: ['User not found.'] } }));
    await expect(psaAt([one]).psa.identify()).rejects.toMatchObject({
      about: { code: 'PSA_AUTH', next: 'reconnect', outcome: 'not_applied' },
    });
  });
});

describe('reading', () => {
  const rows = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => ({
      id: from + index,
      companyID: 175,
      invoiceNumber: '',
      invoiceDateTime: '2025-03-03T00:00:00Z',
      createDateTime: '2025-03-03T09:15:02.317Z',
      invoiceTotal: 10,
      totalTaxValue: 0,
      isVoided: false,
    }));
  const lastId = (request: Received) => {
    const { filter } = JSON.parse(request.body) as { filter: { field: string; op: string; value: number }[] };
    return filter.find(({ field, op }) => field === 'id' && op === 'gt')?.value ?? 0;
  };

  test.each([0, 1, 499, 500, 501, 1_000])('reads %i rows completely, in order, page by page', async (count) => {
    const all = rows(1, count);
    const one = await database((request) => {
      const items = all.filter(({ id }) => id > lastId(request)).slice(0, 500);
      // The links are wrong: the connector must not follow them.
      return { json: { items, pageDetails: { nextPageUrl: 'https://evil.example/next' } } };
    });
    const found = await psaAt([one]).psa.findInvoices({ voided: false });
    expect(found.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
    expect(calls(one)).toHaveLength(Math.floor(count / 500) + 1);
  });

  test('needs no further call when the response marks the last page', async () => {
    const one = await database(() => ({ json: { items: rows(1, 500), pageDetails: { nextPageUrl: null } } }));
    expect(await psaAt([one]).psa.findInvoices({ voided: false })).toHaveLength(500);
    expect(calls(one)).toHaveLength(1);
  });

  test('fails when the service repeats the same page', async () => {
    const one = await database(() => ({ json: { items: rows(1, 500), pageDetails: { nextPageUrl: 'again' } } }));
    const found = psaAt([one]).psa.findInvoices({ voided: false });
    await expect(found).rejects.toMatchObject({ about: { outcome: 'unknown' } });
  });

  test('requests many IDs in calls of at most 500 values', async () => {
    const one = await database(() => noItems);
    await psaAt([one]).psa.findInvoices({ voided: false, ids: Array.from({ length: 1_001 }, (_, id) => id + 1) });
    const sizes = calls(one).map((request) => {
      const { filter } = JSON.parse(request.body) as { filter: { op: string; value: unknown }[] };
      const [first] = filter;
      return Array.isArray(first?.value) ? first.value.length : 1;
    });
    expect(sizes.sort((a, b) => b - a)).toEqual([500, 500, 1]);
  });

  test('runs at most three parallel calls per entity', async () => {
    let running = 0;
    let max = 0;
    const one = await database(async () => {
      running += 1;
      max = Math.max(max, running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
      return noItems;
    });
    const { psa } = psaAt([one]);
    await psa.findInvoices({ voided: false });
    await psa.findInvoices({ voided: false, ids: Array.from({ length: 5_000 }, (_, id) => id + 1) });
    expect(max).toBe(3);
  });

  test.each<[string, Reply]>([
    ['an HTML page', { text: '<html>' }],
    ['an empty response', { text: '' }],
    ['503', { status: 503, text: 'busy' }],
    ['a cut connection', { raw: (response) => response.socket?.resetAndDestroy() }],
    ['the thread limit', { status: 500, json: { errors: ['Itgenatr005 thread threshold of 3 threads exceeded'] } }],
    ['429', { status: 429, headers: { 'Retry-After': '2' }, text: '' }],
  ])('succeeds after %s', async (_what, trouble) => {
    let turns = 0;
    const one = await database(() => (++turns <= 2 ? trouble : company));
    expect(await psaAt([one]).psa.identify()).toMatchObject({ companyName: 'Northwind IT Services' });
    expect(calls(one)).toHaveLength(3);
  });

  test('pauses the whole database for the time a throttled response requests', async () => {
    let turns = 0;
    const one = await database(() =>
      ++turns === 1 ? { status: 429, headers: { 'Retry-After': '9' }, text: '' } : company,
    );
    const { psa, rateLimits } = psaAt([one]);
    await psa.identify();
    expect(rateLimits.paused).toEqual(['psa:hour:777 until 2025-03-03T15:00:09.000Z']);
    expect(rateLimits.acquired.every(({ key }) => key === 'psa:hour:777')).toBe(true);
  });

  test('D15 ignores unknown fields and texts, and accepts numbers as text and missing members', async () => {
    const plain = { ...rows(1, 1)[0] };
    const { invoiceNumber: _number, totalTaxValue: _tax, ...sparse } = plain;
    const strange = {
      ...sparse,
      id: '1',
      companyID: '175',
      invoiceTotal: '10.00',
      isVoided: 'false',
      brandNew: { nested: [1, { deep: 'x' }] },
      batchID: 'a word where a number was',
    };
    const read = async (row: object) => {
      const one = await database(() => ({ json: { items: [row], somethingElse: true } }));
      return psaAt([one]).psa.findInvoices({ voided: false });
    };
    expect(await read(strange)).toEqual(await read(plain));
  });

  test('fails on a row with an invalid amount', async () => {
    const one = await database(() => ({ json: { items: [{ ...rows(1, 1)[0], invoiceTotal: 'lots' }] } }));
    const found = psaAt([one]).psa.findInvoices({ voided: false });
    await expect(found).rejects.toMatchObject({ about: { outcome: 'unknown', next: 'try_again' } });
    await expect(found).rejects.toThrow(/invoiceTotal/);
  });
});

describe('writing', () => {
  test('sends the given fields to the collection and clears values', async () => {
    const one = await database(() => ({ json: { itemId: 48213 } }));
    const { psa } = psaAt([one]);
    await psa.writeInvoice(48213, { number: '', exportedAt: null });
    await psa.writeInvoice(48213, { paidOn: '2025-03-09' as never });
    expect(calls(one).map(({ method, path, body }) => [method, path, JSON.parse(body)])).toEqual([
      ['PATCH', '/ATServicesRest/V1.0/Invoices', { id: 48213, invoiceNumber: '', webServiceDate: null }],
      ['PATCH', '/ATServicesRest/V1.0/Invoices', { id: 48213, paidDate: '2025-03-09T00:00:00.000Z' }],
    ]);
  });

  test('D8 sends nothing after the lease has ended', async () => {
    const one = await database(() => ({ json: { itemId: 48213 } }));
    await expect(
      psaAt([one], { mayWrite: () => false }).psa.writeInvoice(48213, { number: '1' }),
    ).rejects.toMatchObject({ about: { outcome: 'not_applied', next: 'try_again' } });
    expect(calls(one)).toEqual([]);
  });

  test('repeats a write after a lost response, which is harmless', async () => {
    let turns = 0;
    const one = await database(() =>
      ++turns === 1 ? { raw: (response) => response.socket?.resetAndDestroy() } : { json: { itemId: 48213 } },
    );
    await psaAt([one]).psa.writeInvoice(48213, { number: '1042' });
    expect(calls(one)).toHaveLength(2);
  });

  test('returns the message of a rejected write and does not retry it', async () => {
    const one = await database(() => ({ status: 500, json: { errors: ['invoiceNumber is too long.'] } }));
    const written = psaAt([one]).psa.writeInvoice(1, { number: 'x' });
    await expect(written).rejects.toMatchObject({
      about: { code: 'PSA_VALIDATION', outcome: 'not_applied', next: 'refuse', detail: 'invoiceNumber is too long.' },
    });
    expect(calls(one)).toHaveLength(1);
  });

  test('N13 stops at 90% of the shared quota and continues after it recovers', async () => {
    let used = 9_100;
    const one = await database(
      ({ method }) => (method === 'PATCH' ? { json: { itemId: 1 } } : company),
      () => used,
    );
    const { psa, clock } = psaAt([one]);
    const refused = await psa.writeInvoice(1, { number: '1' }).catch((error: ServiceError) => error.about);
    expect(refused).toMatchObject({ code: 'PSA_LIMIT', outcome: 'not_applied', next: 'try_again' });
    expect(calls(one)).toEqual([]);
    expect(await psa.identify()).toMatchObject({ companyId: 0 });
    used = 100;
    clock.advance(61);
    await psa.writeInvoice(1, { number: '1' });
    expect(calls(one).filter(({ method }) => method === 'PATCH')).toHaveLength(1);
  });

  test.each([
    [4_999, []],
    [5_000, [500]],
    [7_499, [500]],
    [7_500, [1_000]],
    [8_999, [1_000]],
  ])('N13 with %i of 10,000 calls used, delays a write by %j ms', async (used, expected) => {
    const one = await database(
      () => ({ json: { itemId: 1 } }),
      () => used,
    );
    const waits: number[] = [];
    await psaAt([one], { sleep: async (ms) => void waits.push(ms) }).psa.writeInvoice(1, { number: '1' });
    // The write and its read-back.
    expect(waits).toEqual([...expected, ...expected]);
  });

  test.each([
    ['a number', { number: '1042' }, { invoiceNumber: '1041' }, /invoice number 1042 of invoice 7 and did not store/],
    ['a cleared date', { exportedAt: null }, { webServiceDate: '2025-03-01T12:00:00Z' }, /clear the sync date/],
  ])('reads back the first write of a kind: %s that was not stored', async (_what, change, stored, words) => {
    const one = await database(({ method }) =>
      method === 'PATCH' ? { json: { itemId: 7 } } : { json: { item: { id: 7, ...stored } } },
    );
    const { psa } = psaAt([one]);
    await expect(psa.writeInvoice(7, change)).rejects.toMatchObject({
      about: { code: 'PSA_NOT_STORED', next: 'stop_run', outcome: 'not_applied', detail: expect.stringMatching(words) },
    });
  });

  describe('after an error answer to a write', () => {
    const refusal: Reply = { status: 500, json: { errors: ['The number is not allowed.'] } };
    const answering = async (readBack: Reply, answer: Reply = refusal) => {
      const one = await database(({ method }) => (method === 'PATCH' ? answer : readBack));
      return { one, ...psaAt([one]) };
    };
    const stored = (number: string): Reply => ({ json: { item: { id: 7, invoiceNumber: number } } });

    test.each<[string, Reply]>([
      ['a refusal', refusal],
      ['a generic text', { status: 500, json: { errors: ['An unexpected error occurred.'] } }],
      ['an empty error', { status: 500, text: '' }],
    ])('reads it back: %s of a stored number is a success', async (_what, answer) => {
      const { psa, one } = await answering(stored('1042'), answer);
      await psa.writeInvoice(7, { number: '1042' });
      expect(one.received.filter(isReadBack)).toHaveLength(1);
    });

    test('reports the refusal if the field has another value', async () => {
      const { psa } = await answering(stored('1041'));
      await expect(psa.writeInvoice(7, { number: '1042' })).rejects.toMatchObject({
        about: {
          code: 'PSA_VALIDATION',
          next: 'refuse',
          detail: 'The number is not allowed.',
        },
      });
    });

    test.each<[string, Reply]>([
      ['hides the field', { json: { item: { id: 7 } } }],
      ['refuses the read', { status: 403, text: '' }],
    ])('reports the refusal if Autotask %s', async (_what, readBack) => {
      const { psa } = await answering(readBack);
      await expect(psa.writeInvoice(7, { number: '1042' })).rejects.toMatchObject({ about: { next: 'refuse' } });
    });

    test('waits if Autotask does not show the field now', async () => {
      const { psa } = await answering({ status: 503, text: '' });
      await expect(psa.writeInvoice(7, { number: '1042' })).rejects.toMatchObject({
        about: { code: 'PSA_UNAVAILABLE', next: 'try_again' },
      });
    });
  });

  test('reads back the first write of a kind only once and tolerates reformatted values', async () => {
    const at = instant('2025-03-03T15:00:07.123Z');
    const stored = { id: 7, invoiceNumber: ' 1042', webServiceDate: '2025-03-03T15:00:07' };
    const one = await database(({ method }) =>
      method === 'PATCH' ? { json: { itemId: 7 } } : { json: { item: stored } },
    );
    const { psa } = psaAt([one]);
    for (let turn = 0; turn < 3; turn += 1) await psa.writeInvoice(7, { number: '1042', exportedAt: at });
    expect(one.received.filter(isReadBack)).toHaveLength(1);
    await psa.writeInvoice(7, { number: '' }).catch(() => undefined);
    expect(one.received.filter(isReadBack)).toHaveLength(2);
  });

  test('reads back again after another API user or a new secret was connected', async () => {
    const one = await database(({ method }) =>
      method === 'PATCH' ? { json: { itemId: 7 } } : { json: { item: { id: 7, invoiceNumber: '1042' } } },
    );
    const { rateLimits } = psaAt([one]);
    const users = [
      { userName: 'api@NORTHWIND.EXAMPLE', secret: 'canary-secret' },
      { userName: 'api@NORTHWIND.EXAMPLE', secret: 'canary-secret-2' },
      { userName: 'api2@NORTHWIND.EXAMPLE', secret: 'canary-secret' },
    ];
    for (const credentials of [...users, ...users])
      await psaAt([one], { rateLimits, credentials }).psa.writeInvoice(7, { number: '1042' });
    expect(one.received.filter(isReadBack)).toHaveLength(3);
  });

  test('reads the quota once for hundreds of writes, never for a few reads', async () => {
    const one = await database(({ method }) => (method === 'PATCH' ? { json: { itemId: 1 } } : company));
    const { psa } = psaAt([one]);
    for (let turn = 0; turn < 20; turn += 1) await psa.identify();
    expect(one.received.filter(isQuota)).toEqual([]);
    for (let turn = 0; turn < 150; turn += 1) await psa.writeInvoice(1, { number: '1' });
    expect(one.received.filter(isQuota)).toHaveLength(1);
  });

  test.each([
    { used: 100, writes: 1_200, quotaReads: 1 },
    { used: 100, writes: 1_275, quotaReads: 2 },
    { used: 4_200, writes: 225, quotaReads: 1 },
    { used: 4_200, writes: 275, quotaReads: 2 },
  ])('reads the quota more often near the limit: %j', async ({ used, writes, quotaReads }) => {
    const one = await database(
      () => ({ json: { itemId: 1 } }),
      () => used,
    );
    const { psa } = psaAt([one]);
    for (let turn = 0; turn <= writes; turn += 1) await psa.writeInvoice(1, { number: '1' });
    expect(one.received.filter(isQuota)).toHaveLength(quotaReads);
  });
});

test('logs no secrets', async () => {
  const troubles: Reply[] = [
    { status: 500, json: { errors: ['Bad secret canary-secret and code canary-code.'] } },
    { text: '<html>canary-secret</html>' },
    { raw: (response) => response.socket?.resetAndDestroy() },
    { status: 401, json: { errors: ['canary-secret'] } },
  ];
  let turn = 0;
  const one = await database(() => troubles[turn++ % troubles.length] ?? company);
  const { psa, logger } = psaAt([one]);
  const errors: unknown[] = [];
  for (const call of [
    () => psa.identify(),
    () => psa.readModules(),
    () => psa.readLinesOfBusiness(),
    () => psa.writeInvoice(1, { number: '1' }),
  ])
    await call().catch((error: unknown) => errors.push(error));
  expect(errors.length).toBeGreaterThan(0);
  expect(logger.lines.length).toBeGreaterThan(3);
  const output = JSON.stringify(logger.lines) + errors.map((error) => JSON.stringify(error) + String(error)).join('');
  expect(output).not.toMatch(/canary/);
});
