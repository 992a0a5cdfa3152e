import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Doc, docAt, listAt } from './doc.ts';
import { type Client, codesOf, invoiceOf, saleOf, World } from './test-client.ts';

let world: World;
let northwind: Client;
beforeAll(async () => {
  world = await World.start();
});
beforeEach(async () => {
  world.sandbox.reset();
  await world.control('DELETE', 'behaviour');
  northwind = await world.connect();
});
afterAll(() => world.close());

const batch = (items: Doc[], query = '') => northwind.post(`batch${query}`, { BatchItemRequest: items });
const create = (bId: string, amount = 10): Doc => ({ bId, operation: 'create', Invoice: invoiceOf(amount) });

describe('batch', () => {
  test('each item has a separate success or fault in one 200 response', async () => {
    const answer = await batch([
      { bId: '1', operation: 'create', Vendor: { DisplayName: 'Boraski' } },
      { bId: '2', operation: 'delete', Invoice: { Id: '129', SyncToken: '0' } },
      { bId: '3', operation: 'update', Invoice: { Id: '9141', SyncToken: '7', sparse: true, PrivateNote: 'x' } },
      { bId: '4', Query: "select * from Invoice where DocNumber = '1038'" },
      { bId: '5', operation: 'update', Payment: { Id: '9152', SyncToken: '0', sparse: true }, optionsData: 'void' },
    ]);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      BatchItemResponse: [
        { bId: '1', Vendor: { Id: '92', DisplayName: 'Boraski' } },
        {
          bId: '2',
          Fault: { Error: [{ code: '610', Message: 'Object Not Found', element: '' }], type: 'ValidationFault' },
        },
        { bId: '3', Fault: { Error: [{ code: '5010' }] } },
        { bId: '4', QueryResponse: { Invoice: [{ Id: '9141' }], startPosition: 1, maxResults: 1 } },
        { bId: '5', Payment: { TotalAmt: 0, PrivateNote: 'Voided' } },
      ],
      time: expect.any(String),
    });
  });

  test('items run in order and see earlier ones', async () => {
    const answer = await batch([
      { bId: 'a', operation: 'create', Customer: { DisplayName: 'Twin' } },
      { bId: 'b', operation: 'create', Customer: { DisplayName: 'Twin' } },
    ]);
    expect(answer.body).toMatchObject({
      BatchItemResponse: [{ Customer: { DisplayName: 'Twin' } }, { Fault: { Error: [{ code: '6240' }] } }],
    });
  });

  test('the fault of an item lists all its errors', async () => {
    const answer = await batch([{ bId: '1', operation: 'create', Invoice: {} }]);
    const [item] = listAt(answer.body, 'BatchItemResponse');
    expect(listAt(docAt(item, 'Fault'), 'Error').map(({ code }) => code)).toEqual(['2020', '2020']);
  });

  test('apart: queries see the state before the batch, writes run in reverse order, responses keep their order', async () => {
    await world.behave({ batch_items: 'apart' });
    const answer = await batch([create('1'), create('2'), { bId: '3', Query: 'select count(*) from Invoice' }]);
    await world.behave({ batch_items: 'in-turn' });
    const [one, two, three] = listAt(answer.body, 'BatchItemResponse');
    expect([one, two].map((item) => docAt(item, 'Invoice')['Id'])).toEqual(['9178', '9177']);
    expect(docAt(three, 'QueryResponse')).toEqual({ totalCount: 3 });
  });

  test('allows 1 to 30 items (400, 1040), each with a unique bId', async () => {
    expect((await batch(Array.from({ length: 30 }, (_, n) => create(String(n))))).status).toBe(200);
    expect(codesOf(await batch(Array.from({ length: 31 }, (_, n) => create(String(n)))))).toEqual(['1040']);
    expect((await batch([])).text).toContain('Batch Request is Empty');
    expect(codesOf(await batch([create('x'), create('x')]))).toEqual(['400']);
    expect(codesOf(await batch([{ operation: 'create', Invoice: invoiceOf(1) }]))).toEqual(['2020']);
  });

  test('unknown operations and entities are faults of their item', async () => {
    const answer = await batch([
      { bId: '1', operation: 'explode', Invoice: invoiceOf(1) },
      { bId: '2', operation: 'create', Spaceship: {} },
      { bId: '3', Invoice: invoiceOf(1) },
      { bId: '4', Query: 'select' },
    ]);
    const codes = listAt(answer.body, 'BatchItemResponse').map(
      (item) => listAt(docAt(item, 'Fault'), 'Error')[0]?.['code'],
    );
    expect(codes).toEqual(['2170', '2000', '2020', '4000']);
  });

  test('a requestid covers every item: resending all or some creates nothing twice', async () => {
    const first = await batch([create('1'), create('2')], '?requestid=b-1');
    const again = await batch([create('1'), create('2'), create('3')], '?requestid=b-1');
    const [one, two, three] = listAt(again.body, 'BatchItemResponse');
    expect([one, two]).toEqual(listAt(first.body, 'BatchItemResponse'));
    expect(docAt(three, 'Invoice')).toMatchObject({ Id: '9179' });
    expect(await northwind.query('select count(*) from Invoice')).toEqual({ totalCount: 6 });
  });

  test('limits the requestid to 36 characters and a bId to 10 (2130)', async () => {
    expect(codesOf(await batch([create('1')], `?requestid=${'x'.repeat(37)}`))).toEqual(['2130']);
    expect(codesOf(await batch([create('12345678901')], '?requestid=b-2'))).toEqual(['2130']);
    expect((await batch([create('12345678901')])).status).toBe(200);
  });

  test('an item may force a duplicate number', async () => {
    await world.control('PUT', 'entities/Preferences/1', { SalesFormsPrefs: { CustomTxnNumbers: true } });
    const item = { bId: '1', operation: 'create', Invoice: invoiceOf(1, { DocNumber: '1038' }) };
    expect((await batch([item])).text).toContain('"code":"6140"');
    expect((await batch([{ ...item, optionsData: 'allowduplicatedocnum' }])).text).toContain('"DocNumber":"1038"');
  });
});

