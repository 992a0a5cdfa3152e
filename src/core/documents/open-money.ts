import type { CalendarDate } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';
import type { JsonObject } from '../values/json.ts';
import type { SalesReference } from './sales-state.ts';

/**
 * Money of a customer in QuickBooks that is not applied to any invoice: an unapplied payment, a credit memo, or a
 * deposit or journal entry to receivables.
 */
export interface OpenMoney extends SalesReference {
  readonly number: string | null;
  /** The id is null if QuickBooks only returns the name. */
  readonly customer: { readonly id: string | null; readonly name: string | null };
  readonly datedOn: CalendarDate | null;
  /** The part that is not applied; positive. */
  readonly open: Decimal;
  /** ISO 4217; null when QuickBooks uses a single currency. */
  readonly currency: string | null;
  /** A credit that the PSA shows as used up. Undefined means no. */
  readonly isPaidInPsa?: true;
  /** Facts for applying a payment; absent for other documents. */
  readonly payment?: {
    readonly syncToken: string;
    /** QuickBooks does not let other applications change a deposited payment (error 6540). */
    readonly isDeposited: boolean;
    /** The payment as it was read, in the form of the connector. */
    readonly found: JsonObject;
  };
}

/** A customer in the tree of customers and sub-customers. */
interface InTree {
  readonly id: string;
  readonly parentId?: string | null;
}

/** Returns the ids of a customer's parents, nearest first. */
export function parentsOf(customerId: string, customers: ReadonlyMap<string, InTree>): readonly string[] {
  const found: string[] = [];
  for (let id = customers.get(customerId)?.parentId ?? null; id !== null && !found.includes(id);) {
    found.push(id);
    id = customers.get(id)?.parentId ?? null;
  }
  return found;
}

/** Returns the ids of a customer, its parents and its sub-customers: money of any of them may pay its invoices. */
export function familyOf(customerId: string, customers: ReadonlyMap<string, InTree>): readonly string[] {
  const below = [...customers.keys()].filter((id) => parentsOf(id, customers).includes(customerId));
  return [...new Set([customerId, ...parentsOf(customerId, customers), ...below])];
}
