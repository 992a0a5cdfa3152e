import { expect, test } from 'vitest';
import type { Session } from '../lib/session.ts';
import { passage, withoutSignOn } from './passage.ts';
import { findPlace, type Screen, screens } from './screens.ts';

const open = async () => ({ Component: () => null });
const screenFor = (...roles: ('clientadmin' | 'sysadmin')[]): Screen => ({
  paths: ['/logs'],
  label: 'Logs',
  icon: 'logs',
  group: null,
  roles,
  load: open,
});
const sessionOf = (...roles: ('clientadmin' | 'sysadmin')[]): Session => ({
  token: 't',
  claims: { exp: 0, username: 'x', roles, client: null, actor: null, psaTenantId: null, psaResourceId: null },
});
const at = (path: string) => new URL(path, 'https://app.example');

test('a public screen is open to everybody', () => {
  const screen: Screen = { ...screenFor(), roles: 'public' };
  expect(passage(screen, null, at('/login?kiss=1'))).toEqual({ do: 'show' });
});

test('one of the roles is enough; none, or another, is refused', () => {
  expect(passage(screenFor('clientadmin', 'sysadmin'), sessionOf('sysadmin'), at('/logs')).do).toBe('show');
  expect(passage(screenFor('clientadmin'), sessionOf('sysadmin'), at('/logs')).do).toBe('refuse');
  expect(passage(screenFor('clientadmin'), sessionOf(), at('/logs')).do).toBe('refuse');
});

test('who is not signed in logs in and comes back with the same query', () => {
  expect(passage(screenFor('clientadmin'), null, at('/logs?type=invoice&page=2'))).toEqual({
    do: 'login',
    remember: '/logs?type=invoice&page=2',
  });
});

test('a link of the PSA sends to the proof of identity, a one-time code signs in at once', () => {
  expect(passage(screenFor('clientadmin'), null, at('/logs?tenant_id=17&resource_id=21'))).toMatchObject({
    do: 'authorize',
    tenantId: '17',
    resourceId: '21',
  });
  expect(passage(screenFor('clientadmin'), null, at('/logs?kiss=abc&tenant_id=17&resource_id=21'))).toEqual({
    do: 'sign_on',
    code: 'abc',
  });
});

test.each(['tenant_id=17', 'tenant_id=17&resource_id=', 'tenant_id=17&resource_id=javascript:alert(1)'])(
  'half a link, or one that is no link of the PSA, is an ordinary login: %s',
  (query) => {
    expect(passage(screenFor('clientadmin'), null, at(`/logs?${query}`)).do).toBe('login');
  },
);

test('a signed-in person is not signed on as another by a link', () => {
  expect(passage(screenFor('clientadmin'), sessionOf('clientadmin'), at('/logs?kiss=abc')).do).toBe('show');
});

test('what the link brought does not stay in the address', () => {
  expect(withoutSignOn(at('/logs?kiss=a&type=void&tenant_id=1&resource_id=2'))).toBe('/logs?type=void');
  expect(withoutSignOn(at('/my?kiss=a'))).toBe('/my');
});

test('no two screens share an address, and every address begins with a slash', () => {
  const paths = screens.flatMap((screen) => screen.paths);
  expect(new Set(paths).size).toBe(paths.length);
  expect(paths.every((path) => path.startsWith('/'))).toBe(true);
});

test('a remedy names only screens that the person can open', () => {
  expect(findPlace('/connections?reload=qbo', ['clientadmin'])).toEqual({
    path: '/connections?reload=qbo',
    label: 'Connections',
  });
  expect(findPlace('/logs', ['sysadmin'])).toBeNull();
  expect(findPlace('/nowhere', ['clientadmin'])).toBeNull();
});
