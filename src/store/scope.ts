import type { Clock } from '#core/ports/clock.ts';
import type { Tx } from './database.ts';
import type { Vault } from './vault.ts';

/** Limits of one token refresh, in milliseconds. */
export interface RefreshLimits {
  /** Time after which a stalled refresh loses its lock, counted from its first request to the service. */
  readonly heldMs: number;
  /** Maximum wait for another refresh. */
  readonly waitMs: number;
}

/** Tools shared by the functions of one tenant's store. */
export interface Scope {
  readonly tenantId: string;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly refreshLimits: RefreshLimits;
  /** One transaction, bound to the tenant. */
  readonly inTransaction: <T>(use: (tx: Tx) => Promise<T>) => Promise<T>;
}

/** Tools shared by the functions across tenants: sign-in, the list of clients, the schedule. */
export interface RootScope {
  readonly clock: Clock;
  readonly vault: Vault;
  readonly inTransaction: <T>(use: (tx: Tx) => Promise<T>) => Promise<T>;
  /** One transaction that may delete rows of any tenant. */
  readonly asPurge: <T>(use: (tx: Tx) => Promise<T>) => Promise<T>;
}
