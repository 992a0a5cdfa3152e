import type { RateLimits } from '../rate-limiter.ts';
import { callService, type Egress } from '../http-client.ts';
import { createSharedCache } from '../shared-cache.ts';
import { notSent, readAnswer, signInRefused, wrongShape } from './errors.ts';

/** Zone of a tenant: the host of its database. */
export interface Zone {
  /** E.g. `https://webservices5.autotask.net/ATServicesRest/`. */
  readonly url: string;
  /** Identifies the PSA database: the zone's customer number. */
  readonly databaseId: string;
}

/**
 * A tenant may be moved to another zone; the vendor's clients cache the answer for 12 to 24 hours (reference section
 * 1).
 */
const cacheSeconds = 12 * 3_600;
const timeoutMs = 20_000;
const vendorHost = /^webservices\d*\.autotask\.net$/i;
const restPath = /^\/atservicesrest\//i;

/**
 * Checks an address before anything is sent to it: a vendor host over https, or a host from the configuration (also
 * over http), and the path of the REST services.
 *
 * @param allowedHosts `host:port` as written in a URL, e.g. `127.0.0.1:4010`.
 * @returns the address as a URL, or null if it must not be called.
 */
export function checkedZoneUrl(text: string, allowedHosts: readonly string[]): URL | null {
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '' || !restPath.test(url.pathname)) return null;
  const isVendor = url.protocol === 'https:' && url.port === '' && vendorHost.test(url.hostname);
  const isConfigured = /^https?:$/.test(url.protocol) && allowedHosts.includes(url.host);
  return isVendor || isConfigured ? url : null;
}

export interface ZoneFinder {
  /** Returns the zone, from the cache while it is fresh. */
  find(): Promise<Zone>;
  /** Looks the zone up again after it was refused. */
  findAgain(): Promise<Zone>;
}

export interface ZoneOptions {
  /** Address where the lookup starts: the vendor's zone service or a sandbox, with or without `/ATServicesRest/`. */
  readonly zoneUrl: string;
  readonly userName: string;
  readonly egress: Egress;
  /** Zones are cached per rateLimits, so that all connectors of a process share them. */
  readonly rateLimits: RateLimits;
  readonly onZone?: ((zone: Zone) => void) | undefined;
}

const cache = createSharedCache<Zone>(cacheSeconds);

/**
 * Finds the zone of an API user. Sends only the user's name, no secret.
 *
 * @throws Error if `zoneUrl` itself is not allowed, which is a configuration error.
 */
export function zoneFinder(options: ZoneOptions): ZoneFinder {
  const { userName, egress, rateLimits } = options;
  const { allowedHosts } = egress;
  const start = configuredZoneUrl(options.zoneUrl, allowedHosts);
  const key = `${start.href} ${userName}`;

  async function ask(): Promise<Zone> {
    const operation = 'find the Autotask zone';
    const url = zoneLookup(start.href, userName);
    const headers = { Accept: 'application/json' };
    const result = await callService({ service: 'psa', operation, method: 'GET', url, headers, timeoutMs }, egress);
    // An unknown user is answered with 500 and a list of errors (autotask reference section 1).
    if (result.isAnswered && result.status === 500 && /"errors"/i.test(result.text))
      throw signInRefused(operation, `Autotask does not know the API user ${userName}.`);
    const answer = readAnswer(operation, result, []);
    if (typeof answer.url !== 'string') throw wrongShape(operation, 'no address of the zone');
    const checked = checkedZoneUrl(answer.url.endsWith('/') ? answer.url : `${answer.url}/`, allowedHosts);
    if (checked === null) throw notSent(operation, 'Autotask named a zone whose address is not allowed.');
    const zone = { url: checked.href, databaseId: databaseIdOf(answer.ci, userName) };
    options.onZone?.(zone);
    return zone;
  }

  return {
    find: () => cache.get(rateLimits, key, egress.now, ask),
    findAgain: () => cache.refresh(rateLimits, key, egress.now, ask),
  };
}

/** Returns the address that names the zone of an API user. */
export function zoneLookup(zoneUrl: string, userName: string): URL {
  const url = new URL('V1.0/zoneInformation', withRestPath(zoneUrl));
  url.searchParams.set('user', userName);
  return url;
}

function configuredZoneUrl(text: string, allowedHosts: readonly string[]): URL {
  const url = checkedZoneUrl(withRestPath(text), allowedHosts);
  if (url === null) throw new Error(`Autotask cannot be looked for at ${text}: the host is not allowed.`);
  return url;
}

const withRestPath = (text: string): string => {
  const url = URL.parse(text);
  if (url === null || restPath.test(`${url.pathname}/`)) return text.endsWith('/') ? text : `${text}/`;
  return new URL('/ATServicesRest/', url).href;
};

/** Returns the customer number; without one, the part of the user's name that identifies the tenant. */
function databaseIdOf(customerNumber: unknown, userName: string): string {
  if (typeof customerNumber === 'number' || (typeof customerNumber === 'string' && customerNumber !== ''))
    return String(customerNumber);
  return userName.slice(userName.lastIndexOf('@') + 1).toLowerCase();
}
