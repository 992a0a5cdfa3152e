import { afterEach, describe, expect, test } from 'vitest';
import type { Command } from '#core/planning/plan.ts';
import type { AccountingCredentials } from '#core/tenant.ts';
import { addSeconds, calendarDate, epochMs } from '#core/values/dates.ts';
import { decimal } from '#core/values/decimal.ts';
import { clockAt, keepingLogger, UnlimitedRateLimits } from '#test/support/fake-ports.ts';
import { startFakeService, type FakeService, type Received, type Reply } from '#test/support/fake-service.ts';
import { RateLimits } from '../rate-limiter.ts';
import { quickbooksAccounting } from './accounting.ts';
import { consentLost } from './errors.ts';
import { salesDocument, salesLine } from '#test/cases/sample-documents.ts';

const services: FakeService[] = [];
async function service(answer: (request: Received) => Reply | Promise<Reply>): Promise<FakeService> {
  const started = await startFakeService(answer);
  services.push(started);
  return started;
}
afterEach(async () => {
  await Promise.all(services.splice(0).map((one) => one.stop()));
});

const clock = clockAt('2025-03-03T15:00:00Z');
const realmId = '9341000000000001';
const tokensOf = (accessToken: string, seconds = 3_600): AccountingCredentials => ({
  realmId,
  accessToken,
  accessTokenEndsAt: addSeconds(clock.now(), seconds),
  refreshToken: 'canary-refresh',
  refreshTokenEndsAt: addSeconds(clock.now(), 8_000_000),
});

function accountingAt(
  one: FakeService,
  first = tokensOf('canary-1'),
  isWithdrawn = false,
  more: Partial<Parameters<typeof quickbooksAccounting>[0]> = {},
) {
  const rateLimits = new UnlimitedRateLimits();
  const logger = keepingLogger();
  const refreshed: string[] = [];
  let stored = first;
  const accounting = quickbooksAccounting({
    apiUrl: one.url,
    allowedHosts: [one.host],
    tokens: {
      current: async () => stored,
      async refresh(used) {
        refreshed.push(used.accessToken);
        if (isWithdrawn) throw consentLost('refresh the tokens', 'QuickBooks no longer accepts our access.');
        stored = tokensOf(`${used.accessToken}+`);
        return stored;
      },
    },
    realmId,
    rateLimits,
    logger,
    clock,
    readTimeoutMs: 2_000,
    writeTimeoutMs: 300,
    sleep: async () => undefined,
    ...more,
  });
  return { accounting, rateLimits, logger, refreshed };
}

const document = salesDocument([
  salesLine('687.50', { quantity: decimal('4.25'), unitPrice: decimal('161.76471'), item: { id: '21' } }),
]);
const command: Command = { do: 'create_invoice', document };
const made = {
  Id: '9177',
  SyncToken: '0',
  DocNumber: '1042',
  TotalAmt: 687.5,
  TxnTaxDetail: { TotalTax: 0 },
  DueDate: '2025-04-02',
  PrivateNote: document.privateNote,
  Line: [{ DetailType: 'SubTotalLineDetail', Amount: 687.5 }],
};
const expired: Reply = {
  status: 401,
  json: { fault: { error: [{ message: 'AuthenticationFailed', detail: 'Token expired: canary-1', code: '3200' }] } },
};
const cut: Reply = { raw: (response) => response.socket?.resetAndDestroy() };

