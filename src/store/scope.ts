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
}

/** What a method of a tenant's store works with. */
export type TenantWork = Omit<Scope, 'inTransaction'> & { readonly tx: Tx };
/** What a method across tenants works with. */
export type RootWork = Omit<RootScope, 'inTransaction'> & { readonly tx: Tx };

type Method<Work> = (work: Work, ...values: readonly never[]) => Promise<unknown>;
/** The functions as methods of a store, without their first parameter. */
export type Bound<Functions> = {
  readonly [Name in keyof Functions]: Functions[Name] extends (work: never, ...values: infer Values) => infer Result
    ? (...values: Values) => Result
    : never;
};

/** Returns the functions as methods: each call is one transaction. A call that sends no statement costs nothing. */
export const bound = <Scoped extends RootScope, Functions extends object>(
  { inTransaction, ...tools }: Scoped,
  functions: Functions & Readonly<Record<keyof Functions, Method<Omit<Scoped, 'inTransaction'> & { readonly tx: Tx }>>>,
): Bound<Functions> =>
  Object.fromEntries(
    Object.entries<Method<never>>(functions).map(([name, method]) => [
      name,
      (...values: readonly never[]) => inTransaction((tx) => method({ ...tools, tx } as never, ...values)),
    ]),
  ) as Bound<Functions>;
