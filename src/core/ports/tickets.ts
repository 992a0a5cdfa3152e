import type { Instant } from '../values/dates.ts';
import type { JsonObject } from '../values/json.ts';

/** One-time codes. */
export interface TicketStore {
  /** Keeps the hash of a one-time code. */
  addTicket(ticket: Ticket): Promise<void>;
  /** Looks at a ticket without spending it. */
  readTicket(hash: string, purpose: Ticket['purpose'], now: Instant): Promise<Ticket | null>;
  /** Answers and spends a ticket; null when unknown, spent or over. Of two that race, one wins. */
  spendTicket(hash: string, purpose: Ticket['purpose'], now: Instant): Promise<Ticket | null>;
  /** Spends every ticket of a user for one purpose. */
  spendTicketsOf(userId: string, purpose: Ticket['purpose'], now: Instant): Promise<void>;
}

export interface Ticket {
  readonly hash: string;
  readonly purpose: 'connect_psa' | 'connect_accounting' | 'oauth_state' | 'sign_on' | 'reset_password';
  readonly userId: string | null;
  readonly tenantId: string | null;
  readonly data: JsonObject;
  readonly endsAt: Instant;
}
