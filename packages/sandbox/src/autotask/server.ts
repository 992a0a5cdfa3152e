/** The Autotask sandbox. `startAutotaskSandbox()` starts it. README.md describes what it does and does not do. */
import { gunzipSync } from 'node:zlib';
import { createClock } from '../kit/clock.ts';
import { BadInput, objectWith, optionalBoolean, optionalDate, optionalNumber, type JsonObject } from '../kit/input.ts';
import { createGauge, createLimitSettings, createSlidingWindow } from '../kit/limits.ts';
import type { Admission, SandboxAnswer, SandboxRequest } from '../kit/definition.ts';
import { startService } from '../kit/service.ts';
import { errors, htmlPage, json, mediaTypeNotSupported, verbNotSupported } from './answers.ts';
import { answer, endpointOf, notFound, segmentsOf } from './api.ts';
import { createAttachments } from './attachments.ts';
import { createAutotaskBehaviour } from './behaviour.ts';
import { localDate, localInstant } from './calendar.ts';
import { controlEntities } from './control-entities.ts';
import { controlPageHooks } from './control-page.ts';
import { createInvoiceSettings } from './invoice-settings.ts';
import { parameter } from './read.ts';
import { createSecondTenant, createTables, type SeedOptions } from './seed.ts';
import type { Tables } from './table.ts';
import { createApiUsers, databases, type ApiUser } from './users.ts';
import type { World } from './world.ts';

/** Optional settings of a reset. */
export interface AutotaskResetOptions extends Partial<Omit<SeedOptions, 'today'>> {
  /** The calendar date (YYYY-MM-DD) that 2025-03-03 becomes; by default the real date. Also moves the clock. */
  readonly today?: string | undefined;
}

/** Options of the start. */
export interface AutotaskSandboxOptions extends AutotaskResetOptions {
  /** The address to listen on, default 127.0.0.1. */
  readonly host?: string | undefined;
  /** Port to listen on; 0, the default, uses a free one. */
  readonly port?: number | undefined;
}

/** A running sandbox. */
export interface AutotaskSandbox {
  /** `http://127.0.0.1:port`; the zone service is below `/ATServicesRest/V1.0/zoneInformation`. */
  readonly url: string;
  readonly port: number;
  /** Creates fresh data. Throws BadInput when an option is invalid. */
  reset(options?: AutotaskResetOptions): void;
  close(): Promise<void>;
}

/** The data of one tenant. */
interface Tenant {
  tables: Tables;
  readonly attachments: ReturnType<typeof createAttachments>;
  readonly invoiceSettings: ReturnType<typeof createInvoiceSettings>;
}

const countKeys = ['companies', 'invoices', 'lines_per_invoice', 'purchase_orders', 'expense_reports'] as const;
/** The published quota, which the service also reports when limits are not enforced. */
const publishedPerHour = 10_000;
const maxCount = 1_000_000;
const hourSeconds = 3600;

function parseReset(body: JsonObject): AutotaskResetOptions {
  const wanted = objectWith(body, ['seed', 'today', 'empty', 'month_end', ...countKeys], 'reset');
  const counts = Object.fromEntries(
    countKeys.map((key) => [key, optionalNumber(wanted[key], key, { min: 0, max: maxCount, whole: true })]),
  );
  return {
    ...counts,
    seed: optionalNumber(wanted.seed, 'seed', { whole: true }),
    today: optionalDate(wanted.today, 'today'),
    empty: optionalBoolean(wanted.empty, 'empty'),
    month_end: optionalBoolean(wanted.month_end, 'month_end'),
  };
}

/** Returns the tenant of a control call: `?tenant=`, by default the sample world's. */
const databaseIn = (request: SandboxRequest): number => Number(request.params.get('tenant') ?? databases.northwind);

const headerOf = (request: SandboxRequest, name: string): string => {
  const value = request.headers[name];
  return typeof value === 'string' ? value : '';
};

/** The time of day (Chicago) at which a given day begins, so that it is the same day in every American time zone. */
const startOfWork = '12:00:00';