describe('a batch', () => {
  const items = ['1', '2', '3'].map((id) => ({ id, command, answers: [] }));
  const answer = (bId: string, id: string) => ({ bId, Invoice: { ...made, Id: id } });
  const duplicate = { Error: [{ code: '6140', Message: 'Duplicate', Detail: 'taken' }], type: 'ValidationFault' };

  test('is one request with one key and exact digits, and counts every object', async () => {
    const one = await service(() => ({ json: { BatchItemResponse: items.map(({ id }) => answer(id, `9${id}`)) } }));
    const { accounting, rateLimits } = accountingAt(one);
    expect(await accounting.postBatch(items, 'batch-1')).toMatchObject([{ id: '91' }, { id: '92' }, { id: '93' }]);
    expect(one.received).toHaveLength(1);
    const [request] = one.received;
    expect(request?.path).toBe(`/v3/company/${realmId}/batch`);
    expect(Object.fromEntries(request?.query ?? [])).toEqual({ requestid: 'batch-1', minorversion: '75' });
    expect(request?.body).toContain('{"bId":"2","operation":"create","Invoice":{"CustomerRef":{"value":"58"}');
    expect(request?.body).toContain('"Qty":4.25,"UnitPrice":161.76471,');
    expect(rateLimits.acquired.map(({ key, weight = 1 }) => [key.split(':')[1], weight])).toEqual([
      ['minute', 3],
      ['batches', 1],
      ['departures', 1],
    ]);
  });

  const unknown = { about: { outcome: 'unknown', next: 'try_again' } };
  test.each<[string, object[], object[]]>([
    [
      'reordered items',
      [answer('3', '93'), answer('1', '91'), answer('2', '92')],
      [{ id: '91' }, { id: '92' }, { id: '93' }],
    ],
    ['a missing item', [answer('1', '91'), answer('3', '93')], [{ id: '91' }, unknown, { id: '93' }]],
    [
      'a duplicate item',
      [answer('1', '91'), answer('2', '92'), answer('2', '94'), answer('3', '93')],
      [{ id: '91' }, unknown, { id: '93' }],
    ],
    [
      'an unknown item',
      [answer('7', '99'), answer('1', '91'), answer('2', '92'), answer('3', '93')],
      [{ id: '91' }, { id: '92' }, { id: '93' }],
    ],
    [
      'a rejected item',
      [answer('1', '91'), { bId: '2', Fault: duplicate }, answer('3', '93')],
      [{ id: '91' }, { about: { outcome: 'not_applied', next: 'refuse', vendorCode: '6140' } }, { id: '93' }],
    ],
    [
      'an item with a system fault',
      [answer('1', '91'), { bId: '2', Fault: { Error: [{ code: '10000' }], type: 'SystemFault' } }, answer('3', '93')],
      [{ id: '91' }, unknown, { id: '93' }],
    ],
    [
      'an item of another kind',
      [answer('1', '91'), { bId: '2', Customer: { Id: '4' } }, answer('3', '93')],
      [{ id: '91' }, unknown, { id: '93' }],
    ],
    [
      'an item without its ID',
      [answer('1', '91'), { bId: '2', Invoice: { SyncToken: '0' } }, answer('3', '93')],
      [{ id: '91' }, unknown, { id: '93' }],
    ],
    ['no items', [], [unknown, unknown, unknown]],
  ])('N10 handles each item of a response with %s separately', async (_what, answered, expected) => {
    const one = await service(() => ({ json: { BatchItemResponse: answered } }));
    expect(await accountingAt(one).accounting.postBatch(items, 'batch-1')).toMatchObject(expected);
  });

  test.each<[string, Reply]>([
    ['is cut off', cut],
    ['is not a batch', { json: { time: 'x' } }],
    ['is HTML', { text: '<html>' }],
    ['is truncated', { text: '{"BatchItemResponse":[{"bId":"1"' }],
  ])('whose response %s has an unknown outcome for every item', async (_what, reply) => {
    const one = await service(() => reply);
    await expect(accountingAt(one).accounting.postBatch(items, 'batch-1')).rejects.toMatchObject(unknown);
    expect(one.received).toHaveLength(1);
  });

  test('with a lost response is searched with one query for all its documents', async () => {
    const numbered = items.map(({ id }) => ({
      answers: [],
      sentAt: clock.now(),
      command: {
        do: 'create_invoice',
        document: { ...document, number: `T-${id}`, privateNote: `Autotask invoice 4821${id} · synced` },
      } as const,
    }));
    const rows = [
      { ...made, Id: '93', DocNumber: 'T-3', PrivateNote: 'Autotask invoice 48213 · synced' },
      // The number belongs to another document.
      { ...made, Id: '94', DocNumber: 'T-2', PrivateNote: 'by hand' },
      { ...made, Id: '91', DocNumber: 'T-1', PrivateNote: 'Autotask invoice 48211 · synced' },
    ];
    const one = await service(() => ({ json: { QueryResponse: { Invoice: rows } } }));
    const { accounting } = accountingAt(one);
    expect(await accounting.findAll(numbered)).toMatchObject([{ id: '91' }, null, { id: '93' }]);
    expect(one.received).toHaveLength(1);
    expect(one.received[0]?.query.get('query')).toContain("WHERE DocNumber IN ('T-1', 'T-2', 'T-3')");
  });
});

