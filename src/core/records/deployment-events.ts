import type { Instant } from '../values/dates.ts';
import type { JsonObject } from '../values/json.ts';

/** An action outside any client's own audit trail. */
export interface DeploymentEvent {
  readonly at: Instant;
  /** A user name, or `command line`. */
  readonly actor: string;
  /** Noun and verb, e.g. `tenant.deleted`. */
  readonly action: string;
  readonly subject: string;
  readonly detail: JsonObject;
}
