import { networkOf } from '#core/caller.ts';
import type { SecondFactor } from '#core/records/second-factors.ts';
import type { User } from '#core/records/users.ts';
import { Refusal } from '#core/refusal.ts';
import type { App } from '../context.ts';
import { recoveryCodeUsedMail } from '../mail/second-factor-mails.ts';
import { sendMail } from '../mail/send.ts';
import { pretendToVerify, refuseWhenBusy, verifyPassword } from './passwords.ts';
import { refuseProviderOnly } from './provider-required.ts';
import { signedInAs, type SignedIn } from './principal.ts';
import { admitGuess, countersAt, throttle, uncountedWhenBusy } from './throttle.ts';
import { admitCode, findCode, isRecoveryCode, spendCode } from './totp.ts';

/**
 * Maximum failed logins in 15 minutes. A browser that logged in as this user before has a separate counter, so that a
 * stranger who guesses passwords cannot lock out the owner. `all` also counts successful logins of one user from one
 * browser or address: each one computes a hash.
 */
const limits = { device: 10, asked: 60, accountAtAddress: 10, address: 200, account: 60, all: 300 } as const;

export interface Credentials {
  readonly username: string;
  readonly password: string;
  /** Network address of the request, for throttling. */
  readonly address: string;
  /** Id of a browser that has logged in as this user before. */
  readonly knownDevice: string | null;
  /** Code of an authenticator app, or a recovery code; undefined until it is requested. */
  readonly code?: string | undefined;
}

/** An id that belongs to no user. Searching for its second factor takes as long as for a real user. */
const unknownUserId = '00000000-0000-4000-8000-000000000000';

/**
 * Logs in with user name and password, and with a code if the user has a second factor; called from the login page.
 * Unknown user, wrong password, inactive user and missing code get the same response, after the same work. Only a
 * browser that logged in as this user before is asked for the code, even if the password is wrong (decision 7).
 *
 * @param admit rejects a user who has proved who they are, before their code is spent.
 * @throws Refusal `code_required` (401), `credentials_wrong` (401), `provider_required` (403), `too_many_tries` (429).
 */
export async function login(
  app: App,
  credentials: Credentials,
  admit: (user: User) => void = () => undefined,
): Promise<SignedIn> {
  const { username, password, address, knownDevice, code } = credentials;
  const name = username.toLowerCase();
  const counters =
    knownDevice === null
      ? [
          ...countersAt(address, limits.accountAtAddress, (at) => `at ${at} as ${name}`),
          ...countersAt(address, limits.address, (at) => `at ${at}`),
          { key: `as ${name}`, limit: limits.account },
        ]
      : [{ key: `device ${knownDevice}`, limit: limits.device }];
  const caller = knownDevice === null ? { network: networkOf(address) ?? address } : { user: name };
  refuseWhenBusy(caller);
  const all = [{ key: `all as ${name} by ${knownDevice ?? address}`, limit: limits.all }];
  const wasRight = await admitGuess(app, counters, all).catch((refusal: unknown) =>
    admitRecoveryCode(app, { code, name, address, refusal }),
  );
  const user = await app.store.findUser(name);
  const factor = await readFactor(app, user);
  if (code === undefined && factor !== null && knownDevice !== null) {
    const counters = [{ key: `asked ${knownDevice}`, limit: limits.asked }];
    await throttle(app, counters);
    await wasRight();
    await pretendToVerify(password, caller);
    throw new Refusal('unauthorized', 'code_required', 'Enter the code of your authenticator app.');
  }
  const isRight = await uncountedWhenBusy(wasRight, () =>
    user === null
      ? pretendToVerify(password, caller).then(() => false)
      : verifyPassword(password, user.passwordHash, caller),
  );
  const isUser = user !== null && isRight && user.isActive;
  // After a wrong password, do the same work, but count it for the network address and not for the user.
  const doesCount = factor === null || (await admitCode(app, isUser ? user.id : `nobody at ${address}`, code ?? ''));
  if (!isUser) throw wrong(code);
  if (factor === null) {
    await wasRight();
    admit(user);
    await refuseProviderOnly(app, user);
    return signedInAs(app, user, 'password');
  }
  const found = doesCount
    ? await uncountedWhenBusy(wasRight, async () => {
        const valid = await findCode(factor, code ?? '', app.clock.now());
        if (valid !== null) admit(user);
        return valid;
      })
    : null;
  if (found === null || !(await spendCode(app, user, factor, found))) throw wrong(code);
  await wasRight();
  if (found.kind === 'recovery') await mailRecoveryUse(app, user, factor.recoveryHashes.length - 1);
  await refuseProviderOnly(app, user);
  return signedInAs(app, user, 'password');
}

/** Maximum checks of recovery codes for a locked account in 15 minutes; each check computes a hash. */
const recoveryLimits = { accountAtAddress: 5, account: 30 } as const;

/**
 * Lets the owner of a locked account in with a recovery code. A wrong code does not change the lock.
 *
 * @throws refusal, unless the code is one of this account's recovery codes.
 */
async function admitRecoveryCode(
  app: App,
  { code, name, address, refusal }: { code: string | undefined; name: string; address: string; refusal: unknown },
): Promise<() => Promise<void>> {
  const isLocked = refusal instanceof Refusal && refusal.code === 'too_many_tries';
  if (!isLocked || code === undefined || !isRecoveryCode(code)) throw refusal;
  await throttle(app, [
    ...countersAt(address, recoveryLimits.accountAtAddress, (at) => `recovery at ${at} as ${name}`),
    { key: `recovery as ${name}`, limit: recoveryLimits.account },
  ]);
  const factor = await readFactor(app, await app.store.findUser(name));
  if (factor === null || (await findCode(factor, code, app.clock.now())) === null) throw refusal;
  return () => Promise.resolve();
}

/** Returns the confirmed second factor of a user. Takes as long for an unknown user name. */
async function readFactor(app: App, user: User | null): Promise<SecondFactor | null> {
  const read = await app.store.readSecondFactor(user?.id ?? unknownUserId);
  return read?.confirmedAt === null ? null : read;
}

const wrong = (code: string | undefined) =>
  new Refusal(
    'unauthorized',
    'credentials_wrong',
    code === undefined
      ? 'The user name or the password is not correct. If you use an authenticator app, enter its code as well.'
      : 'The user name, the password or the code is not correct.',
  );

/** Notifies the user, because an attacker could also have used the recovery code. */
async function mailRecoveryUse(app: App, user: User, left: number): Promise<void> {
  const event = { at: app.clock.now(), action: 'second_factor.recovery_code_used', subject: user.username };
  if (user.tenantId === null) await app.store.addDeploymentEvent({ ...event, actor: user.username, detail: { left } });
  else
    await app.store
      .forTenant(user.tenantId)
      .addAudit({ ...event, actor: { username: user.username }, before: null, after: { left } });
  const mail = recoveryCodeUsedMail({ username: user.username, appUrl: app.config.appUrl }, left);
  // Not awaited: login does not wait for the mail.
  void sendMail(app, mail).catch((error: unknown) => app.logger.error({ err: error }, 'an email could not be saved'));
}
