import { randomInt } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { SecondFactor } from '#core/records/second-factors.ts';
import type { User } from '#core/records/users.ts';
import { addSeconds, epochMs, type Instant } from '#core/values/dates.ts';
import type { App } from '../context.ts';
import { findRecoveryHash, hashRecoveryCodes } from './passwords.ts';

/** Time-based one-time codes (RFC 6238) with the defaults of all authenticator apps: SHA-1, six digits, 30 seconds. */
const period = 30;
const digits = 6;
const algorithm = 'SHA1';
/** Time steps before and after whose codes also work, because phone clocks differ and typing takes time. */
const tolerance = 1;
/** 160 bits, the size of the hash (RFC 4226, section 4). */
const secretBytes = 20;

const recoveryCodeCount = 10;
/** No letters or digits that look alike. 16 of them are 80 bits. */
const recoveryAlphabet = 'abcdefghjkmnpqrstuvwxyz23456789';
const recoveryLength = 16;

/**
 * Maximum codes tried with the right password in each window; then codes are rejected for a while. The response is the
 * same as for a wrong code, so that it does not reveal that the password is right.
 */
const limits = [
  { seconds: 900, max: 10 },
  { seconds: 86_400, max: 50 },
] as const;

/** Returns a new secret, base32. */
export const newSecret = (): string => new Secret({ size: secretBytes }).base32;

/** Returns the URI in the QR code that an authenticator app reads: user name and secret. */
export const keyUriOf = (secret: string, username: string): string => totp(secret, username).toString();

/** Returns new recovery codes, for example `k7mp-2xqd-9wab-c3de`, and their hashes for storage. */
export async function newRecoveryCodes(): Promise<{
  readonly codes: readonly string[];
  readonly hashes: readonly string[];
}> {
  const codes = Array.from({ length: recoveryCodeCount }, () => {
    const letters = Array.from({ length: recoveryLength }, () =>
      recoveryAlphabet.charAt(randomInt(recoveryAlphabet.length)),
    );
    return letters.join('').replace(/(.{4})(?=.)/g, '$1-');
  });
  return { codes, hashes: await hashRecoveryCodes(codes.map(bare)) };
}

/** Returns true for input that cannot be an app's code. */
export const isRecoveryCode = (typed: string): boolean => !/^\d*$/.test(bare(typed));

/** A valid code that a user typed: the time step of an app's code, or the hash of a recovery code. */
export type FoundCode =
  | { readonly kind: 'step'; readonly step: number }
  | { readonly kind: 'recovery'; readonly hash: string };

/**
 * Identifies a typed code from the second factor that was read. Does not spend it.
 *
 * @returns null when it is no valid code of this factor at this time.
 */
export async function findCode(factor: SecondFactor, typed: string, now: Instant): Promise<FoundCode | null> {
  const code = bare(typed);
  if (isRecoveryCode(code)) {
    const hash = await findRecoveryHash(code, factor.recoveryHashes);
    return hash === null ? null : { kind: 'recovery', hash };
  }
  if (code.length !== digits) return null;
  const timestamp = epochMs(now);
  const delta = totp(factor.secret).validate({ token: code, timestamp, window: tolerance });
  return delta === null ? null : { kind: 'step', step: Math.floor(timestamp / 1_000 / period) + delta };
}

/** Spends a code. Returns false if it was used before; of two concurrent calls, one succeeds. */
export const spendCode = (app: App, user: User, factor: SecondFactor, found: FoundCode): Promise<boolean> =>
  found.kind === 'step'
    ? app.store.spendCodeStep(user.id, factor.version, found.step)
    : app.store.spendRecoveryCode(user.id, found.hash, app.clock.now());

/**
 * Counts one try with a code before the code is checked. Parallel tries cannot pass the limit. Recovery codes do not
 * count: they are too long to guess, and an attacker who tries app codes must not lock the owner's last way in.
 *
 * @param counterKey the user's id, or a key that belongs to no user.
 * @returns false while codes of the app are rejected.
 */
export async function admitCode(app: App, counterKey: string, typed: string): Promise<boolean> {
  if (isRecoveryCode(typed)) return true;
  const key = `code of ${counterKey}`;
  const now = app.clock.now();
  const [short, long] = limits;
  if ((await app.store.countFailures([key], addSeconds(now, -long.seconds))) >= long.max) return false;
  return app.store.admitTry([{ key, limit: short.max }], addSeconds(now, -short.seconds), now);
}

const totp = (secret: string, label = ''): TOTP =>
  new TOTP({ issuer: 'Tallybridge', label, algorithm, digits, period, secret: Secret.fromBase32(secret) });

/** Removes spaces and hyphens, and lowercases. */
const bare = (code: string): string => code.toLowerCase().replace(/[\s-]/g, '');
