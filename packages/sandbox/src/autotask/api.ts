/** Routes every call of the service below `/ATServicesRest` (autotask reference sections 1 to 9). */
import type { SandboxAnswer, SandboxRequest } from '../kit/definition.ts';
import { errors, htmlPage, itemId, json, Refused, verbNotSupported, mediaTypeNotSupported } from './answers.ts';
import type { Attachments } from './attachments.ts';
import type { InvoiceSettings } from './invoice-settings.ts';
import { invoiceMarkupHtml, invoiceMarkupXml, invoicePdf } from './rendered-invoice.ts';
import { allEntityInformation, entityInformation, fieldInformation, userDefinedFieldInformation } from './metadata.ts';
import { children, count, nextPage, parseBody, query } from './read.ts';
import { createRecord, deleteRecord, updateRecord, type Parent } from './rules.ts';
import { childPaths, entityType, entityTypes, type ChildPath, type EntityType } from './schema.ts';
import { present, visibleRow, type World } from './world.ts';

/** What the API needs besides the world of one request. */
export interface ApiParts {
  readonly attachments: Attachments;
  readonly invoiceSettings: InvoiceSettings;
  /** Calls of the tenant in the last hour, and the maximum number. */
  readonly threshold: () => { readonly limit: number; readonly used: number };
}

const prefix = /^\/atservicesrest\/v1\.0\//i;
const isId = (text: string | undefined): text is string => text !== undefined && /^-?\d{1,15}$/.test(text);

/** The segments of a path below `/ATServicesRest/V1.0`, as sent; undefined when it is elsewhere. */
export function segmentsOf(path: string): readonly string[] | undefined {
  if (!prefix.test(path)) return undefined;
  return path.replace(prefix, '').split('/').filter(Boolean);
}

/** Returns the entity endpoint that a path belongs to, for the thread limit: children count under their own name. */
export function endpointOf(segments: readonly string[]): string {
  const [first = '', , third = ''] = segments;
  return (childPaths.get(`${first}/${third}`.toLowerCase())?.type.name ?? first).toLowerCase();
}

/** Returns the response for an unknown path, or for a query that is too long. */
export function notFound(world: Pick<World, 'behaviour'>): SandboxAnswer {
  if (world.behaviour.get('not_found_body') === 'message')
    return json({ Message: 'No HTTP resource was found that matches the request URI.' }, 404);
  return htmlPage(404, '404 - File or directory not found.');
}

type Handlers = Readonly<Partial<Record<string, () => SandboxAnswer>>>;

function byVerb(request: SandboxRequest, handlers: Handlers): SandboxAnswer {
  return handlers[request.method]?.() ?? verbNotSupported(request.method);
}

function writes(
  world: World,
  type: EntityType,
  verbs: ReadonlySet<string>,
  request: SandboxRequest,
  parent?: Parent,
): Handlers {
  const body = (): unknown => parseBody(request.text());
  return {
    ...(verbs.has('POST') && { POST: () => itemId(createRecord(world, type, body(), parent)) }),
    ...(verbs.has('PATCH') && { PATCH: () => itemId(updateRecord(world, type, body(), 'PATCH', parent)) }),
    ...(verbs.has('PUT') && { PUT: () => itemId(updateRecord(world, type, body(), 'PUT', parent)) }),
  };
}

/** The three information calls, on an entity or below a child collection. */
function information(
  world: World,
  type: EntityType,
  rest: readonly string[],
  request: SandboxRequest,
): SandboxAnswer | undefined {
  const [word, detail, ...more] = rest.map((segment) => segment.toLowerCase());
  if (word !== 'entityinformation' || more.length > 0) return undefined;
  if (detail === undefined)
    return byVerb(request, { GET: () => json({ info: entityInformation(type, world.behaviour) }) });
  if (detail === 'fields')
    return byVerb(request, { GET: () => json({ fields: fieldInformation(type, world.behaviour) }) });
  if (detail === 'userdefinedfields')
    return byVerb(request, { GET: () => json({ fields: userDefinedFieldInformation(type) }) });
  return undefined;
}

const itemOf = (
  world: World,
  type: EntityType,
  id: number,
  belongs: (value: unknown) => boolean = () => true,
  field = 'id',
) => {
  const row = visibleRow(world, type, id);
  // A missing or hidden record is a response with null, not an error.
  return json({ item: row !== undefined && belongs(row[field]) ? present(world, type, row) : null });
};

function onEntity(
  world: World,
  parts: ApiParts,
  type: EntityType,
  rest: readonly string[],
  request: SandboxRequest,
): SandboxAnswer {
  const [first, ...more] = rest;
  if (first === undefined) return byVerb(request, writes(world, type, type.verbs, request));
  const word = first.toLowerCase();
  if (word === 'query') {
    const [second, ...beyond] = more.map((segment) => segment.toLowerCase());
    const run = second === undefined ? query : second === 'count' ? count : second === 'next' ? nextPage : undefined;
    if (run === undefined || beyond.length > 0) return notFound(world);
    if (
      request.method === 'GET' &&
      run !== nextPage &&
      request.path.length + request.query.length > world.behaviour.get('query_url_limit')
    )
      return notFound(world);
    return byVerb(request, { GET: () => run(world, type, request), POST: () => run(world, type, request) });
  }
  const found = information(world, type, rest, request);
  if (found !== undefined) return found;
  if (!isId(first)) return notFound(world);
  const id = Number(first);
  if (more.length > 0) return belowRecord(world, parts, type, id, more, request);
  return byVerb(request, {
    GET: () => itemOf(world, type, id),
    ...(type.canDelete && { DELETE: () => itemId(deleteRecord(world, type, id)) }),
  });
}

