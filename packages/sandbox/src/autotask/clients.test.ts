import { AutotaskRestApi, type AutotaskApiError } from '@apigrate/autotask-restapi';
import { expect, test } from 'vitest';
import { entityTypes } from './schema.ts';
import { ids, start, where } from './testing.ts';
import { defaultUser } from './users.ts';

/** Returns the third-party client, unchanged, connected to a sandbox. */
async function client(secret = defaultUser.secret) {
  const world = await start();
  const { userName, apiIntegrationCode } = defaultUser;
  const autotask = new AutotaskRestApi(userName, secret, apiIntegrationCode, {
    base_url: `${world.sandbox.url}/ATServicesRest/`,
  });
  const entity = (name: string) => {
    const calls = autotask[name];
    if (calls === undefined) throw new Error(`the client does not know ${name}`);
    return calls;
  };
  return { ...world, entity };
}

/** The entities that the client and the sandbox have. The client calls children by their own names as well. */
const clientEntities = [...entityTypes.values()].map((type) => type.name);

test('the client finds the zone and reads our company', async () => {
  const { entity, journal } = await client();
  expect(await entity('Companies').get(0)).toMatchObject({ item: { id: 0, companyName: 'Northwind IT Services' } });
  expect((await journal()).map((entry) => entry.path)).toEqual([
    '/ATServicesRest/v1.0/zoneInformation',
    '/ATServicesRest/V1.0/Companies/0',
  ]);
});

test.each(clientEntities)('the client queries, counts, reads, and describes %s', async (name) => {
  const { entity } = await client();
  const calls = entity(name);
  const filter = [where('id', 'gte', 0)];
  const { items, pageDetails } = await calls.query({ filter });
  const { queryCount } = await calls.count({ filter });
  expect(pageDetails).toMatchObject({ count: items.length, requestCount: 500 });
  expect(queryCount).toBeGreaterThanOrEqual(items.length);
  const first = items[0];
  if (first !== undefined) expect(await calls.get(Number(first.id))).toEqual({ item: first });
  expect(await calls.get(999_999_999)).toEqual({ item: null });
  expect((await calls.info()).info).toMatchObject({ canQuery: true });
  const fields = (await calls.fieldInfo()).fields as { name: string }[];
  expect(fields[0]?.name).toBe('id');
  if (first !== undefined)
    expect(Object.keys(first).filter((key) => key !== 'userDefinedFields')).toEqual(fields.map((field) => field.name));
  expect(Array.isArray((await calls.udfInfo()).fields)).toBe(true);
});

test('the client creates, updates, replaces, and deletes', async () => {
  const { entity } = await client();
  const companies = entity('Companies');
  const { itemId } = await companies.create({
    CompanyName: 'Sirius Supplies',
    CompanyType: 7,
    Phone: '8005551212',
    OwnerResourceID: 20,
  });
  await companies.update({ id: itemId, city: 'Austin' });
  expect(await companies.get(itemId)).toMatchObject({
    item: { companyName: 'Sirius Supplies', city: 'Austin', phone: '8005551212' },
  });
  await companies.replace({ id: itemId, companyName: 'Sirius', companyType: 7, phone: '1', ownerResourceID: 20 });
  expect(await companies.get(itemId)).toMatchObject({ item: { companyName: 'Sirius', city: null } });
  const locations = entity('CompanyLocations');
  const location = await locations.create(175, { name: 'Branch' });
  await locations.update(175, { id: location.itemId, city: 'Waco' });
  expect(await locations.get(location.itemId)).toMatchObject({
    item: { name: 'Branch', city: 'Waco', companyID: 175 },
  });
  expect(await locations.delete(175, location.itemId)).toEqual({ itemId: location.itemId });
});

test('the client writes invoices, orders, and expense items', async () => {
  const { entity } = await client();
  expect(await entity('Invoices').update({ id: 48213, invoiceNumber: '1042' })).toEqual({ itemId: 48213 });
  expect(await entity('PurchaseOrders').update({ id: 3310, externalPONumber: '1009' })).toEqual({ itemId: 3310 });
  expect(await entity('ExpenseReports').update({ id: 1207, quickBooksReferenceNumber: '9203' })).toEqual({
    itemId: 1207,
  });
  const { itemId } = await entity('ExpenseReports').create({
    name: 'March',
    submitterID: 21,
    weekEnding: '2025-03-07',
  });
  const item = await entity('ExpenseItems').create(itemId, {
    description: 'Lunch',
    expenseCategory: 42,
    expenseDate: '2025-03-01',
    haveReceipt: true,
    isBillableToCompany: false,
    paymentType: 1,
    internalCurrencyExpenseAmount: 12.5,
  });
  expect(await entity('ExpenseItems').get(item.itemId)).toMatchObject({
    item: { expenseReportID: itemId, internalCurrencyReimbursementAmount: 12.5 },
  });
  const order = await entity('PurchaseOrderItems').create(3312, {
    productID: 802,
    quantity: 1,
    unitCost: 412,
    inventoryLocationID: 1,
  });
  expect(await entity('PurchaseOrderItems').get(order.itemId)).toMatchObject({ item: { orderID: 3312 } });
});

test('the client reads the modules and impersonates another resource', async () => {
  const { entity } = await client();
  expect((await entity('Modules').get()).modules).toContainEqual({ key: 65, value: true });
  const { itemId } = await entity('Companies').create(
    { companyName: 'x', companyType: 1, phone: '1', ownerResourceID: 20 },
    { ImpersonationResourceId: 21 },
  );
  expect(await entity('Companies').get(itemId)).toMatchObject({
    item: { createdByResourceID: 21, impersonatorCreatorResourceID: 99 },
  });
});

test('the client reports rejections as errors with status and text', async () => {
  const { entity } = await client();
  const caught = async (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: AutotaskApiError) => [error.status, error.details],
    );
  expect(await caught(entity('Companies').query({ filter: [where('colour', 'eq', 1)] }))).toEqual([
    500,
    { errors: ['Unable to find colour in the Company Entity.'] },
  ]);
  expect(await caught(entity('Invoices').create({ invoiceNumber: '1' }))).toEqual([
    405,
    { Message: "The requested resource does not support http method 'POST'." },
  ]);
  const wrongClient = await client('wrong');
  expect(await caught(wrongClient.entity('Companies').get(0))).toEqual([401, '']);
});

test('the client uses its own operator names with the same results', async () => {
  const { entity } = await client();
  const find = async (op: string, field: string, value?: unknown) =>
    ids((await entity('Companies').query({ filter: [{ op, field, value }] })).items);
  expect(await find('beginsWith', 'CompanyName', 'b')).toEqual([176]);
  expect(await find('in', 'Id', [175, 176])).toEqual([175, 176]);
  expect(await find('contains', 'companyName', ': ')).toEqual([178]);
  expect(await find('eq', 'companyName', 'Acme Dental ')).toEqual([175, 302]);
});