describe('a write', () => {
  test('is one request with its idempotency key and the exact digits of its amounts', async () => {
    const one = await service(() => ({ json: { Invoice: made, time: 'x' } }));
    const { accounting } = accountingAt(one);
    const posted = await accounting.post(command, [], 'req-1');
    expect(posted).toMatchObject({ type: 'Invoice', id: '9177', number: '1042', total: '687.5', subtotal: '687.5' });
    expect(one.received).toHaveLength(1);
    const [request] = one.received;
    expect(request?.method).toBe('POST');
    expect(request?.path).toBe(`/v3/company/${realmId}/invoice`);
    expect(Object.fromEntries(request?.query ?? [])).toEqual({ requestid: 'req-1', minorversion: '75' });
    expect(request?.headers).toMatchObject({ authorization: 'Bearer canary-1', accept: 'application/json' });
    expect(request?.body).toContain('"Amount":687.5,');
    expect(request?.body).toContain('"Qty":4.25,"UnitPrice":161.76471,');
  });

  test.each<[string, Reply]>([
    ['a cut connection', cut],
    ['a timeout', { raw: () => undefined }],
    ['500', { status: 500, json: { Fault: { Error: [{ code: '10000', Message: 'x' }], type: 'SystemFault' } } }],
    ['503 with HTML', { status: 503, text: '<html>' }],
    ['an HTML page with 200', { text: '<html>maintenance</html>' }],
    ['an empty 200', { text: '' }],
    ['a truncated body with a clean end', { text: '{"Invoice":{"Id":"9177"' }],
    ['a response without the document', { json: { time: 'x' } }],
    ['another entity', { json: { CreditMemo: made } }],
    ['a document without an ID', { json: { Invoice: { ...made, Id: undefined } } }],
    ['a document without a sync token', { json: { Invoice: { ...made, SyncToken: undefined } } }],
    ['an invalid total', { json: { Invoice: { ...made, TotalAmt: 'lots' } } }],
    ['a redirect', { status: 307, headers: { Location: 'http://127.0.0.1:1/' }, text: '' }],
  ])('has an unknown outcome after %s and is not retried', async (_what, reply) => {
    const one = await service(() => reply);
    const sent = accountingAt(one).accounting.post(command, [], 'req-1');
    await expect(sent).rejects.toMatchObject({ about: { outcome: 'unknown', next: 'try_again' } });
    expect(one.received).toHaveLength(1);
  });

  test('was certainly not applied when it was rejected or throttled', async () => {
    const replies: Reply[] = [
      { status: 400, json: { Fault: { Error: [{ code: '6140', Detail: 'TxnId=8801' }], type: 'ValidationFault' } } },
      { status: 429, text: '<Fault type="SERVICE"><Error code="3001"/></Fault>' },
    ];
    const one = await service(() => replies.shift() ?? cut);
    const { accounting } = accountingAt(one);
    await expect(accounting.post(command, [], 'a')).rejects.toMatchObject({
      about: { outcome: 'not_applied', code: 'DUPLICATE_DOC_NUMBER', vendorCode: '6140', detail: 'TxnId=8801' },
    });
    await expect(accounting.post(command, [], 'b')).rejects.toMatchObject({
      about: { outcome: 'not_applied', code: 'QBO_THROTTLED', waitMs: 60_000 },
    });
    expect(one.received).toHaveLength(2);
  });

  test('was certainly not applied when no server listened', async () => {
    const one = await service(() => cut);
    await one.stop();
    await expect(accountingAt(one).accounting.post(command, [], 'a')).rejects.toMatchObject({
      about: { outcome: 'not_applied', code: 'QBO_UNAVAILABLE', next: 'try_again' },
    });
  });

  test('D8 is not sent when the lease ends while it waits; reads still are', async () => {
    const one = await service(() => ({ json: { Invoice: { Id: '9', SyncToken: '0' } } }));
    let isHeld = true;
    const tokens = {
      // The process pauses here, and another worker takes over the tenant.
      current: async () => ((isHeld = false), tokensOf('canary-1')),
      refresh: async () => null,
    };
    const { accounting } = accountingAt(one, undefined, false, { tokens, mayWrite: () => isHeld });
    await expect(accounting.post(command, [], 'req-1')).rejects.toMatchObject({
      about: { outcome: 'not_applied', next: 'try_again' },
    });
    expect(one.received).toEqual([]);
    await accounting.read('Invoice', '9');
    expect(one.received).toHaveLength(1);
  });

  test('counts in its limits of a minute from its first byte, not from when it had room', async () => {
    const one = await service(() => ({ json: { Invoice: made } }));
    const rateLimits = new RateLimits();
    let now = clock.now();
    const tokens = {
      // Reading the tokens takes two seconds.
      current: async () => ((now = addSeconds(now, 2)), tokensOf('canary-1')),
      refresh: async () => null,
    };
    const { accounting } = accountingAt(one, undefined, false, { tokens, rateLimits, clock: { now: () => now } });
    await accounting.post(command, [], 'req-1');
    const window = { key: `qbo:minute:${realmId}`, calls: 1, perSeconds: 70 };
    expect(rateLimits.waitMs([window], epochMs(now))).toBe(60_333);
  });

  test('with an expired token is resent once with the same key after a refresh', async () => {
    const one = await service(({ headers }) =>
      headers.authorization === 'Bearer canary-1' ? expired : { json: { Invoice: made } },
    );
    const { accounting, refreshed } = accountingAt(one);
    expect(await accounting.post(command, [], 'req-1')).toMatchObject({ id: '9177' });
    expect(refreshed).toEqual(['canary-1']);
    expect(one.received.map(({ query }) => query.get('requestid'))).toEqual(['req-1', 'req-1']);
  });

  test('stops after one refresh when the service keeps rejecting', async () => {
    const one = await service(() => expired);
    const { accounting, refreshed } = accountingAt(one);
    await expect(accounting.post(command, [], 'req-1')).rejects.toMatchObject({
      about: { code: 'QBO_AUTH', next: 'reconnect', outcome: 'not_applied' },
    });
    expect(refreshed).toEqual(['canary-1']);
    expect(one.received).toHaveLength(2);
  });
});

