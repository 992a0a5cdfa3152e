import type { Instant } from '../values/dates.ts';
import type { Json } from '../values/json.ts';
import type { Page } from './page.ts';

export interface AuditPage {
  readonly events: readonly AuditEvent[];
  /** Number of events that match the filter, up to the counting limit. */
  readonly total: number;
  /** Whether there are more than `total`. */
  readonly more: boolean;
}

/** The author of a change: a user (with the sysadmin who acts as this user), or the program itself. */
export interface Actor {
  readonly username: string;
  /** The sysadmin who acts as this client. */
  readonly masquerader?: string;
}

export interface NewAuditEvent {
  readonly at: Instant;
  readonly actor: Actor;
  /** Verb and noun, e.g. `settings.saved`, `connection.removed`, `job.submitted`. */
  readonly action: string;
  readonly subject: string | null;
  readonly before: Json;
  readonly after: Json;
}

export interface AuditFilter extends Page {
  /** Matches action, subject and values, ignoring case. */
  readonly text?: string;
  /** Matches the actor, including a sysadmin who acts as a client. */
  readonly person?: string;
  /** Only these exact actions. */
  readonly actions?: readonly string[];
  /** Only this exact subject. */
  readonly subject?: string;
}

export interface AuditEvent extends NewAuditEvent {
  readonly id: string;
}
