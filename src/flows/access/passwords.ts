import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { createHashQueue } from './hash-queue.ts';

/** Cost of a new hash: argon2id with 19 MiB, 2 passes, 1 lane (OWASP's first recommendation). */
const cost = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const tagBytes = 32;
const saltBytes = 16;

/**
 * Hashes computed at once, of the four threads that also read files and resolve names; hashes that wait; and those of
 * them that only known callers may add, so that a storm of strangers does not keep users out.
 */
const queueRules = { atOnce: 2, waiting: 40, reserved: 20, crowd: 4, pause: 3 } as const;

const derive = promisify(argon2);
const phcShape = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;
const plain = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

/** Hashes a password for keeping, as a PHC string. */
export async function hashPassword(password: string): Promise<string> {
  return phcOf(password, randomBytes(saltBytes));
}

async function phcOf(secret: string, salt: Buffer): Promise<string> {
  const tag = await compute(secret, salt, cost, tagBytes);
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${plain(salt)}$${plain(tag)}`;
}

/**
 * Hashes recovery codes for keeping. Those of one set share a salt, so that a try costs one hash, whichever it is.
 */
export async function hashRecoveryCodes(codes: readonly string[]): Promise<readonly string[]> {
  const salt = randomBytes(saltBytes);
  return Promise.all(codes.map((code) => phcOf(code, salt)));
}

/** The hash of a recovery code among those of its set; null when it is none of them, after the same work. */
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
 * Compares in constant time; a hash of another form matches nothing.
 *
 * @param isStranger the caller has not proved anything yet: others are served first.
 * @throws Refusal `too_busy` (503) when too many hashes wait.
 */
export async function verifyPassword(password: string, hash: string, isStranger = false): Promise<boolean> {
  const [, memory, passes, parallelism, salt, tag] = phcShape.exec(hash) ?? [];
  if (salt === undefined || tag === undefined) return false;
  const expected = Buffer.from(tag, 'base64');
  const parameters = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  const actual = await compute(password, Buffer.from(salt, 'base64'), parameters, expected.length, isStranger);
  return timingSafeEqual(actual, expected);
}

/** Costs as much as checking a real password, so that unknown user names cannot be told by the time. */
export async function pretendToVerify(password: string, isStranger = false): Promise<void> {
  await compute(password, Buffer.alloc(saltBytes), cost, tagBytes, isStranger);
}

type Parameters = Readonly<Record<'memory' | 'passes' | 'parallelism', number>>;

const queue = createHashQueue(queueRules);

/**
 * Refuses a login that cannot be checked now, before it costs anything.
 *
 * @throws Refusal `too_busy` (503).
 */
export const refuseWhenBusy = (isStranger: boolean): void => queue.refuseWhenFull(isStranger);

const compute = (
  password: string,
  salt: Buffer,
  parameters: Parameters,
  tagLength: number,
  isStranger = false,
): Promise<Buffer> =>
  // The same letters typed on two keyboards may come as different code points.
  queue.run(
    () => derive('argon2id', { message: password.normalize('NFC'), nonce: salt, tagLength, ...parameters }),
    isStranger,
  );
