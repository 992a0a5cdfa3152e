import type { GuideState, Service, SubscriptionStatus, Tenant } from '../tenant.ts';
import type { Instant } from '../values/dates.ts';
import type { NewAuditEvent } from './audit.ts';

/** The tenant itself. */
export interface TenantRecordStore {
  readTenant(): Promise<Tenant>;
  setStatus(status: SubscriptionStatus): Promise<void>;
  /** Documents are dated there from now on; an IANA name. */
  setTimeZone(timeZone: string): Promise<void>;
  readGuide(): Promise<GuideState>;
  setGuide(state: GuideState): Promise<void>;
  /**
   * Changes the status by a system administrator's hand, with its event. Unless it syncs afterwards, what is queued is
   * cancelled, and what runs is asked to stop.
   */
  changeStatus(
    change: { readonly status: SubscriptionStatus; readonly reason: string | null },
    event: NewAuditEvent,
  ): Promise<void>;
}

/** All tenants: to list, to find, to work for. */
export interface TenantListStore {
  addTenant(tenant: Omit<Tenant, 'id'>): Promise<Tenant>;
  listTenants(): Promise<readonly Tenant[]>;
  /** Tenants whose active connection leads to this company. */
  findConnected(service: Service, externalId: string): Promise<readonly string[]>;
  /** Tenants whose connection leads to this company, or led there last. */
  findHolders(service: Service, externalId: string): Promise<readonly CompanyHolder[]>;
  findTenant(id: string): Promise<Tenant | null>;
  readTenantDetail(id: string): Promise<TenantDetail | null>;
  /**
   * Tenants without a live lease that have work to do: queued or interrupted jobs, unfinished attempts that are due, or
   * a cycle of the schedule. The one that was served longest ago comes first.
   */
  dueTenants(now: Instant, limit: number): Promise<readonly string[]>;
  /** How many tenants stand still by a defect of ours. */
  countStalledTenants(now: Instant): Promise<number>;
  /** Tenants whose connection to the books is to be looked after, longest overdue first. */
  tenantsDueForMaintenance(now: Instant, limit: number): Promise<readonly string[]>;
  /**
   * Takes active tenants whose open months are due to be proved by themselves: once a day, at night where they are, and
   * by day when a night was missed. Each is taken by one worker alone.
   */
  takeTenantsToProve(now: Instant, limit: number): Promise<readonly string[]>;
}

/** A client as a system administrator sees it; nothing of its documents. */
export interface TenantDetail extends Tenant {
  /** Why it was suspended or cancelled; null while it is neither. */
  readonly reason: string | null;
  readonly createdAt: Instant;
  /** Active users. */
  readonly users: number;
  /** Last sign-in of one of them; null: never. */
  readonly lastSignInAt: Instant | null;
}

/** A tenant and its connection to a company. */
export interface CompanyHolder {
  readonly tenantId: string;
  readonly tenantStatus: SubscriptionStatus;
  /** False: it was disconnected, or lost. */
  readonly isActive: boolean;
}