test('D15 ignores unknown members and texts, and accepts numbers as text and missing members', async () => {
  const posted = async (answer: object) => {
    const one = await service(() => ({ json: { Invoice: answer, time: 'x', brandNew: { a: 1 } } }));
    const { document: _raw, ...output } = await accountingAt(one).accounting.post(command, [], 'req-1');
    return output;
  };
  const { TxnTaxDetail: _tax, ...sparse } = made;
  const strange = {
    ...sparse,
    Id: 9177,
    SyncToken: 0,
    TotalAmt: '687.50',
    EmailStatus: 'SomethingNew',
    Line: [
      { DetailType: 'SubTotalLineDetail', Amount: '687.50', Extra: [{}] },
      { DetailType: 'LineOfTomorrow', Amount: 1 },
    ],
    CustomExtensions: [{ Type: 'X' }],
  };
  expect(await posted(strange)).toEqual(await posted(made));
});

test('renews a token before the call when it expires soon', async () => {
  const one = await service(() => ({ json: { CompanyInfo: { CompanyName: 'Northwind', Country: 'US' } } }));
  const { accounting, refreshed } = accountingAt(one, tokensOf('canary-1', 120));
  expect(await accounting.identify()).toEqual({ companyName: 'Northwind', companyId: realmId });
  expect(refreshed).toEqual(['canary-1']);
  expect(one.received.map(({ headers }) => headers.authorization)).toEqual(['Bearer canary-1+']);
});

