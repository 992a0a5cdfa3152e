import { expect, test } from 'vitest';
import { startQuickBooksSandbox } from '@tallybridge/sandbox';
import { quickbooksAccounting } from '#connectors/quickbooks/accounting.ts';
import { quickbooksOAuth } from '#connectors/quickbooks/oauth.ts';
import { RateLimits } from '#connectors/rate-limiter.ts';
import { giveConsent } from '../support/consent.ts';
import { clockFrom } from '../support/fake-ports.ts';
import { silentLogger } from '../support/logger.ts';
import { sandboxDriver } from '../support/sandbox-driver.ts';

const today = '2025-03-03';
/** More than each process may send at once. */
const callsOfProcess = { worker: 30, server: 12, command: 6 };

test('a worker, two servers and a command line that are busy at once stay within the limits of QuickBooks', async () => {
  const sandbox = await startQuickBooksSandbox({ today });
  try {
    const { url, credentials } = sandbox;
    const driver = sandboxDriver(url, today);
    const allowedHosts = [new URL(url).host];
    const clock = clockFrom(`${today}T15:00:00Z`);
    const discoveryUrl = `${url}/.well-known/openid_configuration`;
    const oauth = quickbooksOAuth({ discoveryUrl, ...credentials, allowedHosts, logger: silentLogger, clock });
    const tokens = await giveConsent(oauth);
    // So that calls overlap.
    await driver.behave({ latency_ms: 700 });
    await Promise.all(
      (['worker', 'server', 'server', 'command'] as const).map((process) => {
        const accounting = quickbooksAccounting({
          apiUrl: url,
          allowedHosts,
          tokens: { current: async () => tokens, refresh: async () => tokens },
          realmId: tokens.realmId,
          rateLimits: new RateLimits(process),
          clock,
          logger: silentLogger,
        });
        return Promise.all(Array.from({ length: callsOfProcess[process] }, () => accounting.readAccounts()));
      }),
    );
    const calls = (await driver.journal()).filter(({ path }) => path.startsWith('/v3/company/'));
    expect(calls.filter(({ status }) => status !== 200)).toEqual([]);
    expect(calls).toHaveLength(60);
  } finally {
    await sandbox.close();
  }
});
