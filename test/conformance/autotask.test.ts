import { expect, test } from 'vitest';
import type { Psa } from '#core/ports/psa.ts';
import { RateLimits } from '#connectors/rate-limiter.ts';
import { addSeconds, instant } from '#core/values/dates.ts';
import { startAutotaskSandbox } from '@tallybridge/sandbox';
import { clockAt, keepingLogger, sleepingTime } from '../support/fake-ports.ts';
import { sandboxDriver } from '../support/sandbox-driver.ts';
import { psaConformance } from './psa.ts';
import { type AutotaskOptions, autotaskPsa } from '#connectors/autotask/psa.ts';

const today = '2025-03-03';

psaConformance('Autotask', async () => {
  const sandbox = await startAutotaskSandbox({ today });
  const driver = sandboxDriver(sandbox.url, today);
  const logger = keepingLogger();
  const { users } = (await driver.call('GET', '/credentials')) as {
    users: { userName: string; secret: string; apiIntegrationCode: string }[];
  };
  const [user] = users;
  if (user === undefined) throw new Error('the sandbox has no API user');
  return {
    driver,
    connect() {
      const time = sleepingTime();
      return autotaskPsa({
        credentials: { userName: user.userName, secret: user.secret },
        integrationCode: user.apiIntegrationCode,
        zoneUrl: sandbox.url,
        allowedHosts: [new URL(sandbox.url).host],
        timeZone: 'America/Chicago',
        rateLimits: new RateLimits(),
        logger,
        clock: { now: () => addSeconds(instant(`${today}T15:00:00Z`), time.now() / 1_000) },
        timeoutMs: 500,
        sleep: (ms) => time.sleep(ms),
      });
    },
    logged: () => JSON.stringify(logger.lines),
    secrets: [user.secret, user.apiIntegrationCode],
    isSearch: ({ path }) => path.endsWith('/Invoices/query'),
    isWrite: ({ method }) => method === 'PATCH',
    invoiceReads: { method: 'POST', path: '/Invoices/query$' },
    invoiceWrites: { method: 'PATCH', path: '/Invoices$' },
    numberOf: async (id) => (await driver.list('Invoices')).find((invoice) => invoice.id === id)?.invoiceNumber,
    changePassword: async () => {
      await driver.call('POST', '/credentials', { ...user, secret: 'changed-Secret-2' });
    },
    close: () => sandbox.close(),
  };
});

/** Runs with a connector on a separate sandbox, which stops afterward. */
async function withSandbox(
  options: Parameters<typeof startAutotaskSandbox>[0],
  use: (psa: Psa, driver: ReturnType<typeof sandboxDriver>) => Promise<void>,
  more: Partial<AutotaskOptions> = {},
): Promise<void> {
  const sandbox = await startAutotaskSandbox({ today, ...options });
  try {
    const driver = sandboxDriver(sandbox.url, today);
    const { users } = (await driver.call('GET', '/credentials')) as {
      users: { userName: string; secret: string; apiIntegrationCode: string }[];
    };
    const psa = autotaskPsa({
      credentials: { userName: users[0]?.userName ?? '', secret: users[0]?.secret ?? '' },
      integrationCode: users[0]?.apiIntegrationCode ?? '',
      zoneUrl: sandbox.url,
      allowedHosts: [new URL(sandbox.url).host],
      timeZone: 'America/Chicago',
      rateLimits: new RateLimits(),
      logger: keepingLogger(),
      clock: clockAt(`${today}T15:00:00Z`),
      ...more,
    });
    await use(psa, driver);
  } finally {
    await sandbox.close();
  }
}

test('finds and reads a thousand invoices of five lines in at most twenty calls', () =>
  withSandbox({ invoices: 1_000, lines_per_invoice: 5, companies: 40 }, async (psa, driver) => {
    const heads = await psa.findInvoices({ voided: false });
    expect(heads.length).toBeGreaterThanOrEqual(1_000);
    await psa.readInvoices(heads.slice(0, 1).map(({ id }) => id));
    await driver.forget();
    const generated = heads.slice(-1_000).map(({ id }) => id);
    await psa.findInvoices({ voided: false, notExported: true });
    const invoices = await psa.readInvoices(generated);
    expect(invoices.map(({ id }) => id)).toEqual(generated);
    expect(invoices.flatMap(({ lines }) => lines).length).toBeGreaterThanOrEqual(4_500);
    const journal = await driver.journal();
    expect(journal.every(({ status }) => status === 200)).toBe(true);
    expect(journal.length).toBeLessThanOrEqual(20);
  }));

test.each([true, false])('detects modules by their permissions and numbers: %s', async (isOn) => {
  const switches = { module_procurement: isOn, module_multi_currency: isOn };
  const expected = { procurement: isOn, multiCurrency: isOn };
  await withSandbox({}, async (psa, driver) => {
    await driver.behave(switches);
    expect(await psa.readModules()).toEqual(expected);
  });
  const moduleKeys = { procurement: 65, multiCurrency: 70 };
  await withSandbox(
    {},
    async (psa, driver) => {
      await driver.behave(switches);
      expect(await psa.readModules()).toEqual(expected);
    },
    { moduleKeys },
  );
});
