import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RateLimits } from '#core/ports/rate-limits.ts';
import type { Clock } from '#core/ports/clock.ts';
import { addSeconds, instant } from '#core/values/dates.ts';
import { autotaskPsa } from '#connectors/autotask/psa.ts';
import { quickbooksAccounting } from '#connectors/quickbooks/accounting.ts';
import { createRateLimits } from '#store/rate-limits.ts';
import { newDatabase, type TestDatabase } from '#test/support/database.ts';
import { keepingLogger } from '#test/support/fake-ports.ts';
import { startFakeService, type Received, type Reply } from '#test/support/fake-service.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await newDatabase();
});
afterAll(() => db.close());

const clock: Clock = { now: () => instant(Date.now()) };
const processes = 3;
/** The rate limits of several processes with one database. */
const processLimits = (): readonly RateLimits[] =>
  Array.from({ length: processes }, () => createRateLimits({ database: db.database, clock }));

/** A slow service that counts concurrent calls by name. */
async function counting(nameOf: (request: Received) => string, reply: (request: Received, url: string) => Reply) {
  const running = new Map<string, number>();
  const most = new Map<string, number>();
  const service = await startFakeService(async (request) => {
    const name = nameOf(request);
    const now = (running.get(name) ?? 0) + 1;
    running.set(name, now);
    most.set(name, Math.max(most.get(name) ?? 0, now));
    await new Promise((resolve) => setTimeout(resolve, 15));
    running.set(name, (running.get(name) ?? 1) - 1);
    return reply(request, service.url);
  });
  return { service, most };
}

test('three processes together send at most three concurrent calls per endpoint to Autotask', async () => {
  const { service, most } = await counting(
    ({ path }) => path.split('/')[3] ?? '',
    ({ path }, url) =>
      path.toLowerCase().endsWith('zoneinformation')
        ? { json: { zoneName: 'z', url: `${url}/ATServicesRest/`, ci: 777 } }
        : { json: { items: [], pageDetails: { nextPageUrl: null } } },
  );
  try {
    await Promise.all(
      processLimits().map(async (rateLimits) => {
        const psa = autotaskPsa({
          credentials: { userName: 'u', secret: 'secret' },
          integrationCode: 'code',
          zoneUrl: service.url,
          allowedHosts: [service.host],
          timeZone: 'America/Chicago',
          rateLimits,
          logger: keepingLogger(),
          clock,
        });
        await psa.findInvoices({ voided: false });
        await Promise.all(Array.from({ length: 12 }, () => psa.findInvoices({ voided: false })));
      }),
    );
    expect(service.received.length).toBeGreaterThan(processes * 12);
    expect(most.get('Invoices')).toBeGreaterThan(1);
    expect(most.get('Invoices')).toBeLessThanOrEqual(3);
  } finally {
    await service.stop();
  }
});

test('three processes together send at most ten concurrent calls per company to QuickBooks', async () => {
  const { service, most } = await counting(
    ({ path }) => path.split('/')[3] ?? '',
    () => ({ json: { QueryResponse: {} } }),
  );
  const realmId = '9341000000000001';
  const tokens = {
    realmId,
    accessToken: 'a',
    accessTokenEndsAt: addSeconds(clock.now(), 30 * 86_400),
    refreshToken: 'r',
    refreshTokenEndsAt: addSeconds(clock.now(), 60 * 86_400),
  };
  try {
    await Promise.all(
      processLimits().map(async (rateLimits) => {
        const books = quickbooksAccounting({
          apiUrl: service.url,
          allowedHosts: [service.host],
          realmId,
          tokens: { current: async () => tokens, refresh: async () => tokens },
          rateLimits,
          logger: keepingLogger(),
          clock,
        });
        await Promise.all(Array.from({ length: 6 }, () => books.readAccounts()));
      }),
    );
    expect(service.received).toHaveLength(processes * 6);
    expect(most.get(realmId)).toBeLessThanOrEqual(9);
  } finally {
    await service.stop();
  }
});
