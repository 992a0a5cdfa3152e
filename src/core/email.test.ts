import { expect, test } from 'vitest';
import { isEmail } from './email.ts';

test('an address is one address', () => {
  for (const good of ['ada@example.com', 'o’neil+books@example.co.uk', 'jürgen@müller.example', 'a@b'])
    expect([good, isEmail(good)]).toEqual([good, true]);
  for (const bad of [
    '',
    'ada',
    'ada@',
    '@example.com',
    'a@b@c',
    'ada@example.com, eve@example.com',
    'ada@example.com;eve@example.com',
    'Ada <ada@example.com>',
    '"Ada" @example.com',
    'ada@example.com\r\nBcc: eve@example.com',
    'ada@exam\u0000ple.com',
    `${'a'.repeat(250)}@b.com`,
  ])
    expect([bad, isEmail(bad)]).toEqual([bad, false]);
});

test('an address is at most 254 letters long', () => {
  const host = '@example.com';
  expect(isEmail('a'.repeat(254 - host.length) + host)).toBe(true);
  expect(isEmail('a'.repeat(255 - host.length) + host)).toBe(false);
});
