import { startAutotaskSandbox } from '#sandbox/autotask/server.ts';
import { clockAt, countingBudget, keepingLogger, sleepingTime } from '#test/support/fake-ports.ts';
import { standOf } from '#test/support/sandbox-stand.ts';
import { psaConformance } from '../psa-conformance.ts';
import { autotaskPsa } from './psa.ts';

const today = '2025-03-03';

psaConformance('Autotask', async () => {
  const sandbox = await startAutotaskSandbox({ today });
  const stand = standOf(sandbox.url, today);
  const logger = keepingLogger();
  const { users } = (await stand.call('GET', '/credentials')) as {
    users: { userName: string; secret: string; apiIntegrationCode: string }[];
  };
  const [user] = users;
  if (user === undefined) throw new Error('the sandbox has no API user');
  return {
    stand,
    connect() {
      const time = sleepingTime();
      return autotaskPsa({
        credentials: { userName: user.userName, secret: user.secret },
        integrationCode: user.apiIntegrationCode,
        zoneUrl: sandbox.url,
        allowedHosts: [new URL(sandbox.url).host],
        timeZone: 'America/Chicago',
        budget: countingBudget(() => time.now()),
        logger,
        clock: clockAt(`${today}T15:00:00Z`),
        timeoutMs: 1_000,
        sleep: (ms) => time.sleep(ms),
      });
    },
    logged: () => JSON.stringify(logger.lines),
    secrets: [user.secret, user.apiIntegrationCode],
    isSearch: ({ path }) => path.endsWith('/Invoices/query'),
    isWrite: ({ method }) => method === 'PATCH',
    invoiceReads: { method: 'POST', path: '/Invoices/query$' },
    invoiceWrites: { method: 'PATCH', path: '/Invoices$' },
    numberOf: async (id) => (await stand.list('Invoices')).find((invoice) => invoice.id === id)?.invoiceNumber,
    changePassword: async () => {
      await stand.call('POST', '/credentials', { ...user, secret: 'changed-Secret-2' });
    },
    close: () => sandbox.close(),
  };
});
