import { expect, test } from 'vitest';
import { isAccountingEmail, isEmail, repairEmail } from './email.ts';

test('accepts one valid address and rejects everything else', () => {
  for (const good of ['ada@example.com', 'o’neil+accounting@example.co.uk', 'jürgen@müller.example', 'a@b'])
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

test('accepts at most 254 characters', () => {
  const host = '@example.com';
  expect(isEmail('a'.repeat(254 - host.length) + host)).toBe(true);
  expect(isEmail('a'.repeat(255 - host.length) + host)).toBe(false);
});

test.each([
  ['ap@acme.example', true],
  ['ap@acme.example, cfo@acme.example', true],
  [`${'a'.repeat(87)}@acme.example`, true],
  [`${'a'.repeat(88)}@acme.example`, false],
  ['none', false],
  ['n/a', false],
  ['accounts payable', false],
  ['a@x.example; b@x.example', false],
  ['a@x.example,', false],
  ['Ada <a@x.example>', false],
  ['ap@intranet', false],
  ['ap@acme.', false],
  ['ap..billing@acme.example', false],
  ['ap@acme..example', false],
  ['.ap@acme.example', false],
  ['ap.@acme.example', false],
  ['ap.billing@mail.acme.example', true],
])('QuickBooks accepts “%s” as an email address: %s', (text, isAccepted) => {
  expect(isAccountingEmail(text)).toBe(isAccepted);
});

test.each([
  ['ap@x.example', 'ap@x.example'],
  [' ap@x.example ', 'ap@x.example'],
  ['Ann <ap@x.example>,', 'ap@x.example'],
  ['"Doe, Ann" <ap@x.example>', 'ap@x.example'],
  ['“Ann” <ap@x.example>;', 'ap@x.example'],
  ['ap@x.example,', 'ap@x.example'],
  ['ap@x.example.', 'ap@x.example'],
  ['mailto:ap@x.example', 'ap@x.example'],
  ['<mailto:ap@x.example?subject=Invoice>', 'ap@x.example'],
  ["'ap@x.example'", 'ap@x.example'],
  ["o'neil@x.example (billing)", "o'neil@x.example"],
  ['a@x.example; b@x.example', 'a@x.example, b@x.example'],
  ['a@x.example b@x.example\nc@x.example', 'a@x.example, b@x.example, c@x.example'],
  ['Ann <a@x.example>, Bob <b@x.example>', 'a@x.example, b@x.example'],
  ['ap@x.example <AP@x.example>', 'AP@x.example'],
  ['Email: ap@x.example', 'ap@x.example'],
  ['a@x.example, none', 'a@x.example'],
  [`a@x.example; ${'b'.repeat(80)}@x.example`, 'a@x.example'],
  ['none', null],
  ['', null],
  ['ap@intranet', null],
  ['ap..billing@x.example', null],
  ['a@b@c.example', null],
])('repairs “%s” to %s', (text, repaired) => {
  expect(repairEmail(text)).toBe(repaired);
  expect(repaired === null || isAccountingEmail(repaired)).toBe(true);
});
