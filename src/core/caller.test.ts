import { expect, test } from 'vitest';
import { callerOf, networkOf } from './caller.ts';

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:203.0.113.7', '203.0.113.7'],
  ['::ffff:cb00:7107', '203.0.113.7'],
  ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['203.0.113.7:4711', '203.0.113.7'],
  ['[2001:db8:1:2::1]:4711', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::1]', '2001:db8:1:2::/64'],
  ['[::ffff:203.0.113.7]:4711', '203.0.113.7'],
  ['', 'unknown'],
  ['unknown', 'unknown'],
  [':'.repeat(15_000), 'unknown'],
  [`2001:db8::${'1'.repeat(15_000)}`, 'unknown'],
  ['2001:db8::1::2', 'unknown'],
  ['1:2:3:4:5:6:7:8:9', 'unknown'],
  ['2001:db8::1]/[', 'unknown'],
])('counts requests from %s as %s', (address, caller) => expect(callerOf(address)).toBe(caller));

test.each([
  ['2001:db8:1:2ff::1', '2001:db8:1:200::/56'],
  ['2001:db8:1:200::1', '2001:db8:1:200::/56'],
  ['2001:db8:1:300::1', '2001:db8:1:300::/56'],
  ['2001:db8::1', '2001:db8:0:0::/56'],
  ['203.0.113.7', null],
  ['unknown', null],
])('%s belongs to the network %s', (address, network) => expect(networkOf(callerOf(address))).toBe(network));
