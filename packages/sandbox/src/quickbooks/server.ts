import { ChatReceiver } from '../chat/receiver.ts';
import { EventReceiver } from '../events/receiver.ts';
import { createClock } from '../kit/clock.ts';
import type { ControlHooks, EntityHooks } from '../kit/definition.ts';
import {
  BadInput,
  isObject,
  type JsonObject,
  objectWith,
  optionalBoolean,
  optionalDate,
  optionalNumber,
  optionalText,
} from '../kit/input.ts';
import { createGauge, createLimitSettings, createSlidingWindow } from '../kit/limits.ts';
import type { Admission, SandboxAnswer, SandboxRequest } from '../kit/definition.ts';
import { startService } from '../kit/service.ts';
import { answerCall, gatewayAnswer, wantsJson } from './api.ts';
import { createQuickBooksBehaviour } from './behaviour.ts';
import type { Company } from './company.ts';
import { Connections } from './connections.ts';
import { merge } from './merge.ts';
import { controlEntities } from './control-entities.ts';
import { textAt } from './doc.ts';
import { findKind } from './entities.ts';
import { GatewayFault } from './faults.ts';
import { generate } from './generate.ts';
import { controlLedger } from './ledger/control-ledger.ts';
import { OAuth } from './oauth.ts';
import { RequestIds } from './request-ids.ts';
import { buildWorld, worldToday } from './sample-world.ts';
import { daysBetween, pacificDate, parseInstant } from './times.ts';
import { pageOfRecord, quickBooksViews } from './views.ts';
import { Webhooks } from './webhooks.ts';

/** Options of the start. */
export interface QuickBooksSandboxOptions {
  /** The address to listen on, default 127.0.0.1. */
  readonly host?: string | undefined;
  /** Port to listen on; 0, the default, uses a free one. */
  readonly port?: number;
  /** Seed of generated data and tokens; default 1. */
  readonly seed?: number;
  /** Calendar date of the sandbox, from 10:00 Pacific time; by default the real date. */
  readonly today?: string;
  /** Reference data only. */
  readonly empty?: boolean;
  /** Data to generate in the first company. */
  readonly companies?: number;
  readonly invoices?: number;
  readonly linesPerInvoice?: number;
  readonly purchaseOrders?: number;
  readonly expenseReports?: number;
  /** The clock only moves when the control API advances it. */
  readonly frozen?: boolean;
  /** Registered redirect addresses of the app; those on this machine are always accepted. */
  readonly redirectUris?: readonly string[];
}

/** Options of `reset`: all except where to listen and the app. */
type QuickBooksSandboxData = Omit<QuickBooksSandboxOptions, 'port' | 'frozen' | 'redirectUris'>;

/** The credentials that an app needs to connect. */
export interface QuickBooksCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUris: readonly string[];
  readonly webhookVerifier: string;
  readonly realms: readonly { readonly realmId: string; readonly companyName: string }[];
}

/** A running sandbox for QuickBooks Online and Intuit's sign-in. */
export interface QuickBooksSandbox {
  readonly url: string;
  readonly port: number;
  readonly credentials: QuickBooksCredentials;
  /** Creates fresh, deterministic data. Connected apps remain connected. */
  reset(data?: QuickBooksSandboxData): void;
  close(): Promise<void>;
}

const sampleApp = {
  clientId: 'ABsandboxNorthwindTallybridge0000000000000000000000',
  clientSecret: 'sandbox-secret-not-for-real-books-0000000',
  redirectUris: ['http://localhost:3000/connect/qbo/callback'],
} as const;

const webhookVerifier = '7d1c4a3e-sandbox-verifier-5b0f9e21';

/** Published limits (quickbooks reference section 3); null means no limit. */
const publishedLimits = {
  requests_per_minute: 500,
  requests_per_second: 10,
  concurrent: 10,
  batches_per_minute: 40,
  reports_per_minute: 200,
} as const;

/** The time of day (Pacific) at which a given day begins, so that it is the same day in every American time zone. */
const startOfWork = '10:00:00';

const throttled = () =>
  new GatewayFault({
    status: 429,
    code: '3001',
    message: 'message=ThrottleExceeded; errorCode=003001; statusCode=429',
    detail: 'The request limit was reached.  Try again later',
    type: 'SERVICE',
  });

const readsUsedUp = () =>
  new GatewayFault({
    status: 429,
    code: '3001',
    message: 'message=ThrottleExceeded; errorCode=003001; statusCode=429',
    detail: 'The monthly limit of CorePlus API calls for this workspace was reached',
    type: 'SERVICE',
  });

