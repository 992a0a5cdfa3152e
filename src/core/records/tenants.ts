import type { SubscriptionStatus, Tenant } from '../tenant.ts';
import type { Instant } from '../values/dates.ts';

/** A client as a system administrator sees it, without documents. */
export interface TenantDetail extends Tenant {
  /** Why it was suspended or canceled; null otherwise. */
  readonly reason: string | null;
  readonly createdAt: Instant;
  /** Active users. */
  readonly users: number;
  /** Newest sign-in of its users; null: never. */
  readonly lastSignInAt: Instant | null;
}

/** Holds the lease of a tenant that was moved to another deployment. */
export const moveOwner = 'moved to another deployment';

/** A tenant and its connection to a company. */
export interface CompanyHolder {
  readonly tenantId: string;
  readonly tenantStatus: SubscriptionStatus;
  /** False: it was disconnected or lost. */
  readonly isActive: boolean;
}
