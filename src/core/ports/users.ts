import type { Role } from '../roles.ts';
import type { Tenant } from '../tenant.ts';
import type { Instant } from '../values/dates.ts';

/** Users of all tenants, and how they come in. */
export interface UserStore {
  findUser(username: string): Promise<User | null>;
  findUserById(id: string): Promise<User | null>;
  /** Email addresses of the active system administrators. */
  listSystemAdministrators(): Promise<readonly string[]>;
  /** User who is linked with a resource of the PSA. */
  findUserByPsa(link: PsaLink): Promise<User | null>;
  /** @throws Refusal `username_taken`. */
  addUser(user: NewUser): Promise<User>;
  /** Sets a password, ends every session of the user and spends every token, all or nothing. */
  setPassword(userId: string, passwordHash: string, now: Instant): Promise<void>;
  /**
   * Enables or disables a user. The sessions of a disabled user end, and their codes are spent.
   *
   * @returns false when no user with this name changes.
   */
  setUserActive(username: string, isActive: boolean, now: Instant): Promise<boolean>;
  /**
   * Spends a token to set a password, sets it, ends every session of the user and spends every other token, all or
   * nothing. Null when the token is unknown, spent or over. Of two that race, one wins.
   */
  setPasswordByToken(hash: string, passwordHash: string, now: Instant): Promise<User | null>;
  /**
   * Adds a client and its first user, both or none; nobody has proved the address of that user yet.
   *
   * @param registeredAs the PSA database by which the client registers.
   * @param unprovedSince an account that nobody has proved since then gives its address up.
   * @throws Refusal `company_registered` when a client registered by the same before, `username_taken`.
   */
  registerTenant(
    tenant: Omit<Tenant, 'id'>,
    user: Omit<NewUser, 'tenantId'>,
    registeredAs: string,
    unprovedSince: Instant,
  ): Promise<{ readonly tenant: Tenant; readonly user: User }>;
  /** Notes that the address of a user was proved. */
  markEmailProved(userId: string, now: Instant): Promise<void>;
  /** Terms of an invitation, while it stands and is not over. */
  readInvitation(
    tokenHash: string,
    now: Instant,
  ): Promise<{ readonly email: string; readonly name: string; readonly tenant: Tenant } | null>;
  /**
   * Makes a user of an invitation, which is gone then; an account of the same address that nobody has proved gives way. Null when it is unknown, used or over; of two that race, one wins.
   *
   * @throws Refusal `username_taken` when the address belongs to a user by now; the invitation stays.
   */
  acceptInvitation(tokenHash: string, passwordHash: string, now: Instant): Promise<User | null>;
}

export interface User {
  readonly id: string;
  /** Signs in by it: the email address, lower case. */
  readonly username: string;
  readonly passwordHash: string;
  readonly roles: readonly Role[];
  /** Null for a sysadmin without a client of their own. */
  readonly tenantId: string | null;
  readonly isActive: boolean;
  /** First and last name; empty when nobody told. */
  readonly name: string;
  /** The person's resource in the PSA; null when nobody proved it. */
  readonly psaLink: PsaLink | null;
  /** Somebody proved to read the mails of the address: by an invitation, a confirmation or a new password. */
  readonly emailIsProved: boolean;
  /** Rises with each new password, change of roles, deactivation and reactivation; sessions count under one version. */
  readonly accessVersion: number;
}

/** A person as the PSA's links name them. */
export interface PsaLink {
  /** The PSA database, `PsaIdentity.databaseId`. */
  readonly databaseId: string;
  readonly resourceId: number;
}

export type NewUser = Omit<User, 'id' | 'name' | 'psaLink' | 'accessVersion' | 'emailIsProved'> &
  Partial<Pick<User, 'name' | 'psaLink'>>;
