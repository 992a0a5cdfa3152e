import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { AccountingCredentials } from '#core/tenant.ts';
import { RateLimits } from '#connectors/rate-limiter.ts';
import { configuredUrl, quickbooksOAuth } from '#connectors/quickbooks/oauth.ts';
import { autotaskChecks } from '#connectors/verification/autotask-checks.ts';
import { AutotaskService } from '#connectors/verification/autotask-service.ts';
import { quickbooksReads } from '#connectors/verification/quickbooks-reads.ts';
import { QuickbooksService } from '#connectors/verification/quickbooks-service.ts';
import { quickbooksWrites } from '#connectors/verification/quickbooks-writes.ts';
import { type Check, runChecks, type Verified } from '#connectors/verification/suite.ts';
import { startAutotaskSandbox, startQuickBooksSandbox } from '@tallybridge/sandbox';
import { giveConsent } from '../support/consent.ts';
import { clockFrom, keepingLogger } from '../support/fake-ports.ts';
import { sandboxDriver } from '../support/sandbox-driver.ts';

const today = '2025-03-03';
const [quickbooks, autotask] = await Promise.all([startQuickBooksSandbox({ today }), startAutotaskSandbox({ today })]);
afterAll(() => Promise.all([quickbooks.close(), autotask.close()]));

const logger = keepingLogger();
const clock = clockFrom(`${today}T18:00:00Z`);
const allowedHosts = [quickbooks.url, autotask.url].map((url) => new URL(url).host);
const egress = { allowedHosts, logger, now: () => clock.now() };
const drivers = { quickbooks: sandboxDriver(quickbooks.url, today), autotask: sandboxDriver(autotask.url, today) };
const running = { writes: true, stopping: new AbortController().signal };
const quickbooksChecks = [...quickbooksReads, ...quickbooksWrites];

async function quickbooksService(): Promise<QuickbooksService> {
  const { clientId, clientSecret } = quickbooks.credentials;
  const discoveryUrl = `${quickbooks.url}/.well-known/openid_configuration`;
  const oauth = quickbooksOAuth({ discoveryUrl, clientId, clientSecret, allowedHosts, logger, clock });
  const tokens: AccountingCredentials = await giveConsent(oauth);
  return new QuickbooksService({
    apiUrl: configuredUrl(quickbooks.url, allowedHosts),
    realmId: tokens.realmId,
    tokens: { current: async () => tokens, refresh: async () => tokens },
    egress,
    sleep: (ms) => drivers.quickbooks.advance(ms / 1_000),
  });
}

const autotaskService = () =>
  new AutotaskService({
    zoneUrl: autotask.url,
    credentials: { userName: 'api.user@northwind-msp.example', secret: 'sandbox-Secret-1' },
    integrationCode: 'SANDBOX0TRACKING0CODE000001',
    rateLimits: new RateLimits(),
    egress,
  });

beforeEach(async () => {
  for (const driver of Object.values(drivers)) {
    await driver.reset();
    await driver.enforceLimits(false);
  }
  // By default the sandbox may report a changed record as deleted.
  await drivers.quickbooks.behave({ changed_as_deleted: 'nowhere' });
});

/** Returns the results that are not “holds”, by title. */
const others = (results: readonly Verified[]) =>
  Object.fromEntries(
    results.filter(({ finding }) => finding.result !== 'holds').map(({ title, finding }) => [title, finding]),
  );
/** Runs the checks of one fact. */
async function resultsOf<Service>(checks: readonly Check<Service>[], fact: string, service: Service) {
  const chosen = checks.filter(({ facts }) => facts.includes(fact));
  return (await runChecks(chosen, service, running)).map(({ finding }) => finding.result);
}

const useAutomatedTax = () =>
  drivers.quickbooks.call('PUT', '/entities/Preferences/1', { TaxPrefs: { PartnerTaxEnabled: true } });

/** Adds a bill whose line is in a sub-account. */
async function addSubAccountBill(service: QuickbooksService): Promise<void> {
  const account = await service.write('Account', {
    Name: 'Air fare',
    AccountType: 'Cost of Goods Sold',
    SubAccount: true,
    ParentRef: { value: '14' },
  });
  await service.write('Bill', {
    VendorRef: { value: '90' },
    Line: [
      {
        Amount: 5,
        DetailType: 'AccountBasedExpenseLineDetail',
        AccountBasedExpenseLineDetail: { AccountRef: { value: account.id } },
      },
    ],
  });
}

const sorting = 'Sorting by Id is refused or ignored';

