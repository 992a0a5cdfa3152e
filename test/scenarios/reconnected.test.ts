import { expect, test } from 'vitest';
import { testConnection } from '#flows/connections/test-connection.ts';
import { eachWorld } from '../support/each-world.ts';
import { payInvoice } from '../support/pay-invoice.ts';

const world = eachWorld({ settings: { pay_sync_active: true } });

const day = 86_400;
const paidDate = async (psaId: number) => (await world.psaInvoice(psaId))['paidDate'] ?? null;
async function post(psaId: number): Promise<string> {
  await world.sync('invoice', { mode: 'live', psaIds: [psaId] });
  return (await world.store.readPosting('invoice', psaId))?.targetId ?? '';
}
const pay = (id: string, amount: number, on: string) => payInvoice(world, id, amount, { on });
/** Disconnects the app in QuickBooks, which a cycle detects. */
async function loseConnection(): Promise<void> {
  const { error } = await fetch(`${world.quickbooks.url}/__sandbox/revoke`, { method: 'POST', body: '{}' }).then(
    async (answer) => (answer.ok ? { error: null } : { error: await answer.text() }),
  );
  expect(error).toBeNull();
  await world.saveSettings({ inv_sync_active: true });
  await world.cycle();
  expect((await world.store.listConnections()).find(({ service }) => service === 'accounting')?.status).toBe(
    'inactive',
  );
  await world.saveSettings({ inv_sync_active: false });
}

test.each([
  ['without webhooks', false],
  ['with webhooks, which missed it', true],
])(
  'a payment entered while QuickBooks was disconnected arrives within one cycle, %s',
  async (_how, hasNotifications) => {
    const id = await post(48_213);
    await world.advance(3_600);
    await world.cycle();
    if (hasNotifications) await world.store.addToInbox([{ record: 'invoice', id }], { isNotification: true });
    await world.work();
    await loseConnection();
    await pay(id, 1966.25, '2025-03-03');
    await world.advance(60);
    await world.reconnectAccounting();
    await world.cycle();
    expect(await paidDate(48_213)).toMatch(/^2025-03-03/);
  },
);

test('a payment deleted while QuickBooks was disconnected clears the paid date within one cycle', async () => {
  const id = await post(48_213);
  await pay(id, 1966.25, '2025-03-03');
  await world.advance(3_600);
  await world.cycle();
  expect(await paidDate(48_213)).toMatch(/^2025-03-03/);
  await loseConnection();
  const [payment] = (await world.quickbooks.list('Payment')).filter((row) => row['TotalAmt'] === 1966.25);
  await world.quickbooks.remove('Payment', String(payment?.['Id']));
  await world.advance(60);
  await world.reconnectAccounting();
  await world.cycle();
  expect(await paidDate(48_213)).toBeNull();
});

test('a payment entered while the connection did not work arrives within one cycle of a successful test', async () => {
  const id = await post(48_213);
  await world.advance(3_600);
  await world.cycle();
  await world.store.markConnection('accounting', {
    status: 'inactive',
    problem: 'QuickBooks needs to be reconnected.',
  });
  await pay(id, 1966.25, '2025-03-03');
  await world.advance(60);
  expect(await testConnection(world.app, world.tenant, 'accounting')).toMatchObject({ isConnected: true });
  await world.cycle();
  expect(await paidDate(48_213)).toMatch(/^2025-03-03/);
});

test('a payment from before the reach of the feed arrives too', async () => {
  const id = await post(48_213);
  await world.advance(3_600);
  await world.cycle();
  await loseConnection();
  await world.advance(2 * day);
  await pay(id, 1966.25, '2025-03-05');
  await world.advance(40 * day);
  await world.reconnectAccounting();
  await world.cycle();
  expect(await paidDate(48_213)).toMatch(/^2025-03-05/);
});
