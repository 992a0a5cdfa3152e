import type { PersonState } from '../person.ts';
import type { ClientRole } from '../roles.ts';
import type { Instant } from '../values/dates.ts';
import type { NewAuditEvent } from './audit.ts';
import type { Page } from './page.ts';

/** The people of a tenant. */
export interface PeopleStore {
  /** The people of the client by email address: users, and those who are invited. */
  listPeople(filter: PeopleFilter): Promise<{ readonly people: readonly Person[]; readonly total: number }>;
  /** True while the client has users, and nobody has proved the address of any. */
  awaitsProof(): Promise<boolean>;
  /** A user or an invitation. */
  readPerson(id: string): Promise<Person | null>;
  /**
   * Each of the following changes one person and adds the event to the audit trail, both or neither.
   *
   * @throws Refusal `user_exists`, `invited_already` (409) for an address of this very client.
   */
  addInvitation(invitation: NewInvitation, event: NewAuditEvent): Promise<Person>;
  /** Gives an invitation another token, after which the old one is worth nothing; false when there is none. */
  renewInvitation(
    id: string,
    fresh: Pick<NewInvitation, 'tokenHash' | 'endsAt'>,
    event: NewAuditEvent,
  ): Promise<boolean>;
  removeInvitation(id: string, event: NewAuditEvent): Promise<boolean>;
  /**
   * Lets a user in no more: sessions end and codes are spent. False when there is no such active user.
   *
   * @throws Refusal `last_administrator` (409). Of two who deactivate one another at the same moment one succeeds.
   */
  deactivateUser(id: string, event: NewAuditEvent): Promise<boolean>;
  /** False when there is no such deactivated user. */
  reactivateUser(id: string, event: NewAuditEvent): Promise<boolean>;
  /** Forgets a deactivated user, whose address is free then; false when there is no such. */
  removeUser(id: string, event: NewAuditEvent): Promise<boolean>;
  /** Ends the sessions of a user of the client; false when there is no such user. */
  endSessionsOf(userId: string, event: NewAuditEvent): Promise<boolean>;
}

/** A person on the list of a client's people. */
export interface Person {
  /** Id of the user, or of the invitation. */
  readonly id: string;
  /** Lower case; a user signs in by it. */
  readonly email: string;
  /** Empty when nobody told. */
  readonly name: string;
  readonly role: ClientRole;
  readonly state: PersonState;
  /** Beginning of the account, or the newest invitation. */
  readonly since: Instant;
  /** Null for somebody who never did. */
  readonly lastSignInAt: Instant | null;
  /** How many sessions of theirs count now. */
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
  /** User name of whoever invites. */
  readonly by: string;
  readonly at: Instant;
  readonly endsAt: Instant;
}
