import * as fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createVault, open, seal, VaultError } from './vault.ts';

const first = 'the first root secret of this test in 2025';
const second = 'the second root secret of this test in 2026';
const ours = randomUUID();
const theirs = randomUUID();

describe('a sealed value', () => {
  const { key } = createVault(first).createKey(ours);

  test('decrypts for the same tenant and field with any text and never repeats its ciphertext', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const sealed = [seal(key, 'psa', text), seal(key, 'psa', text)];
        expect(sealed[0]).not.toBe(sealed[1]);
        for (const one of sealed) expect(open(key, 'psa', one)).toBe(Buffer.from(text, 'utf8').toString('utf8'));
      }),
      { seed: 20250303, numRuns: 100 },
    );
  });

  test('does not reveal its content', () => {
    expect(seal(key, 'psa', 'canary-canary-canary')).not.toContain('canary');
    expect(Buffer.from(seal(key, 'psa', 'canary').split('.')[2] ?? '', 'base64url').toString('latin1')).not.toContain(
      'canary',
    );
  });

  test('does not decrypt in another field, for another tenant, or with another key', () => {
    const sealed = seal(key, 'psa', 'secret');
    expect(() => open(key, 'accounting', sealed)).toThrow(VaultError);
    expect(() => open({ ...key, tenantId: theirs }, 'psa', sealed)).toThrow(VaultError);
    expect(() => open({ ...key, bytes: Buffer.alloc(32) }, 'psa', sealed)).toThrow(VaultError);
    expect(() => open(createVault(first).createKey(ours).key, 'psa', sealed)).toThrow('another key');
    expect(() => open(key, 'psa', 'plain text')).toThrow('not a sealed value');
  });

  test('does not decrypt after any change', () => {
    const sealed = seal(key, 'psa', 'secret');
    const bytes = Buffer.from(sealed.split('.')[2] ?? '', 'base64url');
    for (let index = 0; index < bytes.length; index += 1) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(() => open(key, 'psa', `v1.${key.id}.${changed.toString('base64url')}`)).toThrow(VaultError);
    }
    expect(() => open(key, 'psa', `v1.${key.id}.`)).toThrow(VaultError);
  });
});

describe('root keys', () => {
  test('unwrap keys of their tenant only', () => {
    const { key, wrapped } = createVault(first).createKey(ours);
    expect(createVault(first).unwrap(ours, wrapped)).toEqual(key);
    expect(() => createVault(first).unwrap(theirs, wrapped)).toThrow(VaultError);
    expect(() => createVault(first).unwrap(ours, { ...wrapped, id: randomUUID() })).toThrow(VaultError);
    expect(() => createVault(second).unwrap(ours, wrapped)).toThrow('not set here');
  });

  test('rotate: the latest wraps, older ones still unwrap until keys are re-wrapped', () => {
    const { key, wrapped } = createVault(first).createKey(ours);
    const both = createVault(`${second}, ${first}`);
    expect(both.unwrap(ours, wrapped)).toEqual(key);
    const renewed = both.rewrap(ours, wrapped);
    expect(renewed).not.toBeNull();
    expect(renewed && both.rewrap(ours, renewed)).toBeNull();
    expect(renewed && createVault(second).unwrap(ours, renewed)).toEqual(key);
    expect(renewed && (() => createVault(first).unwrap(ours, renewed))).toThrow(VaultError);
  });

  test('that are missing or short are rejected with a clear message', () => {
    expect(() => createVault('')).toThrow('SECRET_KEY is empty');
    expect(() => createVault(' , ')).toThrow('SECRET_KEY is empty');
    expect(() => createVault('short')).toThrow('at least 32');
    expect(() => createVault(`${first},short`)).toThrow('at least 32');
  });
});
