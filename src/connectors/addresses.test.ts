import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPublicAddress, publicLookup } from './addresses.ts';

describe('an address is', () => {
  test.each([
    '127.0.0.1',
    '127.9.9.9',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '[::1]',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::a00:1',
    '64:ff9b:1::a00:1',
    '64:ff9b:1:ffff::1',
    '2001::1',
    '2001:0:4136:e378::1',
    '2001:1ff::1',
    '2002:a00:1::1',
    '2002:7f00:1::',
    '2620:4f:8000::1',
    '3fff::1',
    '5f00::1',
    '100:0:0:1::1',
    'fec0::1',
    '192.88.99.1',
    '192.31.196.1',
    '192.52.193.1',
    '192.175.48.1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'ff02::1',
    'localhost',
    '',
  ])('not public: %s', (address) => expect(isPublicAddress(address)).toBe(false));

  test.each([
    '8.8.8.8',
    '172.15.0.1',
    '172.32.0.1',
    '100.128.0.1',
    '2600:1f18::1',
    '2001:200::1',
    '2003::1',
    '2620:4f:8001::1',
    '[2600:1f18::1]',
    '::ffff:8.8.8.8',
  ])('public: %s', (address) => expect(isPublicAddress(address)).toBe(true));

  test('not public in any notation of a private address', () => {
    const octet = fc.nat({ max: 255 });
    fc.assert(
      fc.property(octet, octet, octet, (a, b, c) => {
        expect(isPublicAddress(`10.${a}.${b}.${c}`)).toBe(false);
        expect(isPublicAddress(`::ffff:10.${a}.${b}.${c}`)).toBe(false);
        expect(isPublicAddress(`127.${a}.${b}.${c}`)).toBe(false);
      }),
      { seed: 1 },
    );
  });
});

describe('a host name', () => {
  const resolved = (addresses: readonly string[], all: boolean) =>
    new Promise<unknown>((resolve) => {
      const lookup = publicLookup((_host, _options, callback) =>
        callback(
          null,
          addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        ),
      );
      lookup('webservices5.autotask.net', { all }, (error, found) => resolve(error ?? found));
    });

  test('resolves to the checked addresses', async () => {
    expect(await resolved(['8.8.8.8', '2600:1f18::1'], true)).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '2600:1f18::1', family: 6 },
    ]);
    expect(await resolved(['8.8.8.8'], false)).toBe('8.8.8.8');
  });

  test.each([[['10.0.0.5']], [['8.8.8.8', '127.0.0.1']], [['::1']], [[]]])(
    'is rejected when it resolves to %j',
    async (addresses) => {
      expect(await resolved(addresses, true)).toMatchObject({ code: 'ADDRESS_NOT_PUBLIC' });
      expect(await resolved(addresses, false)).toMatchObject({ code: 'ADDRESS_NOT_PUBLIC' });
    },
  );

  test('passes on a failed lookup', async () => {
    const unknown = Object.assign(new Error('unknown host'), { code: 'ENOTFOUND' });
    const lookup = publicLookup((_host, _options, callback) => callback(unknown, []));
    expect(await new Promise((resolve) => lookup('unknown.example', {}, resolve))).toBe(unknown);
  });
});
