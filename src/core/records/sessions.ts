import type { Role } from '../roles.ts';
import type { SignInProof } from './sign-in-providers.ts';
import type { Instant } from '../values/dates.ts';

export interface Session {
  /** Id of the session on screens. */
  readonly id: string;
  /** Id of the session in its token. */
  readonly jti: string;
  readonly userId: string;
  readonly tenantId: string | null;
  readonly roles: readonly Role[];
  /** User name of a sysadmin who acts as a client. */
  readonly masquerader: string | null;
  /** Hash of the cookie that belongs to the token; a browser's token is only valid with it. */
  readonly cookieHash: string | null;
  /** {@link User.accessVersion} at sign-in. */
  readonly accessVersion: number;
  /** The user's email address was verified. */
  readonly emailIsProved: boolean;
  /** Name that the browser or program sent; empty without one. */
  readonly userAgent: string;
  /** Network address of the sign-in. */
  readonly address: string;
  readonly createdAt: Instant;
  /** Last use, to the minute. */
  readonly lastUsedAt: Instant;
  readonly endsAt: Instant;
  readonly proof: SignInProof;
}

export type NewSession = Omit<Session, 'id' | 'lastUsedAt' | 'emailIsProved'>;