describe('the sandbox is what the facts say', () => {
  test('QuickBooks, with manual sales tax', async () => {
    const service = await quickbooksService();
    await addSubAccountBill(service);
    const results = await runChecks(quickbooksChecks, service, running);
    const needsAutomatedTax = { result: 'not tried', reason: 'The company does not use automated sales tax.' };
    expect(others(results)).toEqual({
      'With automated sales tax, QuickBooks replaces the tax that was sent': needsAutomatedTax,
      'With automated sales tax, a new exempt customer needs a reason': needsAutomatedTax,
    });
    expect(new Set(results.flatMap(({ facts }) => facts)).size).toBeGreaterThan(30);
  });

  test.each(['Q43', 'Q89'])('QuickBooks, with automated sales tax: %s', async (fact) => {
    await useAutomatedTax();
    expect(await resultsOf(quickbooksChecks, fact, await quickbooksService())).toEqual(['holds']);
  });

  test.each([
    ['refused', 'holds'],
    ['ignored', 'holds'],
    ['allowed', 'differs'],
  ])('QuickBooks, where sorting by Id is %s', async (how, result) => {
    await drivers.quickbooks.behave({ query_order_by_id: how });
    const checks = quickbooksReads.filter(({ title }) => title === sorting);
    const [verified] = await runChecks(checks, await quickbooksService(), running);
    expect(verified?.finding.result).toBe(result);
  });

  test('Autotask', async () => {
    expect(others(await runChecks(autotaskChecks, autotaskService(), running))).toEqual({});
  });
});

describe('a service that is not what the facts say', () => {
  test.each([
    ['Q11', { requestid: 'none' }],
    ['Q43', { ast_override: 'always' }],
    ['Q77', { address_coordinates: true }],
    ['Q89', { exempt_without_reason: 'taken' }],
    ['Q85', { old_rates: 'given' }],
    ['Q91', { foreign_text: 'replaced' }],
    ['Q23', { outage: true }],
  ])('differs in QuickBooks: %s with %o', async (fact, switches) => {
    if (fact === 'Q43' || fact === 'Q89') await useAutomatedTax();
    const service = await quickbooksService();
    await drivers.quickbooks.behave(switches);
    expect(await resultsOf(quickbooksChecks, fact, service)).toContain('differs');
  });

  test.each([
    ['A23', { patch_stores: 'no_nulls' }],
    ['A22', { patch_stores: 'nothing' }],
    ['A30', { invoice_total_includes_tax: false }],
    ['A10', { maintenance: true }],
  ])('differs in Autotask: %s with %o', async (fact, switches) => {
    const service = autotaskService();
    await service.databaseId();
    await drivers.autotask.behave(switches);
    expect(await resultsOf(autotaskChecks, fact, service)).toContain('differs');
  });

  test('is not tried while it limits calls', async () => {
    const service = await quickbooksService();
    await drivers.quickbooks.fault({ match: { method: 'GET', path: '/query$' }, action: { status: 429, body: '' } });
    expect(await resultsOf(quickbooksReads, 'Q33', service)).toEqual(['not tried']);
  });
});

describe('what the checks write', () => {
  test('is marked, and removed afterward, also after an interrupted run', async () => {
    const before = (await drivers.quickbooks.list('Invoice')).length;
    const interrupted = await quickbooksService();
    await runChecks(quickbooksWrites, interrupted, running);
    const written = (await drivers.quickbooks.list('Invoice')).slice(before);
    expect(written.length).toBeGreaterThan(5);
    for (const { PrivateNote } of written) expect(PrivateNote).toContain('Tallybridge verification');
    const service = await quickbooksService();
    expect(await service.removeMarked()).toEqual([]);
    expect(await drivers.quickbooks.list('Invoice')).toHaveLength(before);
    const customers = await drivers.quickbooks.list('Customer');
    const marked = customers.filter(({ DisplayName }) => String(DisplayName).startsWith('Tallybridge verification'));
    expect(marked.map(({ Active }) => Active)).toEqual([false]);
  });

  test('in Autotask is one invoice without a number, which is restored', async () => {
    const before = await drivers.autotask.list('Invoices');
    const service = autotaskService();
    await runChecks(autotaskChecks, service, running);
    expect(await service.restore()).toEqual([]);
    const numbers = (rows: readonly Record<string, unknown>[]) =>
      rows.map(({ id, invoiceNumber, webServiceDate }) => [id, invoiceNumber || null, webServiceDate]);
    expect(numbers(await drivers.autotask.list('Invoices'))).toEqual(numbers(before));
  });

  test('is nothing without permission, and nothing after Ctrl-C', async () => {
    await drivers.quickbooks.forget();
    const stopped = new AbortController();
    stopped.abort();
    const results = [
      ...(await runChecks(quickbooksWrites, await quickbooksService(), { ...running, writes: false })),
      ...(await runChecks(quickbooksChecks, await quickbooksService(), { ...running, stopping: stopped.signal })),
    ];
    expect(new Set(results.map(({ finding }) => finding.result))).toEqual(new Set(['not tried']));
    const calls = (await drivers.quickbooks.journal()).filter(({ path }) => path.startsWith('/v3/'));
    expect(calls).toEqual([]);
  });
});
