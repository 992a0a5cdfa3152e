import { isEmail } from '#core/email.ts';
import type { RootStore } from '#store/root-store.ts';
import type { User } from '#core/records/users.ts';
import { Refusal } from '#core/refusal.ts';
import { hashPassword } from './passwords.ts';
import { refuseWeak } from './reset-password.ts';

/**
 * Creates a system administrator, who belongs to no client. Called from the command line of the server; access to that
 * is the only permission it needs.
 *
 * @throws Refusal `email_refused`, `password_refused` (422), `username_taken` (409).
 */
export async function createSysadmin(
  { store }: { readonly store: RootStore },
  { email, password }: { readonly email: string; readonly password: string },
): Promise<User> {
  const username = email.trim().toLowerCase();
  if (!isEmail(username)) throw new Refusal('unprocessable', 'email_refused', `“${email}” is no email address.`);
  refuseWeak(password, { email: username });
  const passwordHash = await hashPassword(password);
  return store.addUser({ username, passwordHash, roles: ['sysadmin'], tenantId: null, isActive: true });
}
