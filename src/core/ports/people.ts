import type { PersonState } from '../person.ts';
import type { ClientRole } from '../roles.ts';
import type { Instant } from '../values/dates.ts';
import type { NewAuditEvent } from './audit.ts';
import type { Page } from './page.ts';

/** The users and invitations of a tenant. */
export interface PeopleStore {
  /** Lists users and invitations of the client by email address. */
  listPeople(filter: PeopleFilter): Promise<{ readonly people: readonly Person[]; readonly total: number }>;
  /** Whether the client has users and none of them has a verified address. */
  awaitsProof(): Promise<boolean>;
  /** Reads a user or an invitation. */
  readPerson(id: string): Promise<Person | null>;
  /**
   * Adds an invitation. This method and the following ones each change one person and add the audit event in one
   * transaction.
   *
   * @throws Refusal `user_exists`, `invited_already` (409) for an address of this client.
   */
  addInvitation(invitation: NewInvitation, event: NewAuditEvent): Promise<Person>;
  /** Replaces the token of an invitation, which invalidates the old one; false when the invitation does not exist. */
  renewInvitation(
    id: string,
    fresh: Pick<NewInvitation, 'tokenHash' | 'endsAt'>,
    event: NewAuditEvent,
  ): Promise<boolean>;
  removeInvitation(id: string, event: NewAuditEvent): Promise<boolean>;
  /**
   * Deactivates a user: ends the sessions and invalidates the codes. False when the client has no active user with this
   * id.
   *
   * @throws Refusal `last_administrator` (409). When two administrators deactivate each other concurrently, one
   *   succeeds.
   */
  deactivateUser(id: string, event: NewAuditEvent): Promise<boolean>;
  /** False when the client has no deactivated user with this id. */
  reactivateUser(id: string, event: NewAuditEvent): Promise<boolean>;
  /**
   * Deletes a deactivated user and releases the address; false when the client has no deactivated user with this id.
   */
  removeUser(id: string, event: NewAuditEvent): Promise<boolean>;
  /** Ends the sessions of a user of the client; false when the user does not exist. */
  endSessionsOf(userId: string, event: NewAuditEvent): Promise<boolean>;
}

/** A person on the client's user list. */
export interface Person {
  /** Id of the user, or of the invitation. */
  readonly id: string;
  /** Lower case; a user signs in by it. */
  readonly email: string;
  /** Empty when unknown. */
  readonly name: string;
  readonly role: ClientRole;
  readonly state: PersonState;
  /** When the account was created, or the newest invitation sent. */
  readonly since: Instant;
  /** Null before the first sign-in. */
  readonly lastSignInAt: Instant | null;
  /** Number of active sessions. */
  readonly sessions: number;
  /** Null for users. */
  readonly invitation: { readonly by: string; readonly endsAt: Instant } | null;
}

export interface PeopleFilter extends Page {
  /** Matches email address and name. */
  readonly text?: string;
  readonly state?: PersonState;
}

export interface NewInvitation {
  readonly email: string;
  readonly name: string;
  readonly role: ClientRole;
  readonly tokenHash: string;
  /** User name of the inviting user. */
  readonly by: string;
  readonly at: Instant;
  readonly endsAt: Instant;
}
