import type { Role } from '../roles.ts';

export interface User {
  readonly id: string;
  /** Sign-in name: the email address, lower case. */
  readonly username: string;
  readonly passwordHash: string;
  readonly roles: readonly Role[];
  /** Null for a sysadmin without a client. */
  readonly tenantId: string | null;
  readonly isActive: boolean;
  /** First and last name; empty when unknown. */
  readonly name: string;
  /** The user's resource in the PSA; null when it was not verified. */
  readonly psaLink: PsaLink | null;
  /** The email address was verified by an invitation, a confirmation or a new password. */
  readonly emailIsProved: boolean;
  /**
   * Increases with each new password, change of roles, deactivation and reactivation; a session is valid for one
   * version.
   */
  readonly accessVersion: number;
}

/** Identifies a person in the PSA. */
export interface PsaLink {
  /** The PSA database, `PsaIdentity.databaseId`. */
  readonly databaseId: string;
  readonly resourceId: number;
}

export type NewUser = Omit<User, 'id' | 'name' | 'psaLink' | 'accessVersion' | 'emailIsProved'> &
  Partial<Pick<User, 'name' | 'psaLink'>>;
