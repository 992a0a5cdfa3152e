import { ServiceError } from '#core/service-error.ts';
import type { PsaCredentials } from '#core/tenant.ts';
import { callService, type Egress } from '../http-client.ts';
import { createSharedCache, type RateLimits } from '../rate-limiter.ts';
import { type JsonRecord, notSent, readAnswer, signInRefused, signInRejected, wrongShape } from './errors.ts';

/** One call of the REST API. */
export interface ApiCall {
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Path below `V1.0/`, e.g. `Invoices/query`. Its first part is the entity, which has a limit of concurrent calls. */
  readonly path: string;
  readonly body?: unknown;
  readonly document?: string;
}

/** A call with its destination zone. */
export interface ZonedCall extends ApiCall {
  readonly zone: Zone;
}

/** One layer of a call: returns the service's JSON object or throws a ServiceError. */
export type Send<Call = ApiCall> = (call: Call) => Promise<JsonRecord>;

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

interface ZoneOptions {
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

/**
 * Middleware: sends calls to the zone of the tenant's database. A refused sign-in or an unknown address may mean that
 * the database was moved: the zone is looked up again, and the call is sent a second time.
 */
export const withZoneDiscovery =
  (zones: ZoneFinder, next: Send<ZonedCall>): Send =>
  async (call) => {
    const zone = await zones.find();
    try {
      return await next({ ...call, zone });
    } catch (error) {
      const status = error instanceof ServiceError ? error.about.status : undefined;
      const hasMoved = status === 404 || (status !== undefined && status >= 300 && status < 400);
      if (status !== 401 && !hasMoved) throw error;
      const found = await zones.findAgain();
      if (hasMoved && found.url === zone.url) throw error;
      return next({ ...call, zone: found });
    }
  };

/**
 * Middleware: the circuit breaker of the sign-in. Until the credentials have worked once, calls are sent one at a time;
 * after the first success all others follow. After a refusal (zone discovery has already retried it) no more calls are
 * sent, because more failures would lock the API user.
 */
export function withSignInBreaker(next: Send): Send {
  const state: { refusal?: ServiceError; isProven: boolean; proving?: Promise<unknown> } = { isProven: false };

  async function guarded(...[call]: Parameters<Send>): ReturnType<Send> {
    if (state.refusal !== undefined) throw state.refusal;
    try {
      const answer = await next(call);
      state.isProven = true;
      return answer;
    } catch (error) {
      if (error instanceof ServiceError && error.about.code === 'PSA_AUTH')
        state.refusal = signInRejected(call.operation);
      throw state.refusal ?? error;
    }
  }

  return async (call) => {
    while (!state.isProven && state.proving !== undefined) await state.proving;
    if (state.isProven) return guarded(call);
    const proof = guarded(call);
    state.proving = proof.catch(() => undefined).finally(() => delete state.proving);
    return proof;
  };
}

/**
 * Sends one call with the API user's name and secret, and reads its answer: the innermost layer. A write is never sent
 * after its sender's lease has ended.
 */
export const sendSigned =
  (of: {
    readonly credentials: PsaCredentials;
    readonly integrationCode: string;
    readonly egress: Egress;
    readonly timeoutMs: number;
  }): Send<ZonedCall> =>
  async (call) => {
    const { credentials, integrationCode } = of;
    const result = await callService(
      {
        service: 'psa',
        operation: call.operation,
        method: call.method,
        url: new URL(`V1.0/${call.path}`, call.zone.url),
        headers: {
          Accept: 'application/json',
          ApiIntegrationCode: integrationCode,
          UserName: credentials.userName,
          Secret: credentials.secret,
          ...(call.body !== undefined && { 'Content-Type': 'application/json' }),
        },
        ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
        timeoutMs: of.timeoutMs,
        document: call.document,
        ...(call.method === 'PATCH' && { mayLeave: () => of.egress.mayWrite?.() !== false }),
      },
      of.egress,
    );
    return readAnswer(call.operation, result, [credentials.secret, integrationCode]);
  };
