import type { User } from '#core/ports/users.ts';
import { Refusal } from '#core/refusal.ts';
import type { App } from '../context.ts';
import { recoveryCodeUsedMail } from '../mail/second-factor-mails.ts';
import { pretendToVerify, verifyPassword } from './passwords.ts';
import { signedInAs, type SignedIn } from './principal.ts';
import { admitGuess, throttle } from './throttle.ts';
import { admitCode, findCode, isRecoveryCode, spendCode } from './totp.ts';

/**
 * Failed tries in 15 minutes after which no more are taken. A browser that signed in as this user before has a count
 * of its own, so that a stranger who guesses cannot lock the owner out.
 */
const limits = { device: 10, asked: 60, accountAtAddress: 10, address: 200, account: 60 } as const;

export interface Credentials {
  readonly username: string;
  readonly password: string;
  /** Network address of the request, for throttling. */
  readonly address: string;
  /** Id of a browser that is known to have signed in as this user before. */
  readonly knownDevice: string | null;
  /** Code of an authenticator app, or a recovery code; undefined while it was not asked for. */
  readonly code?: string | undefined;
}

/** An id that no user has, so that looking for its second factor costs what it costs for a user. */
const nobody = '00000000-0000-4000-8000-000000000000';

/**
 * Signs in by user name and password, and by a code where the user has a second factor; asked for by the login page.
 * Unknown user, wrong password, inactive user and missing code are answered alike, after the same work. Only a browser
 * that signed in as this user before is asked for the code, whatever the password was (decision 14).
 *
 * @throws Refusal `code_required` (401), `credentials_wrong` (401), `too_many_tries` (429).
 */
export async function login(app: App, credentials: Credentials): Promise<SignedIn> {
  const { username, password, address, knownDevice, code } = credentials;
  const name = username.toLowerCase();
  // Counts of their own, so that wrong codes of an app leave the owner the way in that is meant for a lost one.
  const way = code !== undefined && isRecoveryCode(code) ? 'recovery ' : '';
  const counters =
    knownDevice === null
      ? [
          { key: `${way}at ${address} as ${name}`, limit: limits.accountAtAddress },
          { key: `${way}at ${address}`, limit: limits.address },
          { key: `${way}as ${name}`, limit: limits.account },
        ]
      : [{ key: `${way}device ${knownDevice}`, limit: limits.device }];
  const wasRight = await admitGuess(app, counters);

  const user = await app.store.findUser(name);
  const read = await app.store.readSecondFactor(user?.id ?? nobody);
  const factor = read?.confirmedAt === null ? null : read;
  if (code === undefined && factor !== null && knownDevice !== null) {
    const asked = [{ key: `asked ${knownDevice}`, limit: limits.asked }];
    await throttle(app, asked);
    await wasRight();
    await pretendToVerify(password);
    throw new Refusal('unauthorized', 'code_required', 'Enter the code of your authenticator app.');
  }
  const isRight = user === null ? await pretendToVerify(password) : await verifyPassword(password, user.passwordHash);
  const isUser = user !== null && isRight === true && user.isActive;
  // The same work where the password is wrong, under a name that bothers nobody.
  const doesCount = factor === null || (await admitCode(app, isUser ? user.id : `nobody at ${address}`, code ?? ''));
  if (!isUser) throw wrong(code);
  if (factor === null) {
    await wasRight();
    return signedInAs(app, user);
  }
  const found = doesCount ? await findCode(factor, code ?? '', app.clock.now()) : null;
  if (found === null || !(await spendCode(app, user, factor, found))) throw wrong(code);
  await wasRight();
  if (found.kind === 'recovery') await mailRecoveryUse(app, user, factor.recoveryHashes.length - 1);
  return signedInAs(app, user);
}

const wrong = (code: string | undefined) =>
  new Refusal(
    'unauthorized',
    'credentials_wrong',
    code === undefined
      ? 'The user name or the password is not correct. If you use an authenticator app, enter its code as well.'
      : 'The user name, the password or the code is not correct.',
  );

/** The user hears of it, for a recovery code is also what somebody else would use. */
async function mailRecoveryUse(app: App, user: User, left: number): Promise<void> {
  const event = { at: app.clock.now(), action: 'second_factor.recovery_code_used', subject: user.username };
  if (user.tenantId === null) await app.store.addDeploymentEvent({ ...event, actor: user.username, detail: { left } });
  else
    await app.store
      .forTenant(user.tenantId)
      .addAudit({ ...event, actor: { username: user.username }, before: null, after: { left } });
  const mail = recoveryCodeUsedMail({ username: user.username, appUrl: app.config.appUrl }, left);
  // A mail server that is down must not lock anybody out.
  void app.mailer.send(mail).catch((error: unknown) => app.logger.error({ err: error }, 'a mail could not be sent'));
}