test('requests a refresh only once after access was revoked, for any number of calls', async () => {
  const one = await service(() => expired);
  const { accounting, refreshed } = accountingAt(one, tokensOf('canary-1'), true);
  const about = { code: 'QBO_AUTH', next: 'reconnect' };
  const together = await Promise.allSettled([
    accounting.identify(),
    accounting.readAccounts(),
    accounting.readClasses(),
  ]);
  expect(together).toMatchObject(together.map(() => ({ status: 'rejected', reason: { about } })));
  await expect(accounting.identify()).rejects.toMatchObject({ about });
  expect(refreshed).toEqual(['canary-1']);
});

test('renews expiring tokens once for parallel calls', async () => {
  const one = await service(() => ({ json: { QueryResponse: {} } }));
  const { accounting, refreshed } = accountingAt(one, tokensOf('canary-1', 120));
  await Promise.all([accounting.readAccounts(), accounting.readClasses(), accounting.rawAccounts()]);
  expect(refreshed).toEqual(['canary-1']);
});

describe('a read', () => {
  test.each<[string, Reply]>([
    ['a cut connection', cut],
    ['503', { status: 503, text: '<html>' }],
    ['an HTML page', { text: '<html>' }],
    ['throttling', { status: 429, text: '' }],
  ])('succeeds after %s', async (_what, trouble) => {
    let turns = 0;
    const one = await service(() => (++turns <= 2 ? trouble : { json: { CompanyInfo: { CompanyName: 'N' } } }));
    expect(await accountingAt(one).accounting.identify()).toMatchObject({ companyName: 'N' });
    expect(one.received).toHaveLength(3);
  });

  test('waits a minute when QuickBooks throttles', async () => {
    let turns = 0;
    const one = await service(() =>
      ++turns === 1 ? { status: 429, text: '' } : { json: { CompanyInfo: { CompanyName: 'N' } } },
    );
    const { accounting, rateLimits } = accountingAt(one);
    await accounting.identify();
    expect(rateLimits.paused).toEqual([`qbo:minute:${realmId} until 2025-03-03T15:01:00.000Z`]);
    expect(rateLimits.acquired[0]?.key).toBe(`qbo:minute:${realmId}`);
  });

  test('runs at most as many parallel calls as the company allows', async () => {
    let running = 0;
    let max = 0;
    const one = await service(async () => {
      running += 1;
      max = Math.max(max, running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
      return { json: { QueryResponse: {} } };
    });
    const { accounting } = accountingAt(one);
    await Promise.all(Array.from({ length: 30 }, () => accounting.readAccounts()));
    expect(max).toBeLessThanOrEqual(10);
  });

  test('never lets user text change the query', async () => {
    const one = await service(() => ({ json: { QueryResponse: {} } }));
    await accountingAt(one).accounting.findNumbered(["O'Neil' OR Id > '0"]);
    expect(one.received[0]?.query.get('query')).toContain(
      String.raw`WHERE DocNumber IN ('O\'Neil\' OR Id > \'0') ORDERBY`,
    );
  });

  test('returns null for a deleted document', async () => {
    const notFound = { Fault: { Error: [{ code: '610', Detail: 'Object Not Found' }], type: 'ValidationFault' } };
    const one = await service(() => ({ status: 400, json: notFound }));
    expect(await accountingAt(one).accounting.read('Invoice', '1')).toBeNull();
  });
});

describe('searching for a write with unknown outcome', () => {
  const found = async (rows: unknown[], wanted: Command = command) => {
    const one = await service(() => ({ json: { QueryResponse: { Invoice: rows, Customer: rows, Item: rows } } }));
    const answer = await accountingAt(one).accounting.find(wanted, [], clock.now());
    return { answer, statement: one.received[0]?.query.get('query') };
  };

  test('uses the note among documents of that date, never the amount', async () => {
    const other = { ...made, Id: '1', PrivateNote: 'Autotask invoice 4821 · synced 2025-03-03T15:00:07Z' };
    expect(await found([other, made])).toMatchObject({
      answer: { id: '9177' },
      statement: expect.stringContaining("WHERE TxnDate = '2025-03-03' ORDERBY MetaData.CreateTime"),
    });
    expect((await found([other])).answer).toBeNull();
  });

  test('uses the number and accepts only our note', async () => {
    const numbered: Command = { do: 'create_invoice', document: { ...document, number: '20250312' } };
    const foreign = { ...made, PrivateNote: 'made by hand' };
    expect(await found([made], numbered)).toMatchObject({
      answer: { id: '9177' },
      statement: expect.stringContaining("WHERE DocNumber = '20250312'"),
    });
    expect((await found([foreign], numbered)).answer).toBeNull();
  });

  test('finds nothing when the customer was never created', async () => {
    const orphan: Command = { do: 'create_invoice', document: { ...document, customer: { fromCommand: 0 } } };
    expect(await found([made], orphan)).toEqual({ answer: null, statement: undefined });
  });

  test('matches the full name of an item, so a sub-item of the same name does not match', async () => {
    const item: Command = {
      do: 'create_item',
      item: { name: 'Hardware', sku: null, incomeAccountId: '2', expenseAccountId: null, isTaxable: true },
    };
    const sub = { Id: '1', SyncToken: '0', Name: 'Hardware', FullyQualifiedName: 'Shop:Hardware' };
    const top = { Id: '2', SyncToken: '0', Name: 'Hardware', FullyQualifiedName: 'Hardware' };
    expect((await found([sub, top], item)).answer).toMatchObject({ type: 'Item', id: '2', name: 'Hardware' });
    expect((await found([sub], item)).answer).toBeNull();
  });
});

test('logs and reports no secrets', async () => {
  const replies: Reply[] = [expired, cut, { text: '<html>canary-1</html>' }, { status: 400, text: 'canary-refresh' }];
  let turn = 0;
  const one = await service(() => replies[turn++ % replies.length] ?? cut);
  const { accounting, logger } = accountingAt(one);
  const errors: unknown[] = [];
  for (const call of [
    () => accounting.post(command, [], 'r'),
    () => accounting.identify(),
    () => accounting.readReferenceData(),
    () => accounting.rawAccounts(),
  ])
    await call().catch((error: unknown) => errors.push(error));
  expect(errors.length).toBeGreaterThan(0);
  const output = JSON.stringify(logger.lines) + errors.map((error) => JSON.stringify(error) + String(error)).join('');
  expect(output).not.toMatch(/canary/);
  expect(output).not.toContain(realmId);
});

test('counts a read-only batch as one batch of the minute and its queries individually', async () => {
  const one = await service(({ body }) => {
    const { BatchItemRequest } = JSON.parse(body) as { BatchItemRequest: { bId: string }[] };
    return { json: { BatchItemResponse: BatchItemRequest.map(({ bId }) => ({ bId, QueryResponse: {} })) } };
  });
  const { accounting, rateLimits } = accountingAt(one);
  const today = calendarDate('2025-03-03');
  expect(await accounting.listDocuments({ from: today, through: today }, ['Bill', 'PurchaseOrder'])).toEqual([]);
  expect(rateLimits.acquired.map(({ key, weight = 1 }) => [key.split(':')[1], weight])).toEqual([
    ['minute', 2],
    ['batches', 1],
    ['departures', 1],
  ]);
});

test('refuses a URL outside the vendor that is not configured', async () => {
  const one = await service(() => ({ json: {} }));
  const options = { tokens: { current: async () => tokensOf('t'), refresh: async () => tokensOf('t') } };
  const build = (apiUrl: string) =>
    quickbooksAccounting({
      ...options,
      apiUrl,
      allowedHosts: [],
      realmId,
      rateLimits: new UnlimitedRateLimits(),
      logger: keepingLogger(),
      clock,
    });
  expect(() => build(one.url)).toThrow(/not allowed/);
  expect(() => build('https://quickbooks.api.intuit.com.evil.example')).toThrow(/not allowed/);
  expect(() => build('http://quickbooks.api.intuit.com')).toThrow(/not allowed/);
  expect(build('https://sandbox-quickbooks.api.intuit.com')).toBeDefined();
});
