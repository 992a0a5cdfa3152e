import { afterAll, beforeAll, expect, test } from 'vitest';
import { quickbooksAccounting } from '#connectors/quickbooks/accounting.ts';
import { quickbooksOAuth } from '#connectors/quickbooks/oauth.ts';
import type { Accounting } from '#core/ports/accounting.ts';
import { calendarDate } from '#core/values/dates.ts';
import { startQuickBooksSandbox } from '@tallybridge/sandbox';
import { clockAt, keepingLogger, UnlimitedRateLimits } from '../support/fake-ports.ts';
import { giveConsent } from '../support/consent.ts';
import { sandboxDriver } from '../support/sandbox-driver.ts';

/** A company of 20,000 invoices in which users work while its lists are read. */
const today = '2025-03-03';
const counts = { today, invoices: 20_000, lines_per_invoice: 1, companies: 1_500 };
const period = { from: calendarDate('2025-02-01'), through: calendarDate('2025-03-03') };

let sandbox: Awaited<ReturnType<typeof startQuickBooksSandbox>>;
let driver: ReturnType<typeof sandboxDriver>;
let accounting: Accounting;
let beforeCall: () => Promise<unknown> = async () => undefined;
let calls = 0;
let made = 0;

beforeAll(async () => {
  sandbox = await startQuickBooksSandbox(counts);
  const { url, credentials } = sandbox;
  driver = sandboxDriver(url, today);
  await driver.enforceLimits(false);
  const logger = keepingLogger();
  const clock = clockAt(`${today}T19:00:00Z`);
  const allowedHosts = [new URL(url).host];
  const discoveryUrl = `${url}/.well-known/openid_configuration`;
  const oauth = quickbooksOAuth({ ...credentials, discoveryUrl, allowedHosts, logger, clock });
  const stored = await giveConsent(oauth);
  accounting = quickbooksAccounting({
    apiUrl: url,
    allowedHosts,
    // Tokens are read before each call.
    tokens: {
      current: async () => {
        calls += 1;
        await beforeCall();
        return stored;
      },
      refresh: async () => stored,
    },
    realmId: stored.realmId,
    rateLimits: new UnlimitedRateLimits(),
    clock,
    logger,
    sleep: async () => undefined,
  });
}, 120_000);
afterAll(() => sandbox.close());

type Rows = readonly Readonly<Record<string, unknown>>[];
const idOf = (row: Rows[number] | undefined): string => String(row?.['Id']);

/** Lets users create, change and delete records before each call; returns the deleted ones and an end of the work. */
function work(entity: 'Customer' | 'Invoice', rows: Rows, removed: Set<string>): () => void {
  const idAt = (place: number) => idOf(rows[(place * 7_919) % rows.length]);
  beforeCall = async () => {
    const turn = (made += 1);
    const [gone, changed] = [idAt(turn), idAt(turn + 5_000)];
    if (entity === 'Invoice' && !removed.has(gone)) {
      removed.add(gone);
      await driver.call('DELETE', `/entities/Invoice/${gone}`);
    }
    const change = entity === 'Invoice' ? { PrivateNote: `seen ${turn}` } : { Notes: `${turn}` };
    if (!removed.has(changed)) await driver.put(entity, changed, change);
    await driver.call(
      'POST',
      `/entities/${entity}`,
      entity === 'Customer'
        ? { DisplayName: `New customer ${turn}` }
        : { CustomerRef: { value: '59' }, TxnDate: '2025-03-02', Line: [line] },
    );
  };
  return () => {
    beforeCall = async () => undefined;
  };
}

const line = {
  Amount: 10,
  DetailType: 'SalesItemLineDetail',
  SalesItemLineDetail: { ItemRef: { value: '21' }, Qty: 1, UnitPrice: 10, TaxCodeRef: { value: 'NON' } },
};

test('reads all invoices of a company while users save, for each setting of sorting by Id', async () => {
  const rows = (await driver.list('Invoice')).filter(({ TxnDate }) => String(TxnDate) >= period.from);
  expect(rows.length).toBeGreaterThan(19_000);
  const removed = new Set<string>();
  // The whole month is read once, because it takes most of the time.
  const cases = [
    ['refused', period.from],
    ['ignored', calendarDate('2025-02-25')],
    ['allowed', calendarDate('2025-02-25')],
  ] as const;
  for (const [query_order_by_id, from] of cases) {
    await driver.behave({ query_order_by_id });
    calls = 0;
    const rest = work('Invoice', rows, removed);
    const ids = (await accounting.listDocuments({ ...period, from }, ['Invoice'])).map(({ id }) => id);
    rest();
    const found = new Set(ids);
    expect(found.size).toBe(ids.length);
    const wanted = rows.filter(({ TxnDate }) => String(TxnDate) >= from).map(idOf);
    const lost = wanted.filter((id) => !removed.has(id) && !found.has(id));
    expect([query_order_by_id, lost]).toEqual([query_order_by_id, []]);
    // 20 pages, of which each repeats the invoices with the creation time of the previous one, and a count.
    expect(calls).toBeLessThan(40);
  }
  expect(removed.size).toBeGreaterThan(25);
}, 240_000);

test('reads all names while users save', async () => {
  const names = await driver.list('Customer');
  const rest = work('Customer', names, new Set());
  const { customers } = await accounting.readReferenceData();
  rest();
  const known = new Set(customers.map(({ id }) => id));
  expect(names.map(idOf).filter((id) => !known.has(id))).toEqual([]);
  expect(known.size).toBe(customers.length);
}, 60_000);
