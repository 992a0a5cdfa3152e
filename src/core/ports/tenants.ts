import type { GuideState, Service, SubscriptionStatus, Tenant } from '../tenant.ts';
import type { Instant } from '../values/dates.ts';
import type { NewAuditEvent } from './audit.ts';

/** The record of the tenant. */
export interface TenantRecordStore {
  readTenant(): Promise<Tenant>;
  setStatus(status: SubscriptionStatus): Promise<void>;
  /** Sets the time zone (IANA name) in which documents are dated from now on. */
  setTimeZone(timeZone: string): Promise<void>;
  readGuide(): Promise<GuideState>;
  setGuide(state: GuideState): Promise<void>;
  /**
   * Changes the status for a system administrator, with an audit event. If the tenant does not sync afterward, queued
   * jobs are canceled and running ones are asked to stop.
   */
  changeStatus(
    change: { readonly status: SubscriptionStatus; readonly reason: string | null },
    event: NewAuditEvent,
  ): Promise<void>;
  /**
   * Marks the tenant as moved to another deployment: suspends it, ends its sessions, and holds its lease, so that no
   * worker takes it again. Safe to call again.
   *
   * @returns false while a worker holds the tenant; nothing was changed then.
   */
  beginMove(event: NewAuditEvent): Promise<boolean>;
  /** Reverts {@link beginMove}. Returns false if the tenant is not marked. */
  undoMove(event: NewAuditEvent): Promise<boolean>;
}

/** All tenants. */
export interface TenantListStore {
  addTenant(tenant: Omit<Tenant, 'id'>): Promise<Tenant>;
  listTenants(): Promise<readonly Tenant[]>;
  /** Lists the ids of tenants that were moved to another deployment and are not deleted here yet. */
  listMovedTenants(): Promise<readonly string[]>;
  /** Finds tenants with an active connection to this company. */
  findConnected(service: Service, externalId: string): Promise<readonly string[]>;
  /** Finds tenants whose current or last connection is to this company. */
  findHolders(service: Service, externalId: string): Promise<readonly CompanyHolder[]>;
  findTenant(id: string): Promise<Tenant | null>;
  readTenantDetail(id: string): Promise<TenantDetail | null>;
  /**
   * Lists tenants with due work and no live lease: queued or interrupted jobs, unfinished attempts that are due, or a
   * cycle of the schedule. The tenant that has waited longest comes first.
   */
  dueTenants(now: Instant, limit: number): Promise<readonly string[]>;
  /** Counts the tenants whose syncs are stalled by a defect. */
  countStalledTenants(now: Instant): Promise<number>;
  /** Lists tenants whose QuickBooks connection is due for maintenance, longest overdue first. */
  tenantsDueForMaintenance(now: Instant, limit: number): Promise<readonly string[]>;
  /**
   * Takes active tenants whose open months are due for the automatic close check: once a day, at night in their time
   * zone, or by day after a missed night. Each tenant is taken by one worker only.
   */
  takeTenantsToProve(now: Instant, limit: number): Promise<readonly string[]>;
}

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
