import { expect, test } from 'vitest';
import { clearStorage, loadSession, readClaims, type TokenStorage, tokenKey } from './session.ts';

const nowMs = Date.parse('2025-03-03T15:00:00Z');
const claims = {
  exp: nowMs / 1_000 + 60,
  user: { username: 'zoë@northwind-msp.example', roles: ['clientadmin'] },
  client: { id: 'c1', name: 'Northwind – IT' },
  autotask_tenant_id: 17,
  autotask_resource_id: null,
};

const tokenOf = (payload: unknown) => `h.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.s`;

function storageWith(
  entries: Readonly<Record<string, string>>,
): TokenStorage & { readonly stored: Map<string, string> } {
  const stored = new Map(Object.entries(entries));
  return {
    stored,
    get length() {
      return stored.size;
    },
    getItem: (key) => stored.get(key) ?? null,
    setItem: (key, value) => void stored.set(key, value),
    removeItem: (key) => void stored.delete(key),
    key: (index) => [...stored.keys()][index] ?? null,
  };
}

test('reads claims with names in any script', () => {
  expect(readClaims(tokenOf({ ...claims, act: { username: 'sys@x' } }))).toEqual({
    exp: claims.exp,
    username: 'zoë@northwind-msp.example',
    roles: ['clientadmin'],
    client: { id: 'c1', name: 'Northwind – IT' },
    actor: 'sys@x',
    psaTenantId: '17',
    psaResourceId: null,
    mustSetUp: false,
  });
});

test('ignores an unknown role', () => {
  expect(readClaims(tokenOf({ ...claims, user: { username: 'x', roles: ['root', 'sysadmin'] } }))?.roles).toEqual([
    'sysadmin',
  ]);
});

test.each([
  ['no parts', 'token'],
  ['an invalid JSON payload', 'a.%%%.c'],
  ['a list', tokenOf([1])],
  ['no expiry', tokenOf({ ...claims, exp: undefined })],
  ['no user', tokenOf({ ...claims, user: null })],
  ['roles that are not a list', tokenOf({ ...claims, user: { username: 'x', roles: 'sysadmin' } })],
])('a token with %s logs the user out', (_, token) => {
  const storage = storageWith({ [tokenKey]: token, cached: 'of the one before' });
  expect(loadSession(storage, nowMs)).toBeNull();
  expect(storage.stored.size).toBe(0);
});

test('a token is valid until its expiry', () => {
  const token = tokenOf(claims);
  expect(loadSession(storageWith({ [tokenKey]: token }), claims.exp * 1_000 - 1)?.claims.username).toBe(
    claims.user.username,
  );
  expect(loadSession(storageWith({ [tokenKey]: token }), claims.exp * 1_000)).toBeNull();
});

test('logging out clears everything except the color scheme', () => {
  const storage = storageWith({ [tokenKey]: 't', 'color-scheme': 'dark', subscription: '{}', a: '1', b: '2' });
  clearStorage(storage);
  expect([...storage.stored.keys()]).toEqual(['color-scheme']);
});