/** Returns whether a request only reads: a query, or a batch of queries. */
function isRead(request: SandboxRequest): boolean {
  if (request.method === 'GET' || request.path.endsWith('/query')) return true;
  return request.path.endsWith('/batch') && !/"operation"\s*:/.test(request.text());
}

const unauthenticated = (detail: string) =>
  new GatewayFault({
    status: 401,
    code: '3200',
    message: 'message=AuthenticationFailed; errorCode=003200; statusCode=401',
    detail,
    type: 'AUTHENTICATION',
    headers: { 'WWW-Authenticate': 'Bearer realm="Intuit", error="invalid_token"' },
  });

const unauthorised = (what: 'AuthorizationFailed' | 'ApplicationAuthorizationFailed', detail: string | null = null) =>
  new GatewayFault({
    status: 403,
    code: '3100',
    message: `message=${what}; errorCode=003100; statusCode=403`,
    detail,
    type: 'SERVICE',
  });

const text = (status: number, body: string): SandboxAnswer => ({
  status,
  headers: { 'Content-Type': 'text/plain; charset=utf-8' },
  body,
});

/** Starts the sandbox on a loopback port. Rejects when the port is taken. */
export async function startQuickBooksSandbox(options: QuickBooksSandboxOptions = {}): Promise<QuickBooksSandbox> {
  const clock = createClock({ frozen: options.frozen });
  const app = { ...sampleApp, ...(options.redirectUris !== undefined && { redirectUris: options.redirectUris }) };
  const behaviour = createQuickBooksBehaviour();
  const limits = createLimitSettings(publishedLimits);
  const minute = createSlidingWindow(clock, 60);
  const second = createSlidingWindow(clock, 1);
  const batches = createSlidingWindow(clock, 60);
  const reports = createSlidingWindow(clock, 60);
  const underWay = createGauge();
  const memory = new RequestIds();
  const webhooks = new Webhooks(clock, behaviour, webhookVerifier);
  const chats = new ChatReceiver(
    () => clock.iso(),
    () => behaviour.get('chat_webhooks'),
  );
  const events = new EventReceiver(
    () => clock.now(),
    () => behaviour.get('event_webhooks'),
  );
  let companies: readonly Company[] = [];
  const connections = new Connections(clock, behaviour, options.seed ?? 1);

  function reset(data: QuickBooksSandboxData): void {
    const seed = data.seed ?? 1;
    const today = data.today ?? pacificDate(Date.now());
    clock.restart(data.today === undefined ? undefined : parseInstant(`${today}T${startOfWork}`));
    for (const window of [minute, second, batches, reports]) window.clear();
    underWay.clear();
    memory.clear();
    webhooks.setUrl(undefined);
    webhooks.deliveries.length = 0;
    chats.messages.length = 0;
    events.clear();
    companies = buildWorld({
      clock,
      behaviour,
      shiftDays: daysBetween(worldToday, today),
      isEmpty: data.empty === true,
    });
    const [first] = companies;
    if (first !== undefined)
      generate(first, seed, today, {
        companies: data.companies ?? 0,
        invoices: data.invoices ?? 0,
        linesPerInvoice: data.linesPerInvoice ?? 5,
        purchaseOrders: data.purchaseOrders ?? 0,
        expenseReports: data.expenseReports ?? 0,
      });
    for (const company of companies) company.onChange = (change) => webhooks.note(change);
  }

  const choices = () => companies.map((company) => ({ realmId: company.realmId, companyName: company.name }));
  const companyOf = (realmId: string | undefined) => companies.find((company) => company.realmId === realmId);
  const oauth = new OAuth({ app, clock, behaviour, connections, companies: choices });

  /** Checks the bearer token against the company of the path; returns the caller, or the gateway's fault. */
  function caller(request: SandboxRequest, realmId: string): { readonly owner: string } | GatewayFault {
    const bearer = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (bearer === undefined || bearer.length < 40)
      return unauthenticated('Malformed bearer token: too short or too long');
    const known = connections.stateOf(bearer);
    if (known.state !== 'valid') {
      if (known.state === 'unknown') return unauthenticated('Token invalid');
      if (known.state === 'expired') return unauthenticated(`Token expired: ${bearer.slice(0, 12)}…`);
      return behaviour.get('revoked_connection_answer') === '403'
        ? unauthorised('ApplicationAuthorizationFailed')
        : unauthenticated('Token revoked');
    }
    const { connection } = known;
    if (!connection.scopes.includes('com.intuit.quickbooks.accounting'))
      return unauthorised('AuthorizationFailed', 'The access token does not have sufficient scope');
    if (connection.userLeft) return unauthorised('AuthorizationFailed');
    if (connection.realmId !== realmId || companyOf(realmId) === undefined)
      return unauthorised('ApplicationAuthorizationFailed');
    return { owner: realmId };
  }

  function throttle(request: SandboxRequest, waitSeconds: number): SandboxAnswer {
    const rule = behaviour.get('throttle_retry_after');
    const seconds = Math.max(1, Math.ceil(waitSeconds));
    const isJson = behaviour.get('throttle_body') === 'as-asked' && wantsJson(request);
    const answer = gatewayAnswer(request, throttled(), clock.now(), isJson);
    if (rule === 'none') return answer;
    const value = rule === 'seconds' ? String(seconds) : new Date(clock.now() + seconds * 1000).toUTCString();
    return { ...answer, headers: { ...answer.headers, 'Retry-After': value } };
  }

  function admit(request: SandboxRequest): Admission {
    const realmId = /^\/v3\/company\/([^/]*)/.exec(request.path)?.[1];
    if (realmId === undefined) return { owner: null, delayMs: events.delayMs(request.path) };
    const who = caller(request, realmId);
    if (who instanceof GatewayFault) return { owner: null, refuse: gatewayAnswer(request, who, clock.now()) };
    const { owner } = who;
    const reads = behaviour.get('metered_reads');
    if (reads !== 'open' && isRead(request)) {
      const isNamed = reads === 'blocked';
      const refuse = isNamed ? gatewayAnswer(request, readsUsedUp(), clock.now()) : throttle(request, 60);
      return { owner, refuse };
    }
    const isBatch = request.path.endsWith('/batch');
    const isReport = request.path.includes('/reports/');
    const items = isBatch ? Math.max(1, batchSize(request)) : 1;
    const weight = behaviour.get('batch_counts_items') ? items : 1;
    const isOver =
      minute.count(owner) + weight > limits.of('requests_per_minute') ||
      second.count(owner) >= limits.of('requests_per_second') ||
      underWay.count(owner) >= limits.of('concurrent') ||
      (isBatch && batches.count(owner) >= limits.of('batches_per_minute')) ||
      (isReport && reports.count(owner) >= limits.of('reports_per_minute'));
    if (isOver) return { owner, refuse: throttle(request, 60) };
    minute.add(owner, weight);
    second.add(owner);
    if (isBatch) batches.add(owner);
    if (isReport) reports.add(owner);
    return { owner, delayMs: durationOf(isBatch ? items : null), release: underWay.enter(owner) };
  }

  /** @param batchItems number of objects in a batch; null for any other call. */
  function durationOf(batchItems: number | null): number {
    const itemMs = behaviour.get('batch_item_ms');
    return batchItems === null || itemMs === 0 ? behaviour.get('latency_ms') : batchItems * itemMs;
  }

  function handle(request: SandboxRequest): SandboxAnswer {
    const signIn = oauth.handle(request);
    if (signIn !== undefined) return signIn;
    const received = chats.handle(request) ?? events.handle(request);
    if (received !== undefined) return received;
    const [, v3, place, realmId, ...parts] = request.path.split('/');
    const company = companyOf(realmId);
    if (v3 === 'v3' && place === 'company' && company !== undefined) return answerCall(request, company, memory, parts);
    if (v3 === 'files') return file(request);
    return text(404, 'Not found');
  }

  /** Returns a file for a temporary link. */
  function file(request: SandboxRequest): SandboxAnswer {
    const [, , realmId, id = ''] = request.path.split('/');
    const company = companyOf(realmId);
    const content = company?.files.get(id);
    const isLate = Number(request.params.get('expires')) * 1000 < clock.now();
    if (content === undefined || isLate) return text(403, 'Request has expired');
    const type = textAt(company?.find('Attachable', id)?.body, 'ContentType') ?? 'application/octet-stream';
    return { status: 200, headers: { 'Content-Type': type }, body: content };
  }

  const credentials = (): QuickBooksCredentials => ({ ...app, webhookVerifier, realms: choices() });

  /** Returns the company of a control call: `realmId` in its body or query, by default the first. */
  function chosen(realmId: string | undefined): Company {
    const company = realmId === undefined ? companies[0] : companyOf(realmId);
    if (company === undefined)
      throw new BadInput(
        `There is no company ${realmId ?? ''}. There are: ${companies.map((each) => each.realmId).join(', ')}.`,
      );
    return company;
  }

  const entities: EntityHooks = controlEntities((realmId) => chosen(realmId));

  function resetFrom(body: JsonObject): JsonObject {
    const allowed = [
      'seed',
      'today',
      'companies',
      'invoices',
      'lines_per_invoice',
      'purchase_orders',
      'expense_reports',
      'empty',
    ];
    objectWith(body, allowed, 'reset');
    const whole = (key: string, max: number, min = 0) => optionalNumber(body[key], key, { min, max, whole: true });
    const data: Record<string, unknown> = {
      seed: optionalNumber(body['seed'], 'seed', { whole: true }),
      today: optionalDate(body['today'], 'today'),
      empty: optionalBoolean(body['empty'], 'empty'),
      companies: whole('companies', 100_000),
      invoices: whole('invoices', 200_000),
      linesPerInvoice: whole('lines_per_invoice', 200, 1),
      purchaseOrders: whole('purchase_orders', 100_000),
      expenseReports: whole('expense_reports', 100_000),
    };
    // Every value was checked above; missing ones are dropped.
    const given = Object.fromEntries(
      Object.entries(data).filter(([, value]) => value !== undefined),
    ) as QuickBooksSandboxData;
    reset(given);
    return {
      now: clock.iso(),
      realms: choices(),
      counts: Object.fromEntries(entities.list().map(({ name, count }) => [name, count])),
    };
  }

  const realmIn = (body: JsonObject) => {
    const realmId = optionalText(body['realmId'], 'realmId');
    if (realmId !== undefined) chosen(realmId);
    return realmId;
  };

  const calls: NonNullable<ControlHooks['calls']> = {
    'POST /revoke': (body) => {
      objectWith(body, ['realmId', 'how'], 'revoke');
      const how = optionalText(body['how'], 'how') ?? 'disconnect';
      if (how !== 'disconnect' && how !== 'user-left') throw new BadInput('how must be one of: disconnect, user-left.');
      const realmId = realmIn(body);
      return { connections: how === 'disconnect' ? connections.revokeAll(realmId) : connections.removeUser(realmId) };
    },
    'POST /expire-tokens': (body) => {
      objectWith(body, ['realmId', 'what'], 'expire-tokens');
      const what = optionalText(body['what'], 'what') ?? 'access';
      if (what !== 'access' && what !== 'refresh' && what !== 'both')
        throw new BadInput('what must be one of: access, refresh, both.');
      return { access_tokens: connections.expire(what, realmIn(body)) };
    },
    'POST /merge': (body) => merge(chosen(realmIn(body)), body),
    'POST /webhooks': (body) => {
      objectWith(body, ['url'], 'webhooks');
      const url = optionalText(body['url'] ?? undefined, 'url');
      if (url !== undefined && !(URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)))
        throw new BadInput('url must be an http or https address.');
      webhooks.setUrl(url);
      return { url: url ?? null };
    },
    'GET /webhooks': () => ({ url: webhooks.url ?? null, deliveries: webhooks.deliveries }),
    'GET /chats': () => ({ messages: chats.messages }),
    'GET /events': () => ({ events: events.events }),
    'POST /event-secrets': (body) => {
      const { secrets } = objectWith(body, ['secrets'], 'event-secrets');
      if (!Array.isArray(secrets) || !secrets.every((one) => typeof one === 'string'))
        throw new BadInput('secrets must be a list of texts.');
      events.trust(secrets);
      return {};
    },
    'GET /mails': (_body, request) => {
      const realmId = request.params.get('realmId') ?? undefined;
      const from = realmId === undefined ? companies : [chosen(realmId)];
      return { items: from.flatMap((company) => company.mails) };
    },
    'GET /ledger': (_body, request) =>
      controlLedger(chosen(request.params.get('realmId') ?? undefined), request.params),
    'GET /connections': () => ({
      items: connections.living().map(({ realmId, scopes, connectedAt, refreshExpiresAt }) => ({
        realmId,
        scopes,
        connectedAt: new Date(connectedAt).toISOString(),
        refreshExpiresAt: new Date(refreshExpiresAt).toISOString(),
      })),
    }),
  };

  reset(options);
  const service = await startService({
    port: options.port,
    host: options.host,
    maxBodyBytes: 110 * 1024 * 1024,
    definition: {
      name: 'QuickBooks Online',
      clock,
      behaviour,
      limits,
      admit,
      handle,
      control: {
        entities,
        entitiesFor: (request) => {
          const realmId = request.params.get('realmId') ?? undefined;
          return realmId === undefined ? entities : controlEntities(() => chosen(realmId));
        },
        reset: resetFrom,
        credentials: () => ({ ...credentials() }),
        calls,
        page: {
          columns,
          views: quickBooksViews(() => companies, chosen),
          document(name, id, request) {
            const [entity = name, realmId] = name.split('@');
            const company = chosen(realmId ?? request.params.get('realmId') ?? undefined);
            const kind = findKind(entity);
            const entry = kind === undefined ? undefined : company.find(kind.name, id);
            if (kind === undefined || entry === undefined) return undefined;
            return pageOfRecord(company, kind, entry);
          },
          faults: usualFaults,
        },
      },
    },
  });
  return {
    url: service.url,
    port: service.port,
    credentials: credentials(),
    reset: (data = {}) => reset({ ...(options.today === undefined ? {} : { today: options.today }), ...data }),
    async close() {
      webhooks.setUrl(undefined);
      await service.close();
    },
  };
}

