import type { Instant } from '../values/dates.ts';
import type { JsonObject } from '../values/json.ts';

/** Log of administrative actions on the deployment. */
export interface DeploymentEventStore {
  /** Records an action on the deployment, e.g. that a client was deleted. */
  addDeploymentEvent(event: DeploymentEvent): Promise<void>;
  /** Newest first. */
  listDeploymentEvents(limit: number): Promise<readonly DeploymentEvent[]>;
}

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
