import { expect, test } from 'vitest';
import { eachWorld } from '../support/each-world.ts';
import { mapping } from '../support/mappings.ts';
import { newJob } from '../support/attempts.ts';

const world = eachWorld();

const customers = async () => (await world.quickbooks.list('Customer')).map((row) => row['DisplayName']);
const mapped = async (namespace: 'Customer' | 'Vendor', companyId: number) =>
  (await world.store.listMappings([namespace]))
    .filter(({ sourceValue }) => sourceValue === String(companyId))
    .map(({ targetValue }) => targetValue);

test('a customer matched by name stays matched when either service renames it', async () => {
  await world.sync('invoice', { mode: 'test', psaIds: [48_214] });
  expect(await mapped('Customer', 176)).toEqual([]);
  await world.sync('invoice', { mode: 'live', psaIds: [48_214] });
  expect(await mapped('Customer', 176)).toEqual(['59']);

  const before = await customers();
  await world.autotask.put('Companies', 176, { companyName: 'Birch & Partners' });
  await world.quickbooks.put('Customer', '59', { DisplayName: 'Birch Legal (Austin)', CompanyName: 'Birch' });
  await world.autotask.put('Invoices', 48_314, { invoiceNumber: '' });
  const job = await world.sync('invoice', { mode: 'live', psaIds: [48_314] });
  expect(world.resultOf(job, 48_314)).toMatchObject({ outcome: 'succeeded' });
  expect(await customers()).toHaveLength(before.length);
  const posting = await world.store.readPosting('invoice', 48_314);
  const made = (await world.quickbooks.list('Invoice')).find((row) => row['Id'] === posting?.targetId);
  expect(made).toMatchObject({ CustomerRef: { value: '59' } });
});

test('a vendor and the customer of an order stay matched too', async () => {
  await world.sync('purchase_order', { mode: 'live', psaIds: [3310] });
  expect(await mapped('Vendor', 301)).toEqual(['90']);
  expect(await mapped('Customer', 175)).toEqual(['58']);
});

test('a mapping saved by a user during the sync is kept', async () => {
  let saved: Promise<unknown> = Promise.resolve();
  const { id } = await world.tenant.store.addJob(
    newJob({ psaIds: [48_214], submittedBy: null, createdAt: world.clock.now() }),
  );
  await world.work((name, when) => {
    if (name !== 'post:create_invoice' || when !== 'before') return;
    saved = world.store.saveMappings([mapping('Customer', '176', '61')]);
  });
  await saved;
  expect(await world.store.readJob(id)).toMatchObject({ status: 'finished', succeeded: 1 });
  expect(await mapped('Customer', 176)).toEqual(['61']);
});
