import type { CdcState } from '../documents/accounting-change.ts';
import type { Kind } from '../kinds.ts';
import type { Settings } from '../settings/definitions.ts';
import type { AccountingCredentials, PsaCredentials, Tenant } from '../tenant.ts';
import type { Instant } from '../values/dates.ts';
import type { Lease } from './leases.ts';

/** Facts that a worker needs at the start of its session for a tenant. */
export interface TenantSession {
  readonly lease: Lease;
  readonly tenant: Tenant;
  readonly settings: Settings;
  /** Null for a service without credentials. */
  readonly credentials: { readonly psa: PsaCredentials | null; readonly accounting: AccountingCredentials | null };
  readonly cdc: CdcState;
  /** Position in the change feed when the gap of {@link ledgerGap} was detected; the current position without a gap. */
  readonly beforeGap: Pick<CdcState, 'cursor' | 'polledAt'>;
  /** QuickBooks reported changes of invoices or payments that are not processed yet. */
  readonly hasNotifications: boolean;
  /** QuickBooks reported any changes that are not processed yet. */
  readonly hasChanges: boolean;
  /** The paid state of some invoices is not processed yet. */
  readonly hasDuePayments: boolean;
  /** A gap in the records after which the paid dates were not checked yet; null: none. */
  readonly gap: number | null;
  /** A gap in the records after which documents missing in the ledger were not searched yet; null: none. */
  readonly ledgerGap: number | null;
  /** Fingerprint of the last search of each kind that found nothing to do. */
  readonly fingerprints: Readonly<Partial<Record<Kind, string>>>;
  /** Both connections are active. */
  readonly areConnected: boolean;
  /** A user has to act in one of the services, although its connection is active. */
  readonly needsAction: boolean;
  /** The subscription is active and its next cycle is due. */
  readonly isCycleDue: boolean;
  /** Consecutive cycles that ended because a service rejected our access. */
  readonly consecutiveFailures: number;
  /** Unfinished live attempts exist, including waiting ones. */
  readonly hasUnfinished: boolean;
  /** The previous session ended with a defect. */
  readonly hasFailedBefore: boolean;
  /** Queued or interrupted jobs exist. */
  readonly hasJobs: boolean;
}

/** End of a cycle of the schedule. */
export interface CycleResult {
  /** The kinds that were searched, and through which time. */
  readonly polled: readonly {
    readonly kind: Kind;
    readonly at: Instant;
    /** Fingerprint of the search when there was nothing to do; null: there was, or the search has to run again. */
    readonly fingerprint: string | null;
  }[];
  readonly nextSyncAt: Instant;
  readonly consecutiveFailures: number;
}
