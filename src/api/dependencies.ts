import type { Registry } from 'prom-client';
import type { Announcements } from '#core/ports/announcements.ts';
import type { App } from '#flows/context.ts';
import type { FloodRules } from './floods.ts';

/** Parts that the server is built from; `main` puts it together. */
export interface ApiDependencies {
  readonly app: App;
  /** `SECRET_KEY`: one secret, or several separated by commas, newest first; older ones only verify. */
  readonly secretKey: string;
  /** Tells when a job has changed; without it the server looks twice a second. */
  readonly announcements?: Announcements;
  /** Folder of the built web application, `dist/web` unless told; null: only the API is served. */
  readonly webFolder?: string | null;
  /** Registry of the metrics, when the process has more to tell than the API; one of its own otherwise. */
  readonly metrics?: Registry;
  /** Requests that one address, one user and one client may make in a minute. */
  readonly requestsPerMinute?: Partial<RequestLimits>;
  /** Slows floods of requests that prove nothing down; absent: they are served as they come. */
  readonly floodRules?: FloodRules;
  /** A mail that only somebody with an account gets leaves at any moment within so long; at once unless told. */
  readonly mailWithinMs?: number;
  /** How long a server that closes waits for the answers under way; ten seconds unless told. */
  readonly closeWithinMs?: number;
  /** Time that a request waits for a connected service, in milliseconds; 2 seconds by default. */
  readonly patienceMs?: number;
  /** Time for the body of a webhook to arrive; 5 seconds by default. */
  readonly webhookWithinMs?: number;
  /** Proxies in front whose `X-Forwarded-For` is believed: so many, or these addresses and networks; none unless told. */
  readonly trustProxy?: false | number | readonly string[];
  /** Bearer token of the program that reads the metrics; without one only a demo shows them. */
  readonly metricsToken?: string | undefined;
  /** Where vulnerabilities are reported, as a URI, for security.txt; without one there is none. */
  readonly securityContact?: string | undefined;
}

/** Requests in a minute; high enough for a busy office, low enough to stop a runaway script. */
export interface RequestLimits {
  readonly address: number;
  readonly user: number;
  /** Limit for all users of the client together, and whoever acts as it. */
  readonly client: number;
}
