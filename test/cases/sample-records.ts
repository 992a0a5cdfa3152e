import type { NewSession } from '#core/records/sessions.ts';
import type { NewUser, User } from '#core/records/users.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';

/** Sample records of the store. */

/** Returns an active administrator who cannot log in. */
export const newUser = (username: string, more: Partial<NewUser> = {}): NewUser => ({
  username,
  passwordHash: 'none',
  roles: ['clientadmin'],
  tenantId: null,
  isActive: true,
  ...more,
});

/** Returns a session of a user that ends after an hour. */
export const newSession = (
  jti: string,
  { id, tenantId, roles, accessVersion }: Pick<User, 'id' | 'tenantId' | 'roles' | 'accessVersion'>,
  now: Instant,
  more: Partial<NewSession> = {},
): NewSession => ({
  jti,
  userId: id,
  tenantId,
  roles,
  masquerader: null,
  cookieHash: null,
  accessVersion,
  userAgent: '',
  proof: 'password',
  address: '',
  createdAt: now,
  endsAt: addSeconds(now, 3_600),
  ...more,
});
