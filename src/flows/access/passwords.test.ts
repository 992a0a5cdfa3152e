import { argon2Sync } from 'node:crypto';
import { expect, test } from 'vitest';
import { hashPassword, pretendToVerify, verifyPassword } from './passwords.ts';

test('hashes a password with argon2id and a unique salt', async () => {
  const [one, two] = await Promise.all([hashPassword('Correct-Horse-9'), hashPassword('Correct-Horse-9')]);
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  expect(one).not.toBe(two);
  expect(await verifyPassword('Correct-Horse-9', one)).toBe(true);
  expect(await verifyPassword('correct-Horse-9', one)).toBe(false);
});

test('uses all characters of a long password in any Unicode normalization', async () => {
  const long = `${'ä'.repeat(99)}1`;
  const hash = await hashPassword(long);
  expect(await verifyPassword(long, hash)).toBe(true);
  expect(await verifyPassword(`${'ä'.repeat(99)}2`, hash)).toBe(false);
  expect(await verifyPassword(long.normalize('NFD'), hash)).toBe(true);
});

test('verifies a hash with other costs and rejects invalid hashes', async () => {
  const salt = Buffer.from('saltsaltsaltsalt');
  const cost = { parallelism: 1, tagLength: 32, memory: 1_024, passes: 1 };
  const tag = argon2Sync('argon2id', { message: 'x', nonce: salt, ...cost });
  const plain = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  const hash = `$argon2id$v=19$m=1024,t=1,p=1$${plain(salt)}$${plain(tag)}`;
  expect(await verifyPassword('x', hash)).toBe(true);
  for (const other of ['', 'x', hash.replace('argon2id', 'argon2i'), '$2b$12$abcdefghijklmnopqrstuv'])
    expect(await verifyPassword('x', other)).toBe(false);
});

test('completes many parallel verifications', async () => {
  const hash = await hashPassword('a');
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, n) => verifyPassword(n % 2 === 0 ? 'a' : 'b', hash)),
  );
  expect(results).toEqual(Array.from({ length: 20 }, (_, n) => n % 2 === 0));
  await expect(pretendToVerify('a', { network: '203.0.113.7' })).resolves.toBeUndefined();
});
