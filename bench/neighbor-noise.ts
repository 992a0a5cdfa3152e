import { createHmac, randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';

/** Context of an attack. */
interface NoiseContext {
  readonly url: string;
  /** Session of a user of the other client. */
  readonly token: string;
  /**
   * Third part of the callers' addresses. Each attack has a separate network, so that earlier attacks use up none of
   * its limits.
   */
  readonly network: number;
}

/** Load of a malicious client. */
interface Attack {
  /** Description for the table. */
  readonly shows: string;
  /** Callers in parallel; each makes one call after another. */
  readonly callers: number;
  /** Makes a call. @param caller counted from 0. @param round counts the calls of the caller. */
  readonly call: (context: NoiseContext, caller: number, round: number) => Promise<number>;
}

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Last part of the caller's address. */
  readonly host?: number;
  /** Announces a body that never arrives, and waits for the answer. */
  readonly stalls?: number;
}

const agents = new Map<string, Agent>();
const agentOf = (address: string): Agent => {
  const agent = agents.get(address) ?? new Agent({ keepAlive: true, maxSockets: 200 });
  agents.set(address, agent);
  return agent;
};

/** Makes one request and discards its response unread; resolves with the status, 0 without a response. */
function send({ url, network }: NoiseContext, path: string, sent: Sent = {}): Promise<number> {
  const { method = 'GET', headers = {}, body, host = 2, stalls } = sent;
  const { port } = new URL(url);
  const localAddress = `127.0.${network}.${host}`;
  const bytes = stalls ?? (body === undefined ? undefined : Buffer.byteLength(body));
  return new Promise((done) => {
    const made = request({
      agent: agentOf(localAddress),
      localAddress,
      host: '127.0.0.1',
      port,
      method,
      path,
      headers: { ...headers, ...(bytes !== undefined && { 'content-length': bytes }) },
    });
    made.on('response', (answer) =>
      answer.resume().on('end', () => {
        // The server answered before the whole body was sent, so the connection cannot be reused.
        if (!made.writableFinished) made.destroy();
        done(answer.statusCode ?? 0);
      }),
    );
    made.on('error', () => done(0));
    if (stalls === undefined) made.end(body);
    else made.flushHeaders();
  });
}

const json = { 'content-type': 'application/json' };
const bearer = ({ token }: NoiseContext) => ({ ...json, authorization: `Bearer ${token}` });
const listOf = <T>(length: number, one: (index: number) => T): T[] => Array.from({ length }, (_, index) => one(index));

const { NOISE_URL: url, NOISE_TOKEN: token, NOISE_CUSTOMER: customer } = process.env;
const mappings = listOf(8, (round) =>
  JSON.stringify({
    xrefs: listOf(1_000, (index) => ({
      source_entity: 'Company',
      source_value: String(1_000 + index),
      source_value_label: `Company ${index}`,
      target_entity: 'Customer',
      target_value: JSON.parse(customer ?? 'null') as unknown,
      target_value_label: `${round}`.repeat(200),
    })),
  }),
);
const faults = JSON.stringify({
  query: { filter: listOf(25, () => ({ field: 'id', op: 'in', value: listOf(500, () => []) })) },
});
const brackets = '['.repeat(1_048_576);
const flat = `[${'0,'.repeat(500_000)}0]`;
const message = 'x'.repeat(1_000_000);
const unsigned = { ...json, 'intuit-signature': `${'a'.repeat(43)}=` };
const login = (username: string) => ({
  method: 'POST',
  headers: json,
  body: JSON.stringify({ username, password: 'A-Wrong-Password-1' }),
});
const monthOf = (back: number): string =>
  new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() - back, 1)).toISOString().slice(0, 7);

