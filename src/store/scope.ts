import type { Clock } from '#core/ports/clock.ts';
import type { Tx } from './database.ts';
import type { Vault } from './vault.ts';

/** Limits of one refresh of tokens, in milliseconds. */
export interface RefreshLimits {
  /** A refresh that stands still lets the next one go so long after it began to ask the service. */
  readonly heldMs: number;
  /** Nobody waits longer for another one. */
  readonly waitMs: number;
}

/** Tools that the functions of one tenant's store share. */
export interface Scope {
  readonly tenantId: string;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly refreshLimits: RefreshLimits;
  /** One transaction, bound to the tenant. */
  readonly inTransaction: <T>(use: (tx: Tx) => Promise<T>) => Promise<T>;
}

/** Tools that the functions across tenants share: signing in, the list of clients, the schedule. */
export interface RootScope {
  readonly clock: Clock;
  readonly vault: Vault;
  readonly inTransaction: <T>(use: (tx: Tx) => Promise<T>) => Promise<T>;
  /** One transaction that may remove rows of any tenant. */
  readonly asPurge: <T>(use: (tx: Tx) => Promise<T>) => Promise<T>;
}
