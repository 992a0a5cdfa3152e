/** The Autotask sandbox. `startAutotaskSandbox()` starts it. README.md describes what it does and does not do. */
import type { SandboxAnswer, SandboxRequest } from '../kit/definition.ts';
import { BadInput, objectWith, type JsonObject } from '../kit/input.ts';
import { startService } from '../kit/service.ts';
import { gunzipSync } from 'node:zlib';
import { errors, json, mediaTypeNotSupported, verbNotSupported } from './answers.ts';
import { answer, notFound, segmentsOf } from './api.ts';
import { localDate } from './calendar.ts';
import { controlEntities } from './control-entities.ts';
import { controlPageHooks } from './control-page.ts';
import { admitRequest, headerOf } from './gate.ts';
import { parameter } from './read.ts';
import {
  type AutotaskState,
  type AutotaskResetOptions,
  createState,
  tenantOf,
  reset,
  parseReset,
  publishedPerHour,
} from './state.ts';
import { databases } from './users.ts';
import type { World } from './world.ts';

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

/** Returns the tenant of a control call: `?tenant=`, by default the sample world's. */
const databaseIn = (request: SandboxRequest): number => Number(request.params.get('tenant') ?? databases.northwind);

/** Starts the sandbox on loopback. Rejects when the port is taken or an option is invalid. */
export async function startAutotaskSandbox(options: AutotaskSandboxOptions = {}): Promise<AutotaskSandbox> {
  const state = createState();
  const { clock, behaviour, limits, users } = state;
  reset(state, options);
  const credentials = (): JsonObject => ({ users: users.list() });
  const service = await startService({
    port: options.port,
    host: options.host,
    definition: {
      name: 'Autotask',
      clock,
      behaviour,
      limits,
      admitRequest: (request) => admitRequest(state, request),
      handle: (request) => handle(state, request),
      control: {
        entities: controlEntities(() => tenantOf(state, databases.northwind).tables, clock, behaviour),
        entitiesFor: (request) => {
          const database = databaseIn(request);
          return controlEntities(() => tenantOf(state, database).tables, clock, behaviour);
        },
        reset(body) {
          reset(state, parseReset(body));
          return {
            today: localDate(clock.now()),
            entities: Object.fromEntries(
              [...tenantOf(state, databases.northwind).tables].map(([name, table]) => [name, table.size]),
            ),
          };
        },
        credentials,
        calls: {
          'POST /zone'(body) {
            const { url } = objectWith(body, ['url'], 'zone');
            if (url !== null && (typeof url !== 'string' || !URL.canParse(url)))
              throw new BadInput('url must be an address, or null for this sandbox.');
            state.movedTo = url ?? undefined;
            return { url };
          },
          'POST /credentials': (body) => ({ user: users.save(body), ...credentials() }),
        },
        page: controlPageHooks((request) => tenantOf(state, databaseIn(request)).tables),
      },
    },
  });
  return {
    url: service.url,
    port: service.port,
    reset: (wanted = {}) => {
      if ('port' in wanted) throw new BadInput('the port cannot change.');
      reset(state, wanted);
    },
    close: () => service.close(),
  };
}

function zoneInformation({ users, movedTo }: AutotaskState, request: SandboxRequest): SandboxAnswer {
  if (request.method !== 'GET') return verbNotSupported(request.method);
  const user = parameter(request, 'user') ?? '';
  if (user.trim() === '' || !users.isKnown(user)) return errors(['Zone information could not be determined']);
  return json({
    zoneName: 'Sandbox',
    url: movedTo ?? `${request.baseUrl}/ATServicesRest/`,
    webUrl: `${request.baseUrl}/`,
    ci: users.databaseOf(user),
  });
}

function handle(state: AutotaskState, request: SandboxRequest): SandboxAnswer {
  const { behaviour, clock, limits, hour, callers } = state;
  if (/^\/atservicesrest\/versioninformation\/?$/i.test(request.path))
    return request.method === 'GET' ? json({ apiVersions: ['V1.0', 'V2.0'] }) : verbNotSupported(request.method);
  const segments = segmentsOf(request.path);
  if (segments?.length === 1 && segments[0]?.toLowerCase() === 'zoneinformation')
    return zoneInformation(state, request);
  const user = callers.get(request);
  if (segments === undefined || user === undefined) return notFound({ behaviour });
  const impersonated = headerOf(request, 'impersonationresourceid');
  const { tables, attachments, invoiceSettings } = tenantOf(state, user.database);
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
  const decoded = decodedRequest(behaviour, request);
  return decoded === null ? mediaTypeNotSupported('gzip') : answer(world, parts, segments, decoded);
}

/** Returns the request with its body decompressed; null when that fails. */
function decodedRequest(behaviour: AutotaskState['behaviour'], request: SandboxRequest): SandboxRequest | null {
  if (headerOf(request, 'content-encoding').toLowerCase() !== 'gzip') return request;
  if (!behaviour.get('gzip_bodies')) return null;
  try {
    const body = gunzipSync(request.body);
    const { sequence, method, path, query, params, headers, baseUrl } = request;
    return { sequence, method, path, query, params, headers, baseUrl, body, text: () => body.toString('utf8') };
  } catch {
    return null;
  }
}
