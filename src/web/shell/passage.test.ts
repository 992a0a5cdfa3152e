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
  claims: {
    exp: 0,
    username: 'x',
    roles,
    client: null,
    actor: null,
    psaTenantId: null,
    psaResourceId: null,
    mustSetUp: false,
  },
});
const at = (path: string) => new URL(path, 'https://app.example');

test('a public screen is open to all users', () => {
  const screen: Screen = { ...screenFor(), roles: 'public' };
  expect(passage(screen, null, at('/login?tenant_id=1&resource_id=2'), 'abc')).toEqual({ do: 'show' });
});

test('requires one of the roles', () => {
  expect(passage(screenFor('clientadmin', 'sysadmin'), sessionOf('sysadmin'), at('/logs'), null).do).toBe('show');
  expect(passage(screenFor('clientadmin'), sessionOf('sysadmin'), at('/logs'), null).do).toBe('refuse');
  expect(passage(screenFor('clientadmin'), sessionOf(), at('/logs'), null).do).toBe('refuse');
});

test('an anonymous user logs in and returns to the same URL', () => {
  expect(passage(screenFor('clientadmin'), null, at('/logs?type=invoice&page=2'), null)).toEqual({
    do: 'login',
    remember: '/logs?type=invoice&page=2',
  });
});

const login = { do: 'login', remember: '/logs' };

test('a PSA link redirects to authentication, and a one-time code logs in at once', () => {
  expect(passage(screenFor('clientadmin'), null, at('/logs?tenant_id=17&resource_id=21'), null)).toEqual({
    do: 'authorize',
    tenantId: '17',
    resourceId: '21',
    otherwise: login,
  });
  expect(passage(screenFor('clientadmin'), null, at('/logs?tenant_id=17&resource_id=21'), 'abc')).toEqual({
    do: 'sign_on',
    code: 'abc',
    otherwise: login,
  });
});

test.each(['tenant_id=17', 'tenant_id=17&resource_id=', 'tenant_id=17&resource_id=javascript:alert(1)'])(
  'an incomplete or invalid PSA link is a regular login: %s',
  (query) => {
    expect(passage(screenFor('clientadmin'), null, at(`/logs?${query}`), null).do).toBe('login');
  },
);

test("a PSA link of the logged-in user shows the screen; another user's asks for authentication", () => {
  const session = sessionOf('clientadmin');
  const mine = { ...session, claims: { ...session.claims, psaTenantId: '17', psaResourceId: '21' } };
  const screen = screenFor('clientadmin');
  expect(passage(screen, mine, at('/logs?tenant_id=17&resource_id=21'), null)).toEqual({ do: 'show' });
  for (const query of ['tenant_id=17&resource_id=22', 'tenant_id=18&resource_id=21'])
    expect(passage(screen, mine, at(`/logs?${query}`), null)).toMatchObject({
      do: 'authorize',
      otherwise: { do: 'show' },
    });
});

test('an invalid code keeps the current login', () => {
  const screen = screenFor('clientadmin');
  expect(passage(screen, sessionOf('clientadmin'), at('/logs'), 'abc')).toMatchObject({ otherwise: { do: 'show' } });
  expect(passage(screen, sessionOf('sysadmin'), at('/logs'), 'abc')).toMatchObject({ otherwise: { do: 'refuse' } });
});

test('removes link parameters from the URL', () => {
  expect(withoutSignOn(at('/logs?kiss=a&type=void&tenant_id=1&resource_id=2'))).toBe('/logs?type=void');
  expect(withoutSignOn(at('/my?kiss=a'))).toBe('/my');
});

test('every screen has unique paths that start with a slash', () => {
  const paths = screens.flatMap((screen) => screen.paths);
  expect(new Set(paths).size).toBe(paths.length);
  expect(paths.every((path) => path.startsWith('/'))).toBe(true);
});

test('links only to screens that the user can open', () => {
  expect(findPlace('/connections?reload=qbo', ['clientadmin'])).toEqual({
    path: '/connections?reload=qbo',
    label: 'Connections',
  });
  expect(findPlace('/logs', ['sysadmin'])).toBeNull();
  expect(findPlace('/nowhere', ['clientadmin'])).toBeNull();
});

test('a user who must set up a second factor sees only that screen', () => {
  const { token, claims } = sessionOf();
  const session: Session = { token, claims: { ...claims, mustSetUp: true } };
  expect(passage(screenFor('clientadmin'), session, at('/logs'), null)).toEqual({ do: 'set_up' });
  const screen: Screen = { ...screenFor(), roles: 'any', paths: ['/security'] };
  expect(passage(screen, session, at('/security'), null)).toEqual({ do: 'show' });
  expect(passage(screen, sessionOf(), at('/security'), null)).toEqual({ do: 'show' });
});
