import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { createHashQueue, type HashCaller } from './hash-queue.ts';

/** Cost of a new hash: argon2id with 19 MiB, 2 passes, 1 lane (OWASP's first recommendation). Tests lower it. */
export const hashCost = { memory: 19_456, passes: 2, parallelism: 1 };
const tagBytes = 32;
const saltBytes = 16;

/**
 * Limits of the queue. `atOnce` is two of Node's four threads, which also read files and resolve names. Eight browsers
 * of one office can log in at the same moment.
 */
const queueRules = { atOnce: 2, perCaller: 8, strangers: 40, rest: 3, maxWaitMs: 5_000 } as const;

const derive = promisify(argon2);
const phcShape = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;
const plain = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');

/** Hashes a password for storage, as a PHC string. */
export async function hashPassword(password: string): Promise<string> {
  return phcOf(password, randomBytes(saltBytes));
}

async function phcOf(secret: string, salt: Buffer): Promise<string> {
  const tag = await compute(secret, salt, hashCost, tagBytes);
  return `$argon2id$v=19$m=${hashCost.memory},t=${hashCost.passes},p=${hashCost.parallelism}$${plain(salt)}$${plain(tag)}`;
}

/** Hashes recovery codes for storage. All codes of one set share a salt, so checking a code computes only one hash. */
export async function hashRecoveryCodes(codes: readonly string[]): Promise<readonly string[]> {
  const salt = randomBytes(saltBytes);
  return Promise.all(codes.map((code) => phcOf(code, salt)));
}

/** Returns the hash of a recovery code from the hashes of its set; null if none matches, after the same work. */
export async function findRecoveryHash(code: string, hashes: readonly string[]): Promise<string | null> {
  const [, , , , salt] = phcShape.exec(hashes[0] ?? '') ?? [];
  const actual = Buffer.from(
    await phcOf(code, salt === undefined ? Buffer.alloc(saltBytes) : Buffer.from(salt, 'base64')),
  );
  const found = hashes.filter((hash) => {
    const expected = Buffer.from(hash);
    return actual.length === expected.length && timingSafeEqual(actual, expected);
  });
  return found[0] ?? null;
}

/**
 * Compares in constant time. A hash in another format matches no password.
 *
 * @param caller who tries to log in; null if a session was checked before.
 * @throws Refusal `too_busy` (503) when too many hashes are waiting, or after five seconds.
 */
export async function verifyPassword(
  password: string,
  hash: string,
  caller: HashCaller | null = null,
): Promise<boolean> {
  const [, memory, passes, parallelism, salt, tag] = phcShape.exec(hash) ?? [];
  if (salt === undefined || tag === undefined) return false;
  const expected = Buffer.from(tag, 'base64');
  const parameters = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  const actual = await compute(password, Buffer.from(salt, 'base64'), parameters, expected.length, caller);
  return timingSafeEqual(actual, expected);
}

/** Takes as long as checking a real password, so that response times do not reveal which user names exist. */
export async function pretendToVerify(password: string, caller: HashCaller): Promise<void> {
  await compute(password, Buffer.alloc(saltBytes), hashCost, tagBytes, caller);
}

type Parameters = Readonly<Record<'memory' | 'passes' | 'parallelism', number>>;

const queue = createHashQueue(queueRules);

/**
 * Rejects a login that cannot be checked now, before any other work.
 *
 * @throws Refusal `too_busy` (503).
 */
export const refuseWhenBusy = (caller: HashCaller): void => queue.refuseWhenFull(caller);

const compute = (
  password: string,
  salt: Buffer,
  parameters: Parameters,
  tagLength: number,
  caller: HashCaller | null = null,
): Promise<Buffer> =>
  // Two keyboards may produce different code points for the same letters.
  queue.run(
    () => derive('argon2id', { message: password.normalize('NFC'), nonce: salt, tagLength, ...parameters }),
    caller,
  );
