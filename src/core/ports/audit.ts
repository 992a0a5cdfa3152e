import type { Instant } from '../values/dates.ts';
import type { Json } from '../values/json.ts';
import type { Page } from './page.ts';

/** Audit events: every change, with its actor. */
export interface AuditStore {
  addAudit(event: NewAuditEvent): Promise<void>;
  listAudit(filter: AuditFilter): Promise<AuditPage>;
}

export interface AuditPage {
  readonly events: readonly AuditEvent[];
  /** Events that the filter lets through, as far as they are counted. */
  readonly total: number;
  /** There are more than `total`. */
  readonly more: boolean;
}

/** The author of a change: a person (with the sysadmin behind a masquerade), or the program itself. */
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
  /** Matches action, subject and values, in any case. */
  readonly text?: string;
  /** Matches who did it, a sysadmin behind a masquerade included. */
  readonly person?: string;
  /** Only these actions, exactly. */
  readonly actions?: readonly string[];
  /** Only this subject, exactly. */
  readonly subject?: string;
}

export interface AuditEvent extends NewAuditEvent {
  readonly id: string;
}
