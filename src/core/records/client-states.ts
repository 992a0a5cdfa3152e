import type { SubscriptionStatus } from '../tenant.ts';
import type { Instant } from '../values/dates.ts';
import type { Page } from './page.ts';

/** How the syncs of a client went, without its documents. */
export interface ClientState {
  readonly id: string;
  readonly name: string;
  readonly status: SubscriptionStatus;
  /** An active client whose syncs stopped, or with a service that is not connected. */
  readonly needsHelp: boolean;
  /** Since when a defect stops its syncs; null: none does. */
  readonly stalledSince: Instant | null;
  /** Null: never connected. */
  readonly psa: 'active' | 'inactive' | null;
  readonly accounting: 'active' | 'inactive' | null;
  /** When QuickBooks' consent ends; null if unknown. */
  readonly consentEndsAt: Instant | null;
  /** End of the last live job. */
  readonly lastSyncedAt: Instant | null;
  /** Documents that failed and that were held in the last 24 hours. */
  readonly failed: number;
  readonly held: number;
  /** Synced documents in each of the last 14 periods of 24 hours, oldest first. */
  readonly postedByDay: readonly number[];
}

/** Which clients a page shows. */
export interface ClientFilter extends Page {
  /** Part of the name. */
  readonly text: string;
  /** Only clients that need help. */
  readonly needsHelp: boolean;
}

export interface ClientPage {
  readonly clients: readonly ClientState[];
  /** Number of clients with the text, on all pages. */
  readonly total: number;
  readonly needingHelp: number;
}
