import type { SubscriptionStatus } from '../tenant.ts';
import type { Instant } from '../values/dates.ts';

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

export interface ClientStateStore {
  /**
   * Lists clients; those that need help come first, then by name.
   *
   * @param wanted.text part of the name
   * @param wanted.needsHelp only clients that need help
   * @returns the clients of one page, and how many have the text in all
   */
  listClientStates(wanted: {
    readonly text: string;
    readonly needsHelp: boolean;
    /** Counted from 1. */
    readonly page: number;
    readonly pageSize: number;
    readonly now: Instant;
  }): Promise<{ readonly total: number; readonly needingHelp: number; readonly clients: readonly ClientState[] }>;
}
