import type { RateLimits } from '#core/ports/rate-limits.ts';
import { callService, type Egress } from '../http-client.ts';
import { createSharedCache } from '../shared-cache.ts';
import { notSent, readAnswer, signInRefused, wrongShape } from './errors.ts';

/** Zone of a tenant: the host on which its database lives. */
export interface Zone {
  /** E.g. `https://webservices5.autotask.net/ATServicesRest/`. */
  readonly url: string;
  /** Tells one PSA database from another: the zone's customer number. */
  readonly databaseId: string;
}

/** A tenant may be moved to another zone; the vendor's clients keep an answer 12 to 24 hours (reference section 1). */
const keptSeconds = 12 * 3_600;
const timeoutMs = 20_000;
const vendorHost = /^webservices\d*\.autotask\.net$/i;
const restPath = /^\/atservicesrest\//i;

/**
 * Checks an address before anything is sent to it: the vendor's hosts over https, or a host that the configuration
 * names (then http as well), and the path of the REST services.
 *
 * @param allowedHosts `host:port` as a URL spells it, e.g. `127.0.0.1:4010`.
 * @returns the address as a URL, or null when it must not be called.
 */
export function checkedZoneUrl(text: string, allowedHosts: readonly string[]): URL | null {
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '' || !restPath.test(url.pathname)) return null;
  const isVendor = url.protocol === 'https:' && url.port === '' && vendorHost.test(url.hostname);
  const isConfigured = /^https?:$/.test(url.protocol) && allowedHosts.includes(url.host);
  return isVendor || isConfigured ? url : null;
}

export interface ZoneFinder {
  /** The zone, from cache while it is fresh. */
  find(): Promise<Zone>;
  /** Asks again after the zone was refused. */
  findAnew(): Promise<Zone>;
}

export interface ZoneOptions {
  /** Address at which the search starts: the vendor's zone service or a sandbox, with or without `/ATServicesRest/`. */
  readonly zoneUrl: string;
  readonly userName: string;
  readonly egress: Egress;
  /** Zones are remembered with the rateLimits, so that all connectors of a process share them. */
  readonly rateLimits: RateLimits;
  readonly onZone?: ((zone: Zone) => void) | undefined;
}

const cache = createSharedCache<Zone>(keptSeconds);

/**
 * Finds the zone of an API user. Only the user's name is sent, no secret.
 *
 * @throws Error when `zoneUrl` itself is not allowed: a mistake of the configuration.
 */
export function zoneFinder(options: ZoneOptions): ZoneFinder {
  const { userName, egress, rateLimits } = options;
  const { allowedHosts } = egress;
  const start = configuredZoneUrl(options.zoneUrl, allowedHosts);
  const key = `${start.href} ${userName}`;

  async function ask(): Promise<Zone> {
    const operation = 'find the Autotask zone';
    const url = new URL('V1.0/zoneInformation', start);
    url.searchParams.set('user', userName);
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
    findAnew: () => cache.refresh(rateLimits, key, egress.now, ask),
  };
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

/** The customer number; without it, the part of the user's name that stands for the tenant. */
function databaseIdOf(customerNumber: unknown, userName: string): string {
  if (typeof customerNumber === 'number' || (typeof customerNumber === 'string' && customerNumber !== ''))
    return String(customerNumber);
  return userName.slice(userName.lastIndexOf('@') + 1).toLowerCase();
}
