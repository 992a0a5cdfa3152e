import type { Notice } from '../notices.ts';
import type { Mail } from '../ports/mailer.ts';
import type { Role } from '../roles.ts';
import type { Instant } from '../values/dates.ts';

/** A notice that is about to be saved for several users. */
export interface NewNotice {
  readonly notice: Notice;
  readonly at: Instant;
  /** Active users of the client with one of these roles get it. */
  readonly roles: readonly Role[];
  /** Only these of them, by user name. */
  readonly only?: readonly string[];
  /** Not this one, by user name. */
  readonly except?: string;
  /** A user gets one notice with this key. Undefined if each call adds one. */
  readonly once?: string;
  /**
   * Returns the email to a user who wants one at once; null if the user gets it anyway. If undefined, a worker writes a
   * general one.
   */
  readonly mailTo?: (username: string) => Mail | null;
  /** Addresses in the client's settings get the emails, so users get them only by choice. */
  readonly isMailedElsewhere?: boolean;
}

export interface StoredNotice {
  readonly id: string;
  readonly notice: Notice;
  readonly at: Instant;
  readonly isRead: boolean;
}

/** Notices of one user that an email is due for. */
export interface DueNotices {
  readonly username: string;
  /** One email each. */
  readonly single: readonly Notice[];
  /** Unread notices for one email, oldest first. */
  readonly digest: readonly Notice[];
}

/** Keys of notices that are saved once. */
export const connectionEndingKey = (endsAt: Instant): string => `connection ends ${endsAt.slice(0, 10)}`;
export const apiKeyEndingKey = (id: string): string => `api key ends ${id}`;