/** Starts the sandbox on loopback. Rejects when the port is taken or an option is invalid. */
export async function startAutotaskSandbox(options: AutotaskSandboxOptions = {}): Promise<AutotaskSandbox> {
  const clock = createClock();
  const behaviour = createAutotaskBehaviour();
  const limits = createLimitSettings({
    requests_per_hour: publishedPerHour,
    threads_per_endpoint: 3,
    requests_per_minute: null,
    concurrent: null,
  });
  const hour = createSlidingWindow(clock, hourSeconds);
  const minute = createSlidingWindow(clock, 60);
  const threads = createGauge();
  const users = createApiUsers();
  const tenants = new Map<number, Tenant>(
    Object.values(databases).map((database) => [
      database,
      { tables: new Map(), attachments: createAttachments(clock), invoiceSettings: createInvoiceSettings() },
    ]),
  );
  const tenantOf = (database: number): Tenant => {
    const tenant = tenants.get(database);
    if (tenant === undefined) throw new BadInput(`There is no tenant ${database}.`);
    return tenant;
  };
  /** Address to which the zone service sends clients of a moved tenant; undefined for this sandbox. */
  let movedTo: string | undefined;

  const reset = (wanted: AutotaskResetOptions): void => {
    const { port: _port, host: _host, ...body } = { port: undefined, host: undefined, ...wanted };
    const parsed = parseReset(Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)));
    const today = parsed.today ?? localDate(Date.now());
    tenantOf(databases.northwind).tables = createTables({ ...parsed, today });
    tenantOf(databases.lakeside).tables = createSecondTenant(today);
    clock.restart(parsed.today === undefined ? undefined : Date.parse(localInstant(today, startOfWork)));
    users.reset();
    for (const { attachments, invoiceSettings } of tenants.values()) {
      attachments.reset();
      invoiceSettings.reset();
    }
    hour.clear();
    minute.clear();
    threads.clear();
    movedTo = undefined;
  };
  reset(options);

  const unauthorized = (): SandboxAnswer => {
    switch (behaviour.get('unauthorized_body')) {
      case 'errors':
        return errors(['Unauthorized.'], 401);
      case 'html':
        return htmlPage(401, '401 - Unauthorized: Access is denied due to invalid credentials.');
      default:
        return { status: 401 };
    }
  };

  const overQuota = (tenant: string): SandboxAnswer => {
    const form = behaviour.get('quota_answer');
    const seconds = Math.ceil(hour.secondsUntilBelow(limits.of('requests_per_hour'), tenant));
    const text = `The request threshold of ${limits.of('requests_per_hour')} external requests per 60 minutes has been exceeded.`;
    return errors(
      [text],
      form === 'status_500' ? 500 : 429,
      form === 'status_429_retry_after' ? { 'Retry-After': String(seconds) } : {},
    );
  };

  const tooManyThreads = (): SandboxAnswer =>
    errors(
      [
        `Itgenatr005: The thread threshold of ${limits.of('threads_per_endpoint')} threads for this object endpoint was exceeded.`,
      ],
      behaviour.get('threads_answer') === 'status_500' ? 500 : 429,
    );

  /** Returns the delay per call: half a second from half of the quota on, one second from three quarters on. */
  const slowDownMs = (tenant: string): number => {
    if (!behaviour.get('quota_latency')) return 0;
    const share = hour.count(tenant) / limits.of('requests_per_hour');
    return share >= 0.75 ? 1000 : share >= 0.5 ? 500 : 0;
  };

  const userOf = (request: SandboxRequest): ApiUser | undefined => {
    const [name, secret, code] = ['username', 'secret', 'apiintegrationcode'].map((header) =>
      headerOf(request, header),
    );
    if (!name || !secret || !code) return undefined;
    return users.authenticate(name, secret, code, behaviour.get('lock_after_failures'));
  };

  const isWronglyTracked = (request: SandboxRequest): boolean =>
    users.hasWrongTrackingIdentifier(
      headerOf(request, 'username'),
      headerOf(request, 'secret'),
      headerOf(request, 'apiintegrationcode'),
    );
  const wronglyTracked = (): SandboxAnswer =>
    behaviour.get('tracking_identifier_answer') === 'status_500'
      ? errors(['IntegrationCode is invalid.'])
      : { status: 401 };

  /** Callers found by `admit`, until `handle` needs them. */
  const callers = new WeakMap<SandboxRequest, ApiUser>();

  const admit = (request: SandboxRequest): Admission => {
    const segments = segmentsOf(request.path);
    const word = segments?.[0]?.toLowerCase();
    if (segments === undefined || word === undefined || word === 'zoneinformation') return { owner: null };
    if (isWronglyTracked(request)) return { owner: null, refuse: wronglyTracked() };
    const user = userOf(request);
    if (user === undefined) return { owner: null, refuse: unauthorized() };
    const owner = user.userName;
    const tenant = String(user.database);
    if (hour.count(tenant) >= limits.of('requests_per_hour')) return { owner, refuse: overQuota(tenant) };
    if (minute.count(tenant) >= limits.of('requests_per_minute'))
      return { owner, refuse: errors(['Too many requests.'], 429) };
    hour.add(tenant);
    minute.add(tenant);
    const key = `${tenant}/${user.apiIntegrationCode}/${endpointOf(segments)}`;
    if (threads.count(key) >= limits.of('threads_per_endpoint')) return { owner, refuse: tooManyThreads() };
    if (threads.count(tenant) >= limits.of('concurrent'))
      return { owner, refuse: errors(['Too many requests at once.'], 429) };
    const leaves = [threads.enter(key), threads.enter(tenant)];
    callers.set(request, user);
    return {
      owner,
      delayMs: behaviour.get('latency_ms') + slowDownMs(tenant),
      release: () => leaves.forEach((leave) => leave()),
    };
  };

  const zoneInformation = (request: SandboxRequest): SandboxAnswer => {
    if (request.method !== 'GET') return verbNotSupported(request.method);
    const user = parameter(request, 'user') ?? '';
    if (user.trim() === '' || !users.isKnown(user)) return errors(['Zone information could not be determined']);
    return json({
      zoneName: 'Sandbox',
      url: movedTo ?? `${request.baseUrl}/ATServicesRest/`,
      webUrl: `${request.baseUrl}/`,
      ci: users.databaseOf(user),
    });
  };

  const handle = (request: SandboxRequest): SandboxAnswer => {
    if (/^\/atservicesrest\/versioninformation\/?$/i.test(request.path))
      return request.method === 'GET' ? json({ apiVersions: ['1.0'] }) : verbNotSupported(request.method);
    const segments = segmentsOf(request.path);
    if (segments?.length === 1 && segments[0]?.toLowerCase() === 'zoneinformation') return zoneInformation(request);
    const user = callers.get(request);
    if (segments === undefined || user === undefined) return notFound({ behaviour });
    const impersonated = headerOf(request, 'impersonationresourceid');
    const { tables, attachments, invoiceSettings } = tenantOf(user.database);
    const world: World = {
      tables,
      behaviour,
      clock,
      user,
      actingResourceId: impersonated === '' ? user.resourceId : Number(impersonated),
      isImpersonating: impersonated !== '',
    };
    if (impersonated !== '') {
      const resource = tables.get('Resources')?.get(world.actingResourceId);
      if (!user.impersonation || resource?.isActive !== true)
        return errors([
          `The resource ${impersonated} cannot be impersonated: it is unknown or inactive, or your security level does not allow it.`,
        ]);
    }
    const parts = {
      attachments,
      invoiceSettings,
      threshold: () => ({
        limit: Math.min(limits.of('requests_per_hour'), publishedPerHour),
        used: hour.count(String(user.database)),
      }),
    };
    const decoded = decodedRequest(request);
    return decoded === null ? mediaTypeNotSupported('gzip') : answer(world, parts, segments, decoded);
  };

  /** Returns the request with its body decompressed; null when that fails. */
  const decodedRequest = (request: SandboxRequest): SandboxRequest | null => {
    if (headerOf(request, 'content-encoding').toLowerCase() !== 'gzip') return request;
    if (!behaviour.get('gzip_bodies')) return null;
    try {
      const body = gunzipSync(request.body);
      const { sequence, method, path, query, params, headers, baseUrl } = request;
      return { sequence, method, path, query, params, headers, baseUrl, body, text: () => body.toString('utf8') };
    } catch {
      return null;
    }
  };

  const credentials = (): JsonObject => ({ users: users.list() });
  const service = await startService({
    port: options.port,
    host: options.host,
    definition: {
      name: 'Autotask',
      clock,
      behaviour,
      limits,
      admit,
      handle,
      control: {
        entities: controlEntities(() => tenantOf(databases.northwind).tables, clock, behaviour),
        entitiesFor: (request) => {
          const database = databaseIn(request);
          return controlEntities(() => tenantOf(database).tables, clock, behaviour);
        },
        reset(body) {
          reset(parseReset(body));
          return {
            today: localDate(clock.now()),
            entities: Object.fromEntries(
              [...tenantOf(databases.northwind).tables].map(([name, table]) => [name, table.size]),
            ),
          };
        },
        credentials,
        calls: {
          'POST /zone'(body) {
            const { url } = objectWith(body, ['url'], 'zone');
            if (url !== null && (typeof url !== 'string' || !URL.canParse(url)))
              throw new BadInput('url must be an address, or null for this sandbox.');
            movedTo = url ?? undefined;
            return { url };
          },
          'POST /credentials': (body) => ({ user: users.save(body), ...credentials() }),
        },
        page: controlPageHooks((request) => tenantOf(databaseIn(request)).tables),
      },
    },
  });

  return {
    url: service.url,
    port: service.port,
    reset: (wanted = {}) => {
      if ('port' in wanted) throw new BadInput('the port cannot change.');
      reset(wanted);
    },
    close: () => service.close(),
  };
}