function batchSize(request: SandboxRequest): number {
  try {
    const body: unknown = JSON.parse(request.text());
    const items = isObject(body) ? body['BatchItemRequest'] : undefined;
    return Array.isArray(items) ? items.length : 1;
  } catch {
    return 1;
  }
}

function columns(name: string): readonly string[] | undefined {
  const [entity = name] = name.split('@');
  const kind = findKind(entity);
  if (kind?.kind === 'transaction')
    return ['Id', 'DocNumber', 'TxnDate', 'Party', 'TotalAmt', 'Balance', 'PrivateNote', 'SyncToken'];
  switch (kind?.name) {
    case 'Customer':
    case 'Vendor':
    case 'Employee':
      return ['Id', 'DisplayName', 'CompanyName', 'Balance', 'Active', 'SyncToken'];
    case 'Item':
      return ['Id', 'Name', 'Type', 'Sku', 'UnitPrice', 'PurchaseCost', 'Active', 'SyncToken'];
    case 'Account':
      return [
        'Id',
        'FullyQualifiedName',
        'AccountType',
        'AccountSubType',
        'Classification',
        'CurrentBalance',
        'Active',
      ];
    default:
      return undefined;
  }
}

const usualFaults: ControlHooks['page']['faults'] = [
  {
    label: 'Cut the next write after it was applied',
    rule: { match: { method: 'POST', path: '/v3/' }, times: 1, action: { reset: 'after' } },
  },
  {
    label: 'Cut the next write, apply it 60 s later',
    rule: { match: { method: 'POST', path: '/v3/' }, times: 1, action: { reset: 'late', apply_after_seconds: 60 } },
  },
  {
    label: 'Answer 503 with a web page, three times',
    rule: {
      match: { path: '/v3/' },
      times: 3,
      action: {
        status: 503,
        headers: { 'Content-Type': 'text/html' },
        body: '<html><body><h1>503 Service Temporarily Unavailable</h1></body></html>',
      },
    },
  },
  {
    label: 'Fail once inside (500, code 10000)',
    rule: {
      match: { path: '/v3/' },
      times: 1,
      action: {
        status: 500,
        body: {
          Fault: {
            Error: [
              {
                Message: 'An application error has occurred while processing your request',
                Detail: 'System Failure Error: java.lang.NullPointerException',
                code: '10000',
              },
            ],
            type: 'SystemFault',
          },
        },
      },
    },
  },
  {
    label: 'Refuse the next write for no reason (6000)',
    rule: {
      match: { method: 'POST', path: '/v3/' },
      times: 1,
      action: {
        status: 400,
        body: {
          Fault: {
            Error: [
              {
                Message: 'A business validation error has occurred while processing your request',
                Detail: 'Business Validation Error: Unexpected Internal Error. (-30000)',
                code: '6000',
                element: '',
              },
            ],
            type: 'ValidationFault',
          },
        },
      },
    },
  },
  {
    label: 'Say that the wrong server was asked (401, code 130)',
    rule: {
      match: { path: '/v3/' },
      times: 1,
      action: {
        status: 401,
        headers: { 'Content-Type': 'application/xml' },
        body: '<?xml version="1.0" encoding="UTF-8" standalone="yes"?><IntuitResponse xmlns="http://schema.intuit.com/finance/v3"><Fault type="AuthenticationFault"><Error code="130"><Message>Accessing Wrong Cluster</Message><Detail>WrongClusterError: -11017-You have accessed the wrong server.  You will now be redirected. , statusCode: 401</Detail></Error></Fault></IntuitResponse>',
      },
    },
  },
  { label: 'Throttle five calls', rule: { match: { path: '/v3/' }, times: 5, action: { status: 429, body: '' } } },
  { label: 'Be slow: 3 seconds a call', rule: { match: { path: '/v3/' }, action: { delay_ms: 3000 } } },
];
