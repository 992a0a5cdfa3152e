import type { Role } from '../roles.ts';
import type { Tenant } from '../tenant.ts';
import type { Instant } from '../values/dates.ts';

/** Users of all tenants, with registration and invitations. */
export interface UserStore {
  findUser(username: string): Promise<User | null>;
  findUserById(id: string): Promise<User | null>;
  /** Email addresses of the active system administrators. */
  listSystemAdministrators(): Promise<readonly string[]>;
  /** Finds the user who is linked with a PSA resource. */
  findUserByPsa(link: PsaLink): Promise<User | null>;
  /** @throws Refusal `username_taken`. */
  addUser(user: NewUser): Promise<User>;
  /** Sets a password, ends every session of the user and invalidates every token, in one transaction. */
  setPassword(userId: string, passwordHash: string, now: Instant): Promise<void>;
  /**
   * Enables or disables a user. Disabling ends the user's sessions and invalidates their codes.
   *
   * @returns false when no user with this name changes.
   */
  setUserActive(username: string, isActive: boolean, now: Instant): Promise<boolean>;
  /**
   * Uses up a reset token, sets the password, ends every session of the user and invalidates every other token, in one
   * transaction. Null when the token is unknown, used or expired. Of two concurrent calls, one succeeds.
   */
  setPasswordByToken(hash: string, passwordHash: string, now: Instant): Promise<User | null>;
  /**
   * Adds a client and its first user in one transaction; the address of the user is not verified yet.
   *
   * @param registeredAs the PSA database that the client registers with.
   * @param unprovedSince an account that was not verified since then releases its address.
   * @throws Refusal `company_registered` when a client is already registered with the database, `username_taken`.
   */
  registerTenant(
    tenant: Omit<Tenant, 'id'>,
    user: Omit<NewUser, 'tenantId'>,
    registeredAs: string,
    unprovedSince: Instant,
  ): Promise<{ readonly tenant: Tenant; readonly user: User }>;
  /** Records that the address of a user was verified. */
  markEmailProved(userId: string, now: Instant): Promise<void>;
  /** Reads the terms of an invitation that exists and is not expired. */
  readInvitation(
    tokenHash: string,
    now: Instant,
  ): Promise<{ readonly email: string; readonly name: string; readonly tenant: Tenant } | null>;
  /**
   * Creates a user from an invitation and deletes the invitation; replaces an account of the same address that was
   * never verified. Null when the invitation is unknown, used or expired. Of two concurrent calls, one succeeds.
   *
   * @throws Refusal `username_taken` when the address belongs to a user by now; the invitation remains.
   */
  acceptInvitation(tokenHash: string, passwordHash: string, now: Instant): Promise<User | null>;
}

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
