import { createHmac } from 'node:crypto';
import { assert, integer, property, uint8Array } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keepingLogger } from '#test/support/fake-ports.ts';
import { quickbooksNotifications } from './notifications.ts';

const verifier = 'a verifier that only Intuit and we know';
const bytes = (message: unknown) =>
  new TextEncoder().encode(typeof message === 'string' ? message : JSON.stringify(message));
const sign = (body: Uint8Array, key = verifier) => createHmac('sha256', key).update(body).digest('base64');
const logger = keepingLogger();
const notifications = quickbooksNotifications(verifier, logger);
const readSigned = (body: Uint8Array, signature: string | undefined) => {
  const message = notifications.receive(signature);
  // In two parts, as a network delivers them.
  message.add(body.subarray(0, 3));
  message.add(body.subarray(3));
  return message.finish()?.read() ?? null;
};
const read = (message: unknown) => readSigned(bytes(message), sign(bytes(message)));

const legacy = (entities: readonly unknown[], realmId = '9341452000000001') => ({
  eventNotifications: [{ realmId, dataChangeEvent: { entities } }],
});
const entity = (name: string, id: string, operation = 'Update') => ({
  name,
  id,
  operation,
  lastUpdated: '2025-03-03T07:42:19-0800',
});
const cloud = (type: string, id: string, realm = '9341452000000001') => ({
  specversion: '1.0',
  id: crypto.randomUUID(),
  source: 'intuit.c2FuZGJveA==',
  type,
  datacontenttype: 'application/json',
  time: '2025-03-03T15:42:19Z',
  intuitentityid: id,
  intuitaccountid: realm,
  data: {},
});

describe('a QuickBooks notification', () => {
  test('lists the records of one company in the older format', () => {
    expect(read(legacy([entity('Customer', '12'), entity('Payment', '77', 'Delete')]))).toEqual([
      {
        companyId: '9341452000000001',
        changes: [
          { record: 'customer', id: '12' },
          { record: 'payment', id: '77' },
        ],
      },
    ]);
  });

  test('may list several companies in the newer format', () => {
    const message = [
      cloud('qbo.customer.updated.v1', '12'),
      cloud('qbo.invoice.voided.v1', '130', '9341452000000002'),
      cloud('qbo.item.created.v1', '3'),
    ];
    expect(read(message)).toEqual([
      {
        companyId: '9341452000000001',
        changes: [
          { record: 'customer', id: '12' },
          { record: 'item', id: '3' },
        ],
      },
      { companyId: '9341452000000002', changes: [{ record: 'invoice', id: '130' }] },
    ]);
  });

  test('lists a record once', () => {
    const update = cloud('qbo.vendor.updated.v1', '5');
    expect(read([update, cloud('qbo.vendor.created.v1', '5'), update])?.[0]?.changes).toEqual([
      { record: 'vendor', id: '5' },
    ]);
  });

  test('lists the deleted record of a merge too', () => {
    const merged = { ...entity('Customer', '12', 'Merge'), deletedId: '13' };
    expect(read(legacy([merged]))?.[0]?.changes).toEqual([
      { record: 'customer', id: '12' },
      { record: 'customer', id: '13' },
    ]);
  });

  test('lists both records of a merge in the newer format', () => {
    const merged = { ...cloud('qbo.customer.merged.v1', '12'), data: { deletedid: '13' } };
    expect(read([merged])?.[0]?.changes).toEqual([
      { record: 'customer', id: '12' },
      { record: 'customer', id: '13' },
    ]);
  });

  test.each(['updated', 'deleted', 'merged', 'emailed', 'void', 'voided'])(
    "reports a changed invoice for the newer format's verb %s, in a list or alone",
    (verb) => {
      const expected = [{ companyId: '9341452000000001', changes: [{ record: 'invoice', id: '9' }] }];
      expect(read([cloud(`qbo.invoice.${verb}.v1`, '9')])).toEqual(expected);
      expect(read(cloud(`qbo.invoice.${verb}.v1`, '9'))).toEqual(expected);
    },
  );

  test('ignores a newly created invoice', () => {
    expect(read([cloud('qbo.invoice.created.v1', '9')])).toEqual([{ companyId: '9341452000000001', changes: [] }]);
    expect(read(legacy([entity('Invoice', '9', 'Create')]))).toEqual([{ companyId: '9341452000000001', changes: [] }]);
  });

  test('skips an invalid element and keeps the others', () => {
    const message = [
      null,
      { type: 'qbo.customer.updated.v1' },
      cloud('qbo.timeactivity.updated.v1', '1'),
      cloud('qbo.constructor.updated.v1', '1'),
      cloud('qbo.customer.updated.v1', '../1'),
      cloud('qbo.customer.updated.v1', '4'),
    ];
    expect(read(message)?.[0]?.changes).toEqual([{ record: 'customer', id: '4' }]);
  });

  test('accepts a signed but invalid message and logs it without its content', () => {
    expect(read('{"eventNotifications": "none of yo')).toEqual([]);
    expect(read({ hello: 'customer data' })).toEqual([]);
    expect(logger.lines.length).toBe(2);
    expect(JSON.stringify(logger.lines)).not.toContain('customer data');
  });
});

describe('a notification signature', () => {
  const body = bytes([cloud('qbo.customer.updated.v1', '4')]);

  test('is rejected for another key, other bytes, or when missing', () => {
    expect(readSigned(body, undefined)).toBeNull();
    expect(readSigned(body, '')).toBeNull();
    expect(readSigned(body, sign(body, 'another verifier'))).toBeNull();
    expect(
      readSigned(bytes(JSON.stringify(JSON.parse(new TextDecoder().decode(body)), null, 1)), sign(body)),
    ).toBeNull();
    expect(readSigned(body, `${sign(body)} `)).toBeNull();
    expect(readSigned(body, createHmac('sha256', verifier).update(body).digest('hex'))).toBeNull();
    expect(readSigned(body, sign(body))).not.toBeNull();
  });

  test('is rejected after a single changed bit of the body or signature', () => {
    assert(
      property(
        uint8Array({ minLength: 1, maxLength: 300 }),
        integer({ min: 0 }),
        integer({ min: 0 }),
        (any, at, of) => {
          const changed = any.slice();
          const place = at % changed.length;
          changed[place] = (changed[place] ?? 0) ^ (1 << (of % 8));
          expect(readSigned(changed, sign(any))).toBeNull();
          const signature = Buffer.from(sign(any), 'base64');
          signature[at % 32] = (signature[at % 32] ?? 0) ^ (1 << (of % 8));
          expect(readSigned(any, signature.toString('base64'))).toBeNull();
        },
      ),
    );
  });

  test('is never accepted without a verifier', () => {
    for (const none of [undefined, '', ' , '])
      for (const key of ['', 'undefined', ',', ' '])
        expect(quickbooksNotifications(none, logger).receive(sign(body, key)).finish()).toBeNull();
  });

  test('is accepted with either verifier during a rotation', () => {
    const both = quickbooksNotifications('the new one, the old one', logger);
    for (const [key, isAccepted] of [
      ['the new one', true],
      ['the old one', true],
      ['the new one, the old one', false],
      ['another', false],
    ] as const) {
      const message = both.receive(sign(body, key));
      message.add(body);
      expect(message.finish() !== null, key).toBe(isAccepted);
    }
  });
});
