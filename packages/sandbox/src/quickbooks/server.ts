import type { ControlHooks, EntityHooks, SandboxAnswer, SandboxRequest } from '../kit/definition.ts';
import { startService } from '../kit/service.ts';
import { answerCall } from './api.ts';
import { controlCalls, parseReset } from './control-calls.ts';
import { controlEntities } from './control-entities.ts';
import { textAt } from './doc.ts';
import { findKind } from './entities.ts';
import { admitRequest } from './gate.ts';
import { OAuth } from './oauth.ts';
import {
  type QuickBooksState,
  createState,
  choices,
  companyOf,
  chosen,
  reset,
  webhookVerifier,
  type StateData,
} from './state.ts';
import { pageOfRecord, quickBooksViews } from './views.ts';

/** Options of the start. */
export interface QuickBooksSandboxOptions extends StateData {
  /** The address to listen on, default 127.0.0.1. */
  readonly host?: string | undefined;
  /** Port to listen on; 0, the default, uses a free one. */
  readonly port?: number;
  /** The clock only moves when the control API advances it. */
  readonly frozen?: boolean;
  /** Registered redirect addresses of the app; those on this machine are always accepted. */
  readonly redirectUris?: readonly string[];
}

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
  reset(data?: StateData): void;
  close(): Promise<void>;
}

const sampleApp = {
  clientId: 'ABsandboxNorthwindTallybridge0000000000000000000000',
  clientSecret: 'sandbox-secret-not-for-real-books-0000000',
  redirectUris: ['http://localhost:3000/connect/qbo/callback'],
} as const;

const text = (status: number, body: string): SandboxAnswer => ({
  status,
  headers: { 'Content-Type': 'text/plain; charset=utf-8' },
  body,
});

/** Starts the sandbox on a loopback port. Rejects when the port is taken. */
export async function startQuickBooksSandbox(options: QuickBooksSandboxOptions = {}): Promise<QuickBooksSandbox> {
  const app = { ...sampleApp, ...(options.redirectUris !== undefined && { redirectUris: options.redirectUris }) };
  const state = createState(options);
  const { clock, behaviour, limits, connections, webhooks } = state;
  const oauth = new OAuth({ app, clock, behaviour, connections, companies: () => choices(state) });
  const credentials = (): QuickBooksCredentials => ({ ...app, webhookVerifier, realms: choices(state) });
  const entities: EntityHooks = controlEntities((realmId) => chosen(state, realmId));
  reset(state, options);
  const service = await startService({
    port: options.port,
    host: options.host,
    maxBodyBytes: 110 * 1024 * 1024,
    definition: {
      name: 'QuickBooks Online',
      clock,
      behaviour,
      limits,
      admitRequest: (request) => admitRequest(state, request),
      handle: (request) => handle(state, oauth, request),
      control: {
        entities,
        entitiesFor: (request) => {
          const realmId = request.params.get('realmId') ?? undefined;
          return realmId === undefined ? entities : controlEntities(() => chosen(state, realmId));
        },
        reset(body) {
          reset(state, parseReset(body));
          return {
            now: clock.iso(),
            realms: choices(state),
            counts: Object.fromEntries(entities.list().map(({ name, count }) => [name, count])),
          };
        },
        credentials: () => ({ ...credentials() }),
        calls: controlCalls(state),
        page: {
          columns,
          views: quickBooksViews(
            () => state.companies,
            (realmId) => chosen(state, realmId),
          ),
          document: (name, id, request) => document(state, name, id, request),
          faults: usualFaults,
        },
      },
    },
  });
  return {
    url: service.url,
    port: service.port,
    credentials: credentials(),
    reset: (data = {}) => reset(state, { ...(options.today === undefined ? {} : { today: options.today }), ...data }),
    async close() {
      webhooks.setUrl(undefined);
      await service.close();
    },
  };
}

function handle(state: QuickBooksState, oauth: OAuth, request: SandboxRequest): SandboxAnswer {
  const signIn = oauth.handle(request);
  if (signIn !== undefined) return signIn;
  const received = state.chats.handle(request) ?? state.events.handle(request);
  if (received !== undefined) return received;
  const [, v3, place, realmId, ...parts] = request.path.split('/');
  const company = companyOf(state, realmId);
  if (v3 === 'v3' && place === 'company' && company !== undefined)
    return answerCall(request, company, state.memory, parts);
  if (v3 === 'files') return file(state, request);
  return text(404, 'Not found');
}

/** Returns a file for a temporary link. */
function file(state: QuickBooksState, request: SandboxRequest): SandboxAnswer {
  const [, , realmId, id = ''] = request.path.split('/');
  const company = companyOf(state, realmId);
  const content = company?.files.get(id);
  const isLate = Number(request.params.get('expires')) * 1000 < state.clock.now();
  if (content === undefined || isLate) return text(403, 'Request has expired');
  const type = textAt(company?.find('Attachable', id)?.body, 'ContentType') ?? 'application/octet-stream';
  return { status: 200, headers: { 'Content-Type': type }, body: content };
}

function document(state: QuickBooksState, name: string, id: string, request: SandboxRequest) {
  const [entity = name, realmId] = name.split('@');
  const company = chosen(state, realmId ?? request.params.get('realmId') ?? undefined);
  const kind = findKind(entity);
  const entry = kind === undefined ? undefined : company.find(kind.name, id);
  if (kind === undefined || entry === undefined) return undefined;
  return pageOfRecord(company, kind, entry);
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