describe('change data capture', () => {
  const changes = async (entities: string, since: string) => {
    const answer = await northwind.get(`cdc?entities=${entities}&changedSince=${encodeURIComponent(since)}`);
    const [response] = listAt(answer.body, 'CDCResponse');
    return { answer, blocks: listAt(response, 'QueryResponse') };
  };
  const now = async () => {
    const time = (await northwind.get('preferences')).body['time'];
    return typeof time === 'string' ? time : '';
  };

  test('returns one block per entity with its changes, empty without any, and stubs for deleted records', async () => {
    await world.behave({ changed_as_deleted: 'nowhere' });
    await world.advance(60);
    const since = await now();
    await world.advance(10);
    await northwind.write('Invoice', invoiceOf(10));
    await northwind.post('invoice?operation=delete', { Id: '9141', SyncToken: '0' });
    await northwind.write('Customer', { Id: '61', SyncToken: '0', sparse: true, Active: false });
    await world.advance(10);
    const { blocks } = await changes('Invoice,Payment,Customer', since);
    expect(blocks).toMatchObject([
      {
        Invoice: [
          { Id: '9177' },
          { domain: 'QBO', status: 'Deleted', Id: '9141', MetaData: { LastUpdatedTime: expect.any(String) } },
        ],
        startPosition: 1,
        maxResults: 2,
        totalCount: 2,
      },
      {},
      { Customer: [{ Id: '58' }, { Id: '61', Active: false, DisplayName: 'Delta School (deleted)' }] },
    ]);
    expect(blocks[1]).toEqual({});
  });

  test('a block with only stubs has no startPosition', async () => {
    await world.advance(60);
    const since = await now();
    await northwind.post('invoice?operation=delete', { Id: '9141', SyncToken: '0' });
    await world.advance(10);
    expect((await changes('Invoice', since)).blocks[0]).not.toHaveProperty('startPosition');
  });

  test("shows a change only after the switch's delay", async () => {
    await world.behave({ cdc_delay_seconds: 30 });
    await world.advance(60);
    const since = await now();
    await northwind.write('Invoice', invoiceOf(10));
    await world.advance(29);
    expect((await changes('Invoice', since)).blocks).toEqual([{}]);
    await world.advance(1);
    expect((await changes('Invoice', since)).blocks).toMatchObject([{ Invoice: [{ Id: '9177' }] }]);
  });

  test('reports a record that was only changed as deleted, unless a switch says otherwise', async () => {
    await world.advance(60);
    const since = await now();
    await northwind.write('Customer', { Id: '61', SyncToken: '0', sparse: true, Notes: 'Changed' });
    const created = await northwind.write('Customer', { DisplayName: 'Created' });
    await world.advance(10);
    const stub = { domain: 'QBO', status: 'Deleted', Id: '61', MetaData: { LastUpdatedTime: expect.any(String) } };
    expect((await changes('Customer', since)).blocks[0]?.['Customer']).toEqual([
      expect.objectContaining({ Id: created['Id'], DisplayName: 'Created' }),
      stub,
    ]);
    await world.behave({ changed_as_deleted: 'nowhere' });
    expect((await changes('Customer', since)).blocks[0]).toMatchObject({
      Customer: expect.arrayContaining([expect.objectContaining({ Id: '61', Notes: 'Changed' })]),
    });
  });

  test('a payment shows its invoice as changed', async () => {
    await world.behave({ changed_as_deleted: 'nowhere' });
    await world.advance(60);
    const since = await now();
    await northwind.write('Payment', {
      CustomerRef: { value: '58' },
      TotalAmt: 420,
      Line: [{ Amount: 420, LinkedTxn: [{ TxnId: '9141', TxnType: 'Invoice' }] }],
    });
    await world.advance(10);
    expect((await changes('invoice,payment', since)).blocks).toMatchObject([
      { Invoice: [{ Id: '9141', Balance: 0 }] },
      { Payment: [{ Id: '9177' }] },
    ]);
  });

  test('returns up to 30 days, 1,000 objects, and not every entity', async () => {
    expect(codesOf((await changes('Invoice', '2025-01-15T00:00:00-08:00')).answer)).toEqual(['6000']);
    expect(codesOf((await changes('TaxCode', '2025-03-01')).answer)).toEqual(['2000']);
    expect(codesOf((await changes('Invoice', 'yesterday')).answer)).toEqual(['2060']);
    // An unencoded plus arrives as a blank, which is invalid in an offset.
    const late = '2025-03-03T17:00:00+00:00';
    expect(codesOf(await northwind.get(`cdc?entities=Invoice&changedSince=${late}`))).toEqual(['2060']);
    expect(codesOf(await northwind.get(`cdc?entities=Invoice&changedSince=${encodeURIComponent(late)}`))).toEqual([]);
    expect(codesOf(await northwind.get('cdc?entities=Invoice'))).toEqual(['2020']);
    const big = await World.start({ invoices: 1100 });
    const client = await big.connect();
    const answer = await client.get(
      `cdc?entities=Invoice,Customer&changedSince=${encodeURIComponent('2025-02-02T00:00:00-08:00')}`,
    );
    const [response] = listAt(answer.body, 'CDCResponse');
    const [invoices, customers] = listAt(response, 'QueryResponse');
    expect(listAt(invoices, 'Invoice')).toHaveLength(1000);
    expect(customers).toEqual({});
    await big.close();
  });
});

describe('faults', () => {
  test('a batch is never applied partially: with a lost response all items exist', async () => {
    await world.control('POST', 'faults', { match: { path: '/batch$' }, times: 1, action: { reset: 'after' } });
    await expect(
      batch(
        [create('1'), { bId: '2', operation: 'create', Invoice: { CustomerRef: { value: '58' }, Line: [saleOf(5)] } }],
        '?requestid=b-9',
      ),
    ).rejects.toThrow();
    expect(await northwind.query('select count(*) from Invoice')).toEqual({ totalCount: 5 });
    expect(listAt((await batch([create('1'), create('2')], '?requestid=b-9')).body, 'BatchItemResponse')).toMatchObject(
      [{ Invoice: { Id: '9177' } }, { Invoice: { Id: '9178' } }],
    );
  });
});
