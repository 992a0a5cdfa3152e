import type { CdcState } from '../cdc.ts';
import type { Kind } from '../kinds.ts';
import type { Settings } from '../settings/definitions.ts';
import type { AccountingCredentials, PsaCredentials, Tenant } from '../tenant.ts';
import type { Instant } from '../values/dates.ts';
import type { Lease } from './leases.ts';

/** A worker's session at a tenant. */
export interface TenantSessionStore {
  /** Takes the lease and tells, in the same transaction, what there is to do; null while another worker holds it. */
  openSession(owner: string, seconds: number, now: Instant): Promise<TenantSession | null>;
  /** Gives the lease back and, in the same transaction, notes how a cycle ended. Does nothing once the lease is lost. */
  closeSession(lease: Lease, cycle: CycleResult | null): Promise<void>;
}

/** Facts that a worker needs when its session at a tenant begins. */
export interface TenantSession {
  readonly lease: Lease;
  readonly tenant: Tenant;
  readonly settings: Settings;
  /** Null: there are none. */
  readonly credentials: { readonly psa: PsaCredentials | null; readonly accounting: AccountingCredentials | null };
  readonly cdc: CdcState;
  /** How far the feed had been read when the gap of {@link ledgerGap} was noticed; the state of now while there is none. */
  readonly beforeGap: Pick<CdcState, 'cursor' | 'polledAt'>;
  /** The books have told of invoices or payments, and nobody has looked yet. */
  readonly hasWebhooks: boolean;
  /** The paid state of some invoices is not settled. */
  readonly hasDuePayments: boolean;
  /** A gap in our records after which the paid dates were not looked through yet; null: there is none. */
  readonly gap: number | null;
  /** A gap after which documents that the ledger does not know were not looked for yet; null: there is none. */
  readonly ledgerGap: number | null;
  /** Fingerprint of the last search of each kind that found nothing to do. */
  readonly fingerprints: Readonly<Partial<Record<Kind, string>>>;
  /** Both connections are active. */
  readonly areConnected: boolean;
  /** Somebody has to do something in one of the services, although its connection is active. */
  readonly needsAction: boolean;
  /** The subscription is active and its time has come. */
  readonly isCycleDue: boolean;
  /** Cycles in a row that ended because a service refused our access. */
  readonly consecutiveFailures: number;
  /** Live attempts were left unfinished, waiting ones included. */
  readonly hasUnfinished: boolean;
  /** The session before ended with a defect of ours. */
  readonly hasFailedBefore: boolean;
  /** Jobs are queued, or were interrupted. */
  readonly hasJobs: boolean;
}

/** End of a cycle of the schedule. */
export interface CycleResult {
  /** The kinds that were looked for, and up to when. */
  readonly polled: readonly {
    readonly kind: Kind;
    readonly at: Instant;
    /** Fingerprint of the search, when there was nothing to do; null: there was, or it has to be looked at again. */
    readonly fingerprint: string | null;
  }[];
  readonly nextSyncAt: Instant;
  readonly consecutiveFailures: number;
}
