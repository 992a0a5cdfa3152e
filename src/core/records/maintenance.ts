import { type Instant, momentText } from '../values/dates.ts';
import { Refusal } from '../refusal.ts';

/** Maintenance mode: workers begin no work, and only system administrators can use Tallybridge. */
export interface Maintenance {
  readonly since: Instant;
  /** The operator's message to users; empty without one. */
  readonly message: string;
}

/** What a process knows about maintenance; it asks the database every two seconds. */
export interface MaintenanceWatch {
  /** Null: maintenance is off. */
  current(): Maintenance | null;
  /** Asks the database now. */
  refresh(): Promise<void>;
}

/** For tests and commands that serve no users. */
export const neverInMaintenance: MaintenanceWatch = { current: () => null, refresh: () => Promise.resolve() };

/** Maximum characters of the message to users. */
export const maxMaintenanceMessage = 300;

/** Returns the sentences for users: since when, and the operator's message. */
export const maintenanceText = ({ since, message }: Maintenance): string =>
  `Tallybridge has been in maintenance since ${momentText(since, 'UTC')}.${message === '' ? '' : ` ${message}`} Nothing is lost: syncs continue afterward.`;

/** Rejects a request of a user while maintenance is on. */
export const underMaintenance = (maintenance: Maintenance): Refusal =>
  new Refusal('maintenance', 'maintenance', maintenanceText(maintenance));
