import { expect, test } from 'vitest';
import { matchPath } from './match-path.ts';

test('matches a path by segment, ignoring case and a trailing slash', () => {
  expect(matchPath('/my', '/my')).toEqual({});
  expect(matchPath('/my', '/My/')).toEqual({});
  expect(matchPath('/', '/')).toEqual({});
  expect(matchPath('/', '/my')).toBeNull();
  expect(matchPath('/my', '/my/invoices')).toBeNull();
  expect(matchPath('/close/:month', '/close')).toBeNull();
});

test('decodes a parameter, or returns it unchanged if it cannot be decoded', () => {
  expect(matchPath('/close/:month', '/close/2026-03')).toEqual({ month: '2026-03' });
  expect(matchPath('/password/:token', '/password/a%20b')).toEqual({ token: 'a b' });
  expect(matchPath('/password/:token', '/password/%E0%A4%A')).toEqual({ token: '%E0%A4%A' });
});

test('a star matches every path', () => {
  for (const path of ['/', '/anything/at/all', '//elsewhere.example']) expect(matchPath('*', path)).toEqual({});
});
