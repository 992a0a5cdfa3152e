import type { AccountingCredentials } from '#core/tenant.ts';
import { RateLimits } from '#connectors/rate-limiter.ts';
import { startQuickBooksSandbox } from '@tallybridge/sandbox';
import { clockAt, clockFrom, keepingLogger, UnlimitedRateLimits } from '../support/fake-ports.ts';
import { giveConsent } from '../support/consent.ts';
import { sandboxDriver } from '../support/sandbox-driver.ts';
import { accountingConformance } from './accounting.ts';
import { quickbooksAccounting } from '#connectors/quickbooks/accounting.ts';
import { quickbooksOAuth } from '#connectors/quickbooks/oauth.ts';

const today = '2025-03-03';

accountingConformance('QuickBooks', async () => {
  const sandbox = await startQuickBooksSandbox({ today });
  const { url, credentials } = sandbox;
  const driver = sandboxDriver(url, today);
  const logger = keepingLogger();
  const clock = clockAt(`${today}T15:00:00Z`);
  const allowedHosts = [new URL(url).host];
  const { clientId, clientSecret } = credentials;
  const secrets = new Set([clientSecret]);
  const discoveryUrl = `${url}/.well-known/openid_configuration`;
  const oauth = quickbooksOAuth({ discoveryUrl, clientId, clientSecret, allowedHosts, logger, clock });
  const keep = (tokens: AccountingCredentials): AccountingCredentials => {
    secrets.add(tokens.accessToken).add(tokens.refreshToken);
    return tokens;
  };

  /** Calls the API as a QuickBooks user would, with the newest tokens. */
  let newest: () => AccountingCredentials = () => {
    throw new Error('not connected');
  };
  async function asPerson(path: string, body: object): Promise<void> {
    const { realmId, accessToken } = newest();
    const answer = await fetch(`${url}/v3/company/${realmId}/${path}`, {
      method: 'POST',
      headers: {
        Accept: 'application/json',
        'Content-Type': 'application/json',
        Authorization: `Bearer ${accessToken}`,
      },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(await answer.text());
  }
  const syncTokenOf = async (id: string) => (await driver.list('Invoice')).find((row) => row.Id === id)?.SyncToken;

  return {
    driver,
    async connect(limits) {
      let stored = keep(await giveConsent(oauth));
      let renewing: Promise<AccountingCredentials> | undefined;
      let renewed = 0;
      newest = () => stored;
      const accounting = quickbooksAccounting({
        apiUrl: url,
        allowedHosts,
        tokens: {
          current: async () => stored,
          // Runs one refresh at a time, like the store's lock.
          refresh(used) {
            if (used.accessToken !== stored.accessToken) return Promise.resolve(stored);
            renewing ??= oauth
              .refresh(used)
              .then((tokens) => {
                renewed += 1;
                stored = keep(tokens);
                return stored;
              })
              .finally(() => {
                renewing = undefined;
              });
            return renewing;
          },
        },
        realmId: stored.realmId,
        ...(limits === 'kept'
          ? { rateLimits: new RateLimits(), clock: clockFrom(`${today}T15:00:00Z`) }
          : { rateLimits: new UnlimitedRateLimits(), clock, sleep: async () => undefined }),
        logger,
        readTimeoutMs: 500,
        writeTimeoutMs: 500,
      });
      return { accounting, renewals: () => renewed };
    },
    logged: () => JSON.stringify(logger.lines),
    secrets: () => [...secrets],
    invoiceWrites: { method: 'POST', path: '/invoice$' },
    queries: { method: 'GET', path: '/query$' },
    otherWrites: { void: { method: 'POST', path: '/invoice$' }, payment: { method: 'POST', path: '/payment$' } },
    changesAt: [{ cdc_delay_seconds: 0 }, { cdc_delay_seconds: 90 }],
    ignoreRequestIds: { requestid: 'none' },
    withdrawnAnswers: [{ revoked_connection_answer: '403' }, { revoked_connection_answer: '401' }],
    isTokenCall: ({ path }) => path.endsWith('/tokens/bearer'),
    release: () => oauth.revoke(newest()),
    async useOwnNumbers() {
      const [preferences] = await driver.list('Preferences');
      await driver.put('Preferences', '1', {
        SalesFormsPrefs: { ...(preferences?.SalesFormsPrefs as object), CustomTxnNumbers: true },
      });
    },
    async closeCompanyAccess(how) {
      await driver.call('POST', how === 'expire' ? '/expire-tokens' : '/revoke', {});
    },
    voidInvoice: async (id) => asPerson('invoice?operation=void', { Id: id, SyncToken: await syncTokenOf(id) }),
    deleteInvoice: async (id) => asPerson('invoice?operation=delete', { Id: id, SyncToken: await syncTokenOf(id) }),
    close: () => sandbox.close(),
  };
});