type Call = Attack['call'];
const dear: readonly Call[] = [
  (context, _, round) =>
    send(context, '/api/my/xrefs/Customer/multiple', {
      method: 'POST',
      headers: bearer(context),
      body: mappings[round % mappings.length] ?? '',
    }),
  ...['/api/my/xrefs', '/api/my/export', '/api/my/audit?q=mapping', '/api/my/mappings/Customer/history'].map(
    (path): Call =>
      (context) =>
        send(context, path, { headers: bearer(context) }),
  ),
  (context, _, round) => send(context, `/api/my/logs?q=${'ab'.repeat(20)}${round}`, { headers: bearer(context) }),
];

/** Attacks by name. Each one once slowed other clients down more than twice, or resembles one that did. */
export const attacks = {
  docs: {
    shows: 'API docs page from one address',
    callers: 8,
    call: (context) => send(context, '/api/docs'),
  },
  openapi: {
    shows: 'OpenAPI document, compressed',
    callers: 8,
    call: (context) => send(context, '/api/openapi.json', { headers: { 'accept-encoding': 'br' } }),
  },
  readiness: { shows: 'readiness', callers: 8, call: (context) => send(context, '/readyz') },
  cookies: {
    shows: '15 kB of malformed cookies',
    callers: 8,
    call: (context) => send(context, '/healthz', { headers: { cookie: 'a=%;'.repeat(3_800) } }),
  },
  webhooks: {
    shows: 'webhooks of 1 MB with a fake signature',
    callers: 8,
    call: (context, caller) =>
      send(context, '/webhooks/qbo', { method: 'POST', headers: unsigned, body: message, host: 2 + (caller % 4) }),
  },
  'idle-webhooks': {
    shows: 'webhooks of 1 MB that never arrive',
    callers: 8,
    call: (context, caller) =>
      send(context, '/webhooks/qbo', { method: 'POST', headers: unsigned, stalls: 1_000_000, host: 2 + (caller % 4) }),
  },
  brackets: {
    shows: '1 MiB of brackets sent to change the password',
    callers: 12,
    call: (context) =>
      send(context, '/auth/change-password', { method: 'POST', headers: bearer(context), body: brackets }),
  },
  'flat-json': {
    shows: '1 MiB of values sent to save mappings',
    callers: 12,
    call: (context) =>
      send(context, '/api/my/xrefs/Customer/multiple', { method: 'POST', headers: bearer(context), body: flat }),
  },
  faults: {
    shows: 'a query with 12,500 errors on six connections',
    callers: 6,
    call: (context) =>
      send(context, '/api/my/autotask/Companies/query', { method: 'POST', headers: bearer(context), body: faults }),
  },
  mappings: {
    shows: '1,000 mappings saved on six connections',
    callers: 6,
    call: (context, caller, round) => dear[0]?.(context, caller, round) ?? Promise.resolve(0),
  },
  dear: {
    shows: "a user's most expensive calls, 48 in parallel",
    callers: 48,
    call: (context, caller, round) => dear[caller % dear.length]?.(context, caller, round) ?? Promise.resolve(0),
  },
  logins: {
    shows: 'sequential logins from 80 addresses',
    callers: 80,
    call: (context, caller, round) =>
      send(context, '/auth/login', { ...login(`stranger-${caller}-${round}@msp.example`), host: 2 + caller }),
  },
  ipv6: {
    shows: 'logins and pages from one IPv6 network, each call from a different address',
    callers: 80,
    call: (context, caller, round) => {
      const forwarded = { 'x-forwarded-for': `2001:db8:1:2::${caller.toString(16)}:${(round % 65_536).toString(16)}` };
      if (round % 2 === 1) return send(context, '/api/docs', { headers: forwarded });
      const sent = login(`stranger-${caller}-${round}@msp.example`);
      return send(context, '/auth/login', { ...sent, headers: { ...sent.headers, ...forwarded } });
    },
  },
  months: {
    shows: 'months prepared in sequence',
    callers: 12,
    call: (context, caller, round) =>
      send(context, `/api/my/closes/${monthOf((caller * 7 + round) % 2_000)}/prepare`, {
        method: 'POST',
        headers: bearer(context),
      }),
  },
} as const satisfies Readonly<Record<string, Attack>>;
export type AttackName = keyof typeof attacks;

