import type { NoticePreferences } from '../notice-preferences.ts';
import type { Notice } from '../notices.ts';
import type { Role } from '../roles.ts';
import type { Instant } from '../values/dates.ts';
import type { NewAuditEvent } from './audit.ts';
import type { Mail } from './mailer.ts';
import type { Page } from './page.ts';

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
  /** A user gets one notice with this key; absent: each call adds one. */
  readonly once?: string;
  /**
   * Returns the email to a user who wants one at once; null if the user gets it anyway. Absent: a worker writes a
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

/** Notices to the users of a tenant. */
export interface NoticeStore {
  /** Saves notices for their users; each user keeps the newest 500. */
  addNotices(notices: readonly NewNotice[]): Promise<void>;
  /**
   * Asks users to do something: adds the notice and the audit event in one transaction. Skips users with a notice of the
   * same kind and month in the last `quietSeconds`.
   *
   * @returns the user names of those who were asked, sorted.
   */
  askUsers(request: {
    readonly notice: NewNotice;
    readonly quietSeconds: number;
    readonly event: Omit<NewAuditEvent, 'after'>;
  }): Promise<readonly string[]>;
  /** Lists the notices of a user, newest first. */
  listNotices(
    userId: string,
    page: Page,
  ): Promise<{ readonly notices: readonly StoredNotice[]; readonly total: number; readonly unread: number }>;
  /** Marks one notice of a user as read; false when the user does not have it. */
  markNoticeRead(userId: string, id: string, at: Instant): Promise<boolean>;
  /** Marks all notices of a user as read. @returns how many were unread */
  markAllNoticesRead(userId: string, at: Instant): Promise<number>;
}

/** How users get notices, and the emails about them. */
export interface NoticeMailStore {
  readNoticePreferences(userId: string): Promise<NoticePreferences>;
  /** Saves the preferences and moves the user's waiting notices to the chosen daily email, or to none. */
  saveNoticePreferences(userId: string, preferences: NoticePreferences, now: Instant): Promise<void>;
  /** Writes the emails that are due about notices, in one transaction. */
  mailNotices(now: Instant, mailsFor: (due: DueNotices) => readonly Mail[]): Promise<void>;
}

/** Finds clients that need a notice. */
export interface NoticeSearch {
  /** Lists clients with a connection or an API key that expires within the limits, and an administrator without notice of it. */
  tenantsWithEndings(
    now: Instant,
    before: { readonly consent: Instant; readonly apiKey: Instant },
    limit: number,
  ): Promise<readonly string[]>;
}

export interface NoticeMailSearch {
  /**
   * Lists clients with an administrator, without a live run in progress, and with drafts that wait for approval and are
   * newer than the last notice about drafts, if that is older than `quietSince`.
   */
  tenantsWithNewDrafts(quietSince: Instant, limit: number): Promise<readonly string[]>;
  /** Lists clients with notices for which an email is due. */
  tenantsWithNoticeMails(now: Instant, limit: number): Promise<readonly string[]>;
}

/** Keys of notices that are saved once. */
export const connectionEndingKey = (endsAt: Instant): string => `connection ends ${endsAt.slice(0, 10)}`;
export const apiKeyEndingKey = (id: string): string => `api key ends ${id}`;