/** Handles a path below a record that is no separate entity: rendered invoices, invoice settings, attachments. */
function belowRecord(
  world: World,
  parts: ApiParts,
  type: EntityType,
  id: number,
  rest: readonly string[],
  request: SandboxRequest,
): SandboxAnswer {
  const [word = '', ...more] = rest.map((segment) => segment.toLowerCase());
  if (type.name === 'Invoices' && more.length === 0) {
    if (word === 'invoicepdf') return byVerb(request, { GET: () => invoicePdf(world, id) });
    if (word === 'invoicemarkuphtml') return byVerb(request, { GET: () => invoiceMarkupHtml(world, id) });
    if (word === 'invoicemarkupxml') return byVerb(request, { GET: () => invoiceMarkupXml(world, id) });
  }
  if (type.name === 'Companies' && word === 'invoicesettings')
    return byVerb(request, parts.invoiceSettings.handlers(world, id, more, request));
  if ((type.name === 'ExpenseReports' || type.name === 'ExpenseItems') && word === 'attachments')
    return byVerb(request, parts.attachments.handlers(world, type, id, more, request));
  return notFound(world);
}

function onChild(
  world: World,
  type: EntityType,
  path: ChildPath,
  rest: readonly string[],
  request: SandboxRequest,
): SandboxAnswer {
  const [parentText, , ...more] = rest;
  const found = information(world, type, more, request);
  if (found !== undefined) return found;
  const parentId = Number(parentText);
  const parent: Parent = { field: path.field, id: parentId };
  const [idText, ...beyond] = more;
  if (idText === undefined)
    return byVerb(request, {
      GET: () => children(world, type, path.field, parentId),
      ...writes(world, type, path.verbs, request, parent),
    });
  if (!isId(idText) || beyond.length > 0) return notFound(world);
  const id = Number(idText);
  return byVerb(request, {
    GET: () => itemOf(world, type, id, (value) => value === parentId, path.field),
    ...(path.canDelete && { DELETE: () => itemId(deleteRecord(world, type, id, parent)) }),
  });
}

function systemCall(world: World, parts: ApiParts, word: string, request: SandboxRequest): SandboxAnswer | undefined {
  const { behaviour, clock } = world;
  switch (word) {
    case 'modules': {
      const known = new Map([20, 24, 36, 65, 70, 73, 77].map((key) => [key, key !== 36 && key !== 77]));
      known.set(behaviour.get('module_key_procurement'), behaviour.get('module_procurement'));
      known.set(behaviour.get('module_key_multi_currency'), behaviour.get('module_multi_currency'));
      const modules = [...known].map(([key, value]) => ({ key, value })).sort((a, b) => a.key - b.key);
      return byVerb(request, { GET: () => json({ modules }) });
    }
    case 'version':
      return byVerb(request, {
        GET: () => json({ majorVersion: '2026', minorVersion: '3', build: '0', customerType: 'Standard' }),
      });
    case 'thresholdinformation': {
      const { limit, used } = parts.threshold();
      return byVerb(request, {
        GET: () =>
          json({ externalRequestThreshold: limit, requestThresholdTimeframe: 60, currentTimeframeRequestCount: used }),
      });
    }
    case 'entityinformation':
      return byVerb(request, { GET: () => json({ entityDescriptions: allEntityInformation(behaviour) }) });
    case 'authenticate':
      return byVerb(request, {
        GET: () =>
          json({
            authToken: `sandbox-${request.sequence}`,
            expiration: new Date(clock.now() + 3_600_000).toISOString(),
          }),
      });
    default:
      return undefined;
  }
}

/** Content types of a request with a body. */
const jsonTypes: ReadonlySet<string> = new Set(['application/json', 'text/json']);

/** Handles one authenticated call. */
export function answer(
  world: World,
  parts: ApiParts,
  segments: readonly string[],
  request: SandboxRequest,
): SandboxAnswer {
  const [first = '', second, third, ...rest] = segments;
  const [mediaType = ''] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
  if (request.body.length > 0 && !jsonTypes.has(mediaType.trim())) return mediaTypeNotSupported(mediaType.trim());
  try {
    if (second === undefined) {
      const found = systemCall(world, parts, first.toLowerCase(), request);
      if (found !== undefined) return found;
    }
    const child = third === undefined ? undefined : childPaths.get(`${first}/${third}`.toLowerCase());
    if (child !== undefined && isId(second))
      return onChild(world, child.type, child.path, [second, third ?? '', ...rest], request);
    const type = entityTypes.get(first.toLowerCase());
    if (type === undefined) return notFound(world);
    return onEntity(world, parts, entityType(type.name), segments.slice(1), request);
  } catch (error) {
    if (error instanceof Refused) return errors(error.errors, error.status);
    throw error;
  }
}