/** Calls of a user that a program may repeat. Each is swept from one to forty callers. */
const sweptCalls = [
  '/api/my',
  '/api/my/logs?page=1',
  '/api/my/logs?q=invoice',
  '/api/my/settings/config',
  '/api/my/settings/',
  '/api/my/audit',
  '/api/my/attention',
  '/api/my/money',
  '/api/my/xrefs',
  '/api/my/export',
] as const;

/** Returns a webhook of QuickBooks about a company, large enough to be limited. */
export function signedMessage(verifier: string, company: string) {
  const body = JSON.stringify(
    Array.from({ length: 400 }, (_, index) => ({
      specversion: '1.0',
      id: randomUUID(),
      source: 'intuit.bench',
      type: 'qbo.invoice.updated.v1',
      time: '2025-03-03T18:00:00Z',
      intuitentityid: String(index),
      intuitaccountid: company,
      data: {},
    })),
  );
  return { body, headers: { 'intuit-signature': createHmac('sha256', verifier).update(body).digest('base64') } };
}

const { NOISE_LOGIN: rightLogin, NOISE_VERIFIER: verifier, NOISE_COMPANY: company } = process.env;
const signedWebhook = signedMessage(verifier ?? '', company ?? '');

/** Loads whose number of callers is swept. */
export const sweeps: Readonly<Record<string, Pick<Attack, 'call'>>> = {
  ...Object.fromEntries(
    sweptCalls.map((path) => [path, { call: (context) => send(context, path, { headers: bearer(context) }) } as const]),
  ),
  'right logins of one user': {
    call: (context) => {
      const { body, headers } = JSON.parse(rightLogin ?? '{}') as Pick<Sent, 'body' | 'headers'>;
      return send(context, '/auth/login', { method: 'POST', headers: { ...json, ...headers }, body: body ?? '' });
    },
  },
  'address of 15,000 colons': {
    call: (context) => send(context, '/healthz', { headers: { 'x-forwarded-for': ':'.repeat(15_000) } }),
  },
  'large signed webhooks about one client': {
    call: (context, caller) => {
      const { body, headers } = signedWebhook;
      const sent = { method: 'POST', headers: { ...json, ...headers }, body };
      return send(context, '/webhooks/qbo', { ...sent, host: 2 + caller });
    },
  },
};

/** Order to start an attack, or to end it and to report the responses of its calls after the last one. */
export type Order =
  | { readonly do: 'begin'; readonly attack: string; readonly callers?: number }
  | { readonly do: 'end' };

/** Runs in a separate process, so that the load does not slow down the measurement. */
function follow(context: Omit<NoiseContext, 'network'>): void {
  let run = new AbortController();
  let callers: Promise<void>[] = [];
  let counts: Record<string, number> = {};
  const all: Readonly<Record<string, Pick<Attack, 'call'> & Partial<Attack>>> = { ...attacks, ...sweeps };
  const loop = async (name: string, caller: number, { signal }: AbortController): Promise<void> => {
    const network = 1 + Object.keys(all).indexOf(name);
    for (let round = 0; !signal.aborted; round += 1) {
      const status = (await all[name]?.call({ ...context, network }, caller, round)) ?? 0;
      counts[status] = (counts[status] ?? 0) + 1;
      // A refused connection must not keep this process busy.
      if (status === 0) await new Promise((soon) => setTimeout(soon, 20));
    }
  };
  process.on('message', (order: Order) => {
    if (order.do === 'begin') {
      run = new AbortController();
      counts = {};
      const count = order.callers ?? all[order.attack]?.callers ?? 1;
      callers = listOf(count, (caller) => loop(order.attack, caller, run));
    } else {
      run.abort();
      void Promise.all(callers).then(() => process.send?.(counts));
    }
  });
}

if (url !== undefined && token !== undefined) follow({ url, token });
