/** The control API under `/__sandbox`: changes by a test, a demo or a person that bypass the service's API. */
import type { SandboxAnswer, SandboxRequest, ServiceDefinition } from './definition.ts';
import type { Faults } from './faults.ts';
import { BadInput, isObject, objectWith, optionalNumber, optionalText, parseJson, type JsonObject } from './input.ts';
import type { Journal } from './journal.ts';
import { controlPage } from './page.ts';

interface Kit {
  readonly journal: Journal;
  readonly faults: Faults;
}

const isLoopback = (address: string): boolean => /^(::ffff:)?127\.|^::1$/.test(address);
const loopbackHost = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i;

const json = (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): SandboxAnswer => ({
  status,
  headers: { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store', ...headers },
  body: JSON.stringify(value),
});
const wrong = (status: number, error: string, headers?: Readonly<Record<string, string>>): SandboxAnswer =>
  json(status, { error }, headers);

type Call = (body: JsonObject, request: SandboxRequest, names: readonly string[]) => SandboxAnswer;

/** Calls by path below `/__sandbox` and method; a `*` matches one name, passed in `names`. */
type Routes = Readonly<Record<string, Readonly<Record<string, Call>>>>;

/** Creates the handler of control calls. `remoteAddress` and the Host header must be loopback. */
export function createControl(definition: ServiceDefinition, kit: Kit) {
  const { control } = definition;
  const { journal, faults } = kit;
  // Each call sets this before any lookup, and runs synchronously to its end.
  let { entities } = control;
  const routes: Routes = {
    '': { GET: (_body, request) => controlPage(definition, kit, request) },
    reset: {
      POST(body) {
        const reply = control.reset(body);
        journal.clear();
        faults.clear();
        return json(200, reply);
      },
    },
    ...entityRoutes(() => entities),
    ...journalRoutes(journal),
    ...faultRoutes(faults),
    ...settingRoutes(definition),
    credentials: { GET: (_body, request) => json(200, control.credentials(request)) },
  };

  const find = (method: string, path: string): { call: Call; names: readonly string[] } | SandboxAnswer => {
    const own = control.calls?.[`${method} /${path}`];
    if (own !== undefined) return { call: (body, request) => json(200, own(body, request)), names: [] };
    const [head = '', ...names] = path.split('/');
    const pattern = [head, ...names.map(() => '*')].join('/');
    const route = Object.hasOwn(routes, pattern) ? routes[pattern] : undefined;
    const ownMethods = Object.keys(control.calls ?? {}).flatMap((key) => {
      const [ownMethod = '', ownPath] = key.split(' ');
      return ownPath === `/${path}` ? [ownMethod] : [];
    });
    if (route === undefined && ownMethods.length === 0) {
      const known = Object.keys(routes).filter((key) => key !== '' && !key.includes('*'));
      const more = Object.keys(control.calls ?? {}).map((key) => key.split(' /')[1] ?? key);
      return wrong(404, `There is no /__sandbox/${path}. There are: ${[...new Set([...known, ...more])].join(', ')}.`);
    }
    const call = route?.[method];
    if (call !== undefined) return { call, names };
    const allowed = [...Object.keys(route ?? {}), ...ownMethods].join(', ');
    return wrong(405, `/__sandbox/${path} takes ${allowed}.`, { Allow: allowed });
  };

  return async (request: SandboxRequest, remoteAddress: string): Promise<SandboxAnswer> => {
    const host = request.headers.host ?? '';
    const origin = request.headers.origin;
    if (!isLoopback(remoteAddress) || !loopbackHost.test(host))
      return wrong(403, 'The control API answers on the loopback interface only.');
    // A web page on another site must not be able to control the sandbox through its visitor's browser.
    if (origin !== undefined && origin !== `http://${host}`)
      return wrong(403, 'The control API takes no calls from other sites.');
    const path = request.path.slice('/__sandbox'.length).replaceAll(/^\/+|\/+$/g, '');
    try {
      entities = control.entitiesFor?.(request) ?? control.entities;
      const found = find(request.method, path);
      if ('status' in found) return found;
      const text = request.text().trim();
      const body = text === '' ? {} : parseJson(text, 'The body');
      if (!isObject(body)) throw new BadInput('The body must be a JSON object.');
      return found.call(
        body,
        request,
        found.names.map((name) => decodeURIComponent(name)),
      );
    } catch (error) {
      if (error instanceof BadInput) return wrong(400, error.message);
      if (error instanceof URIError) return wrong(400, 'The path is not encoded properly.');
      return wrong(500, error instanceof Error ? (error.stack ?? error.message) : String(error));
    }
  };
}

function entityRoutes(entities: () => ServiceDefinition['control']['entities']): Routes {
  const noEntity = (name: string): SandboxAnswer =>
    wrong(
      404,
      `There is no entity “${name}”. There are: ${entities()
        .list()
        .map((entity) => entity.name)
        .join(', ')}.`,
    );
  const noItem = (name: string, id: string): SandboxAnswer => wrong(404, `${name} has no ${id}.`);

  return {
    entities: { GET: () => json(200, { entities: entities().list() }) },
    'entities/*': {
      GET(_body, request, [name = '']) {
        const items = entities().items(name);
        if (items === undefined) return noEntity(name);
        const from = Number(request.params.get('offset') ?? 0);
        const count = Number(request.params.get('limit') ?? Infinity);
        if (!(from >= 0 && count >= 0)) throw new BadInput('offset and limit must be numbers, 0 or more.');
        return json(200, { items: items.slice(from, from + count), total: items.length });
      },
      POST: (body, _request, [name = '']) =>
        entities().items(name) === undefined ? noEntity(name) : json(200, { item: entities().post(name, body) }),
    },
    'entities/*/*': {
      GET(_body, _request, [name = '', id = '']) {
        if (entities().items(name) === undefined) return noEntity(name);
        const item = entities().item(name, id);
        return item === undefined ? noItem(name, id) : json(200, { item });
      },
      PUT: (body, _request, [name = '', id = '']) =>
        entities().items(name) === undefined ? noEntity(name) : json(200, { item: entities().put(name, id, body) }),
      DELETE(_body, _request, [name = '', id = '']) {
        if (entities().items(name) === undefined) return noEntity(name);
        return entities().remove(name, id) ? json(200, { removed: id }) : noItem(name, id);
      },
    },
  };
}

function journalRoutes(journal: Journal): Routes {
  return {
    journal: {
      GET(_body, request) {
        const [since, limit] = [
          Number(request.params.get('since') ?? 0),
          Number(request.params.get('limit') ?? Infinity),
        ];
        if (!(since >= 0 && limit >= 0)) throw new BadInput('since and limit must be numbers, 0 or more.');
        return json(200, { entries: journal.since(since, limit), last: journal.last() });
      },
      DELETE() {
        journal.clear();
        return json(200, { last: journal.last() });
      },
    },
  };
}

function faultRoutes(faults: Faults): Routes {
  return {
    faults: {
      GET: () => json(200, { faults: faults.list() }),
      POST: (body) => json(200, { id: faults.add(body) }),
      DELETE(body, request) {
        const named = optionalText(objectWith(body, ['id'], 'the body').id, 'id');
        const id = named ?? request.params.get('id') ?? undefined;
        if (id === undefined) faults.clear();
        else if (!faults.remove(id)) return wrong(404, `There is no fault ${id}.`);
        return json(200, { faults: faults.list() });
      },
    },
    'faults/*': {
      DELETE: (_body, _request, [id = '']) =>
        faults.remove(id) ? json(200, { removed: id }) : wrong(404, `There is no fault ${id}.`),
    },
  };
}

function settingRoutes({ clock, behaviour, limits }: ServiceDefinition): Routes {
  return {
    behaviour: {
      GET: () => json(200, { switches: behaviour.describe() }),
      PUT(body) {
        behaviour.change(body);
        return json(200, { switches: behaviour.describe() });
      },
      DELETE() {
        behaviour.reset();
        return json(200, { switches: behaviour.describe() });
      },
    },
    limits: {
      GET: () => json(200, limits.describe()),
      PUT(body) {
        limits.change(body);
        return json(200, limits.describe());
      },
      DELETE() {
        limits.reset();
        return json(200, limits.describe());
      },
    },
    clock: {
      GET: () => json(200, { now: clock.iso() }),
      POST(body) {
        const { advance_seconds } = objectWith(body, ['advance_seconds'], 'clock');
        const seconds = optionalNumber(advance_seconds, 'advance_seconds', { min: 0, max: 10 * 366 * 86_400 });
        if (seconds === undefined) throw new BadInput('advance_seconds must be a number.');
        clock.advance(seconds);
        return json(200, { now: clock.iso() });
      },
    },
  };
}
