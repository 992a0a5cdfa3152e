import { afterAll, expect, test, vi } from 'vitest';
import type { Session } from '../data/session.ts';
import { decideAccess, withoutSignOn } from './access.ts';
import { findScreen, type Screen, screens } from './screens.ts';

// The login screen is imported with the list of screens, and reads the session when it loads.
vi.hoisted(() => {
  vi.stubGlobal('localStorage', { getItem: () => null });
  vi.stubGlobal('window', { addEventListener: () => undefined });
});
afterAll(() => vi.unstubAllGlobals());

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

test('shows a public screen to all users', () => {
  const screen: Screen = { ...screenFor(), roles: 'public' };
  expect(decideAccess(screen, null, at('/login?tenant_id=1&resource_id=2'), 'abc')).toEqual({ do: 'show' });
});

test('requires one of the screen’s roles', () => {
  expect(decideAccess(screenFor('clientadmin', 'sysadmin'), sessionOf('sysadmin'), at('/logs'), null).do).toBe('show');
  expect(decideAccess(screenFor('clientadmin'), sessionOf('sysadmin'), at('/logs'), null).do).toBe('refuse');
  expect(decideAccess(screenFor('clientadmin'), sessionOf(), at('/logs'), null).do).toBe('refuse');
});

test('sends a logged-out user to the login and remembers path and query', () => {
  expect(decideAccess(screenFor('clientadmin'), null, at('/logs?type=invoice&page=2'), null)).toEqual({
    do: 'login',
    remember: '/logs?type=invoice&page=2',
  });
});

const login = { do: 'login', remember: '/logs' };

test('verifies the user of a PSA link; a one-time code logs in directly', () => {
  expect(decideAccess(screenFor('clientadmin'), null, at('/logs?tenant_id=17&resource_id=21'), null)).toEqual({
    do: 'authorize',
    tenantId: '17',
    resourceId: '21',
    otherwise: login,
  });
  expect(decideAccess(screenFor('clientadmin'), null, at('/logs?tenant_id=17&resource_id=21'), 'abc')).toEqual({
    do: 'sign_on',
    code: 'abc',
    otherwise: login,
  });
});

test.each(['tenant_id=17', 'tenant_id=17&resource_id=', 'tenant_id=17&resource_id=javascript:alert(1)'])(
  'an incomplete or invalid PSA link leads to the login: %s',
  (query) => {
    expect(decideAccess(screenFor('clientadmin'), null, at(`/logs?${query}`), null).do).toBe('login');
  },
);

test('shows the screen for the logged-in user’s own link; verifies another user’s link', () => {
  const session = sessionOf('clientadmin');
  const mine = { ...session, claims: { ...session.claims, psaTenantId: '17', psaResourceId: '21' } };
  const screen = screenFor('clientadmin');
  expect(decideAccess(screen, mine, at('/logs?tenant_id=17&resource_id=21'), null)).toEqual({ do: 'show' });
  for (const query of ['tenant_id=17&resource_id=22', 'tenant_id=18&resource_id=21'])
    expect(decideAccess(screen, mine, at(`/logs?${query}`), null)).toMatchObject({
      do: 'authorize',
      otherwise: { do: 'show' },
    });
});

test('a rejected code keeps the current session', () => {
  const screen = screenFor('clientadmin');
  expect(decideAccess(screen, sessionOf('clientadmin'), at('/logs'), 'abc')).toMatchObject({
    otherwise: { do: 'show' },
  });
  expect(decideAccess(screen, sessionOf('sysadmin'), at('/logs'), 'abc')).toMatchObject({
    otherwise: { do: 'refuse' },
  });
});

test('removes the link’s parameters from the URL', () => {
  expect(withoutSignOn(at('/logs?kiss=a&type=void&tenant_id=1&resource_id=2'))).toBe('/logs?type=void');
  expect(withoutSignOn(at('/my?kiss=a'))).toBe('/my');
});

test('every path is unique and begins with a slash', () => {
  const paths = screens.flatMap((screen) => screen.paths);
  expect(new Set(paths).size).toBe(paths.length);
  expect(paths.every((path) => path.startsWith('/'))).toBe(true);
});

test.each([
  ['/company-xrefs', 'Customer Mappings'],
  ['/vendor-xrefs', 'Vendor Mappings'],
  ['/expense-xrefs', 'Expense Mappings'],
  ['/item-xrefs', 'Item Mappings'],
  ['/lob-xrefs', 'Lines of Business'],
  ['/custom-field-xrefs', 'Custom Fields'],
  ['/close', 'Month-end close'],
])('opens the specified or earlier path %s as %s', (path, label) => {
  expect(findScreen(path, ['clientadmin'])).toEqual({ path, label });
});

test.each([
  ['/runs/a?with=b', 'the run'],
  ['/documents/invoice/48213', 'the document'],
  ['/month-end/2026-11', 'month-end'],
])('opens %s, one of many, as %s', (path, label) => {
  expect(findScreen(path, ['clientadmin'])).toEqual({ path, label });
  expect(findScreen(path, ['sysadmin'])).toBeNull();
});

test('finds only screens that the user can open', () => {
  expect(findScreen('/connections?reload=qbo', ['clientadmin'])).toEqual({
    path: '/connections?reload=qbo',
    label: 'Connections',
  });
  expect(findScreen('/logs', ['sysadmin'])).toBeNull();
  expect(findScreen('/nowhere', ['clientadmin'])).toBeNull();
});

test('a user who must set up two-step login sees only that screen', () => {
  const { token, claims } = sessionOf();
  const session: Session = { token, claims: { ...claims, mustSetUp: true } };
  expect(decideAccess(screenFor('clientadmin'), session, at('/logs'), null)).toEqual({ do: 'set_up' });
  const screen: Screen = { ...screenFor(), roles: 'any', paths: ['/security'] };
  expect(decideAccess(screen, session, at('/security'), null)).toEqual({ do: 'show' });
  expect(decideAccess(screen, sessionOf(), at('/security'), null)).toEqual({ do: 'show' });
});
