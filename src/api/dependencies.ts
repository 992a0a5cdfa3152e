import type { Registry } from 'prom-client';
import type { Announcements } from '#core/ports/announcements.ts';
import type { MaintenanceWatch } from '#core/records/maintenance.ts';
import type { App } from '#flows/context.ts';
import type { FloodRules } from './floods.ts';

/** The parts of the server; `main` assembles them. */
export interface ApiDependencies {
  readonly app: App;
  /** `SECRET_KEY`: one secret, or several separated by commas, newest first; the older ones only verify. */
  readonly secretKey: string;
  /** Announces job changes; without it the server checks jobs twice a second. */
  readonly announcements?: Announcements;
  /** Folder of the built web application; default `dist/web`. Null: only the API is served. */
  readonly webFolder?: string | null;
  /** Registry of the metrics, if the process has more metrics than the API; by default a separate registry. */
  readonly metrics?: Registry;
  /** Maximum requests per minute of one address, one user and one client. */
  readonly requestsPerMinute?: Partial<RequestLimits>;
  /** Limits for floods of requests without a valid session. Undefined means no slowdown. */
  readonly floodRules?: FloodRules;
  /** Maximum random delay of an email that only existing accounts receive; default: no delay. */
  readonly mailWithinMs?: number;
  /** How long a closing server waits for responses in progress; default 10 seconds. */
  readonly closeWithinMs?: number;
  /** How long a request waits for a connected service, in milliseconds; default 2 seconds. */
  readonly patienceMs?: number;
  /** How long the body of a webhook may take to arrive; default 5 seconds. */
  readonly notificationWithinMs?: number;
  /** Trusted proxies whose `X-Forwarded-For` is used: a number of hops, or addresses and networks; default none. */
  readonly trustProxy?: false | number | readonly string[];
  /** Bearer token for reading the metrics; without one, only a demo shows them. */
  readonly metricsToken?: string | undefined;
  /** URI for reporting vulnerabilities, for security.txt; without it, the file does not exist. */
  readonly securityContact?: string | undefined;
  /** Whether maintenance is on; absent: never. */
  readonly maintenance?: MaintenanceWatch;
  /** Aborted when the process stops: from then on the server reports that it is not ready. */
  readonly stopping?: AbortSignal;
}

/** Requests per minute: high enough for a busy office, low enough to stop a runaway script. */
export interface RequestLimits {
  readonly address: number;
  readonly user: number;
  /** Limit for all users of the client together, including masquerading administrators. */
  readonly client: number;
}
