import type { Actor, Session } from '#core/ports/store.ts';
import type { Role } from '#core/roles.ts';
import type { Instant } from '#core/values/dates.ts';

/** Who is asking: the session behind a request, verified. */
export interface Principal {
  readonly jti: string;
  readonly userId: string;
  readonly username: string;
  readonly roles: readonly Role[];
  readonly client: { readonly id: string; readonly name: string } | null;
  /** Name of the system administrator who acts as this client. */
  readonly masquerader: string | null;
  /** Hash of the cookie that the session is bound to; null for programs that are not browsers. */
  readonly cookieHash: string | null;
  readonly endsAt: Instant;
}

/** Somebody who may have a session now; the API makes the token. */
export interface SignedIn {
  readonly userId: string;
  readonly username: string;
  readonly roles: readonly Role[];
  readonly client: { readonly id: string; readonly name: string } | null;
  readonly masquerader: string | null;
  /** When the session must end at the latest; null: as long as sessions last. */
  readonly endsAt: Instant | null;
}

/** How the audit trail names who did something. */
export const actorOf = (principal: Pick<Principal, 'username' | 'masquerader'>): Actor => ({
  username: principal.username,
  ...(principal.masquerader === null ? {} : { masquerader: principal.masquerader }),
});

/** True while the session may be used for things of one client. */
export const actsForClient = (session: Pick<Session, 'tenantId' | 'roles'>): boolean =>
  session.tenantId !== null && session.roles.includes('clientadmin');
