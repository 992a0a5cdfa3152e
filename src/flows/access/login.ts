import { Refusal } from '#core/refusal.ts';
import type { App } from '../context.ts';
import { pretendToVerify, verifyPassword } from './passwords.ts';
import { signedInAs, type SignedIn } from './principal.ts';
import { count, throttle } from './throttle.ts';

/**
 * Failed tries in 15 minutes after which no more are taken. A browser that signed in as this user before has a count
 * of its own, so that a stranger who guesses cannot lock the owner out.
 */
const limits = { device: 10, accountAtAddress: 10, address: 200, account: 60 } as const;

export interface Credentials {
  readonly username: string;
  readonly password: string;
  /** Where the request came from, for throttling. */
  readonly address: string;
  /** Id of a browser that is known to have signed in as this user before. */
  readonly knownDevice: string | null;
}

/**
 * Signs in by user name and password; asked for by the login page. Unknown user, wrong password and inactive user are
 * answered alike, after the same work.
 *
 * @throws Refusal `credentials_wrong` (401), `too_many_tries` (429).
 */
export async function login(app: App, { username, password, address, knownDevice }: Credentials): Promise<SignedIn> {
  const name = username.toLowerCase();
  const counters =
    knownDevice === null
      ? [
          { key: `at ${address} as ${name}`, limit: limits.accountAtAddress },
          { key: `at ${address}`, limit: limits.address },
          { key: `as ${name}`, limit: limits.account },
        ]
      : [{ key: `device ${knownDevice}`, limit: limits.device }];
  await throttle(app, counters);

  const user = await app.store.findUser(name);
  const isRight = user === null ? await pretendToVerify(password) : await verifyPassword(password, user.passwordHash);
  if (user === null || isRight !== true || !user.isActive) {
    await count(app, counters);
    throw new Refusal('unauthorized', 'credentials_wrong', 'The user name or the password is not correct.');
  }
  return signedInAs(app, user);
}
