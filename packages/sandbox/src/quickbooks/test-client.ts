/** Test helpers of this folder: a sandbox for each test, and a client that adds nothing to a request. */
import { type Doc, docAt, isDoc, listAt, textAt } from './doc.ts';
import { type QuickBooksSandbox, type QuickBooksSandboxOptions, startQuickBooksSandbox } from './server.ts';

export const redirectUri = 'http://localhost:9/callback';

/** A response: its status, its headers, and its body if it is JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Doc;
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = {};
  }
  return { status: response.status, headers: response.headers, text, body: isDoc(body) ? body : {} };
}

/** Returns the only fault of a response, `code: detail`; empty for a success. */
export function faultOf(answer: Answer): string {
  const { body } = answer;
  const errors = listAt(docAt(body, 'Fault'), 'Error');
  return errors.map((error) => `${textAt(error, 'code') ?? ''}: ${textAt(error, 'Detail') ?? ''}`).join(' | ');
}

/** Returns the codes of a response's faults. */
export function codesOf(answer: Answer): string[] {
  return listAt(docAt(answer.body, 'Fault'), 'Error').map((error) => textAt(error, 'code') ?? '');
}

/** A sandbox with a frozen clock on 2025-03-03 and without limits, and its clients. */
export class World {
  readonly sandbox: QuickBooksSandbox;
  constructor(sandbox: QuickBooksSandbox) {
    this.sandbox = sandbox;
  }

  static async start(options: QuickBooksSandboxOptions = {}): Promise<World> {
    const world = new World(await startQuickBooksSandbox({ today: '2025-03-03', frozen: true, ...options }));
    await world.control('PUT', 'limits', { enforce: false });
    return world;
  }

  close(): Promise<void> {
    return this.sandbox.close();
  }

  async control(method: string, path: string, body?: unknown): Promise<Answer> {
    const init: RequestInit = { method };
    if (body !== undefined) init.body = JSON.stringify(body);
    return answerOf(await fetch(`${this.sandbox.url}/__sandbox/${path}`, init));
  }

  async behave(switches: Readonly<Record<string, boolean | string | number>>): Promise<void> {
    const answer = await this.control('PUT', 'behaviour', switches);
    if (answer.status !== 200) throw new Error(answer.text);
  }

  async advance(seconds: number): Promise<void> {
    await this.control('POST', 'clock', { advance_seconds: seconds });
  }

  /** Presses Connect (or Cancel) on the consent page; returns the redirect address. */
  async consent(more: Readonly<Record<string, string>> = {}): Promise<URL> {
    const form = new URLSearchParams({
      client_id: this.sandbox.credentials.clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'com.intuit.quickbooks.accounting',
      state: 'st-1',
      realm_id: this.sandbox.credentials.realms[0]?.realmId ?? '',
      decision: 'connect',
      ...more,
    });
    const response = await fetch(`${this.sandbox.url}/connect/oauth2`, {
      method: 'POST',
      body: form,
      redirect: 'manual',
    });
    const location = response.headers.get('location');
    if (location === null) throw new Error(`no redirect: ${response.status} ${await response.text()}`);
    return new URL(location);
  }

  async token(form: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const { clientId, clientSecret } = this.sandbox.credentials;
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
    const response = await fetch(`${this.sandbox.url}/oauth2/v1/tokens/bearer`, {
      method: 'POST',
      headers: { Authorization: `Basic ${basic}`, ...headers },
      body: new URLSearchParams(form),
    });
    return answerOf(response);
  }

  /** Connects a company and returns a client for it. */
  async connect(realmId = this.sandbox.credentials.realms[0]?.realmId ?? ''): Promise<Client> {
    const back = await this.consent({ realm_id: realmId });
    const tokens = await this.token({
      grant_type: 'authorization_code',
      code: back.searchParams.get('code') ?? '',
      redirect_uri: redirectUri,
    });
    return new Client(
      this,
      realmId,
      textAt(tokens.body, 'access_token') ?? '',
      textAt(tokens.body, 'refresh_token') ?? '',
    );
  }
}

/** A client of one company's API. */
export class Client {
  readonly world: World;
  readonly realmId: string;
  accessToken: string;
  refreshToken: string;
  constructor(world: World, realmId: string, accessToken: string, refreshToken: string) {
    this.world = world;
    this.realmId = realmId;
    this.accessToken = accessToken;
    this.refreshToken = refreshToken;
  }

  async send(
    method: string,
    path: string,
    body?: string | Buffer,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const init: RequestInit = {
      method,
      headers: { Authorization: `Bearer ${this.accessToken}`, Accept: 'application/json', ...headers },
    };
    if (body !== undefined) init.body = typeof body === 'string' ? body : new Uint8Array(body);
    return answerOf(await fetch(`${this.world.sandbox.url}/v3/company/${this.realmId}/${path}`, init));
  }

  get(path: string): Promise<Answer> {
    return this.send('GET', path);
  }

  post(path: string, body: unknown): Promise<Answer> {
    return this.send('POST', path, JSON.stringify(body), { 'Content-Type': 'application/json' });
  }

  /** Posts and returns the object of the response; throws when the service rejects it. */
  async write(entity: string, body: unknown, query = ''): Promise<Doc> {
    const answer = await this.post(`${entity.toLowerCase()}${query}`, body);
    if (answer.status !== 200) throw new Error(faultOf(answer) || answer.text);
    return docAt(answer.body, entity);
  }

  async read(entity: string, id: string): Promise<Doc> {
    const answer = await this.get(`${entity.toLowerCase()}/${id}`);
    if (answer.status !== 200) throw new Error(faultOf(answer) || answer.text);
    return docAt(answer.body, entity);
  }

  /** Returns the code and detail of a rejected write; empty when it was accepted. */
  async refusal(entity: string, body: unknown, query = ''): Promise<string> {
    return faultOf(await this.post(`${entity.toLowerCase()}${query}`, body));
  }

  async query(statement: string): Promise<Doc> {
    const answer = await this.get(`query?query=${encodeURIComponent(statement)}`);
    if (answer.status !== 200) throw new Error(faultOf(answer) || answer.text);
    return docAt(answer.body, 'QueryResponse');
  }

  /** Returns one member of every object in a query's result. */
  async column(statement: string, member: string): Promise<unknown[]> {
    const entity = /\bfrom\s+(\w+)/i.exec(statement)?.[1] ?? '';
    return listAt(await this.query(statement), entity).map((doc) => doc[member]);
  }
}

/** Returns a sales line of an item. */
export function saleOf(amount: number, more: Doc = {}, detail: Doc = {}): Doc {
  return {
    DetailType: 'SalesItemLineDetail',
    Amount: amount,
    SalesItemLineDetail: { ItemRef: { value: '21' }, ...detail },
    ...more,
  };
}

/** Returns a minimal invoice: Acme Dental, one line. */
export function invoiceOf(amount: number, more: Doc = {}): Doc {
  return { CustomerRef: { value: '58' }, TxnDate: '2025-03-03', Line: [saleOf(amount)], ...more };
}
