import { Refusal } from '#core/refusal.ts';
import type { App } from '../context.ts';
import { hashPassword } from './passwords.ts';
import { signedInAs, type Principal, type SignedIn } from './principal.ts';
import { mailPasswordChanged, notePasswordChange, refuseWeak } from './reset-password.ts';
import { fullyProvedUser, ownUser } from './totp-setup.ts';

/**
 * Sets a new password for a logged-in user who proves the present one, and a code if two-step login is on. All sessions
 * of the user end, and all links to set a password stop working. Returns a new session.
 *
 * @throws Refusal `password_wrong`, `code_wrong`, `code_required`, `password_refused` (422), `masquerading` (409),
 *   `too_many_tries` (429).
 */
export async function changePassword(
  app: App,
  principal: Principal,
  { present, wanted, code }: { readonly present: string; readonly wanted: string; readonly code: string | undefined },
): Promise<{ readonly signedIn: SignedIn; readonly mail: () => Promise<void> }> {
  const user = await fullyProvedUser(app, principal, { password: present, code });
  refuseWeak(wanted, { email: user.username }, 'new_password');
  if (wanted.normalize('NFC') === present.normalize('NFC')) {
    const error = 'Choose a password that differs from the current one.';
    throw new Refusal('unprocessable', 'password_refused', error, [{ key: 'new_password', error }]);
  }
  await app.store.setPassword(user.id, await hashPassword(wanted), app.clock.now());
  await notePasswordChange(app, user);
  return {
    signedIn: { ...(await signedInAs(app, await ownUser(app, principal), principal.proof)), endsAt: principal.endsAt },
    mail: () => mailPasswordChanged(app, user),
  };
}
