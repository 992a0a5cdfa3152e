import type { PersonState } from '../person.ts';
import type { ClientRole } from '../roles.ts';
import type { Instant } from '../values/dates.ts';
import type { Page } from './page.ts';

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
