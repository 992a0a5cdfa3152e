import { randomInt } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { SecondFactor } from '#core/ports/second-factors.ts';
import type { User } from '#core/ports/users.ts';
import { addSeconds, epochMs, type Instant } from '#core/values/dates.ts';
import type { App } from '../context.ts';
import { findRecoveryHash, hashRecoveryCodes } from './passwords.ts';

/** Time-based one-time codes (RFC 6238) as every app makes them: SHA-1, six digits, half minutes. */
const period = 30;
const digits = 6;
const algorithm = 'SHA1';
/** Half minutes before and after, whose codes count too: clocks of phones differ, and typing takes time. Each counts once. */
const tolerance = 1;
/** 160 bits, the size of the hash (RFC 4226, section 4). */
const secretBytes = 20;

const recoveryCodeCount = 10;
/** No letter or digit that looks like another one. 16 of them are 80 bits. */
const recoveryAlphabet = 'abcdefghjkmnpqrstuvwxyz23456789';
const recoveryLength = 16;

/**
 * Codes tried beside the right password, after which none counts any more for a while. Nobody is told: the answer is
 * that of a wrong code, so that it does not give the password away.
 */
const limits = [
  { seconds: 900, most: 10 },
  { seconds: 86_400, most: 50 },
] as const;

/** A fresh secret, base32. */
export const newSecret = (): string => new Secret({ size: secretBytes }).base32;

/** Address in the QR code that an authenticator app reads: the user's name and the secret. */
export const keyUriOf = (secret: string, username: string): string => totp(secret, username).toString();

/** Fresh recovery codes, e.g. `k7mp-2xqd-9wab-c3de`, and the hashes under which they are kept. */
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

/** True for what was typed in the place of a code and is none of an app's. */
export const isRecoveryCode = (typed: string): boolean => !/^\d*$/.test(bare(typed));

/** A valid code that somebody typed: the time step of an app's code, or a recovery code by its hash. */
export type FoundCode =
  | { readonly kind: 'step'; readonly step: number }
  | { readonly kind: 'recovery'; readonly hash: string };

/**
 * Looks what a typed code is, from what was read already and without using it up.
 *
 * @returns null when it is no code of this factor, or not now.
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

/** Uses a code up; false when it was used before. Of two that race, one wins. */
export const spendCode = (app: App, user: User, factor: SecondFactor, found: FoundCode): Promise<boolean> =>
  found.kind === 'step'
    ? app.store.spendCodeStep(user.id, factor.version, found.step)
    : app.store.spendRecoveryCode(user.id, found.hash, app.clock.now());

/**
 * Counts one try with a code, before it is looked at and whether it is right or not; of many at once no more than the
 * limit are admitted. Recovery codes do not count here: nobody guesses one of 2^79, and whoever tries codes of the app
 * must not lock the owner's last way in.
 *
 * @param whose the user; or a name that stands for nobody.
 * @returns false when no code of the app counts for a while.
 */
export async function admitCode(app: App, whose: string, typed: string): Promise<boolean> {
  if (isRecoveryCode(typed)) return true;
  const key = `code of ${whose}`;
  const now = app.clock.now();
  const [short, long] = limits;
  if ((await app.store.countFailures([key], addSeconds(now, -long.seconds))) >= long.most) return false;
  return app.store.admitTry([{ key, limit: short.most }], addSeconds(now, -short.seconds), now);
}

const totp = (secret: string, label = ''): TOTP =>
  new TOTP({ issuer: 'Tallybridge', label, algorithm, digits, period, secret: Secret.fromBase32(secret) });

/** Code as it was printed, whatever was typed around it. */
const bare = (code: string): string => code.toLowerCase().replace(/[\s-]/g, '');
