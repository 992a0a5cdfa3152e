/** Test helpers of this folder: a sandbox and a plain HTTP client. */
import { afterEach } from 'vitest';
import type { JournalEntry } from '../kit/journal.ts';
import { startAutotaskSandbox, type AutotaskSandbox, type AutotaskSandboxOptions } from './server.ts';
import { defaultUser } from './users.ts';

type Json = Record<string, unknown>;

/** A parsed response. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as a JSON object; empty for any other body. */
  readonly json: Json;
  readonly items: readonly Json[];
  readonly item: Json | null;
  readonly errors: readonly string[];
}

/** A condition of a filter. */
export const where = (field: string, op: string, value?: unknown): Json => ({
  field,
  op,
  ...(value !== undefined && { value }),
});

const running: AutotaskSandbox[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((sandbox) => sandbox.close()));
});

const credentials = {
  UserName: defaultUser.userName,
  Secret: defaultUser.secret,
  ApiIntegrationCode: defaultUser.apiIntegrationCode,
};

/** Starts a sandbox whose today is 2025-03-03; it closes after the test. */
export async function start(options: AutotaskSandboxOptions = {}) {
  const sandbox = await startAutotaskSandbox({ today: '2025-03-03', ...options });
  running.push(sandbox);

  const send = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = credentials,
  ): Promise<Answer> => {
    const response = await fetch(path.startsWith('http') ? path : `${sandbox.url}${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    let json: Json = {};
    try {
      json = JSON.parse(text) as Json;
    } catch {
      // HTML and empty bodies remain text.
    }
    return {
      status: response.status,
      headers: response.headers,
      text,
      json,
      items: (json.items ?? []) as Json[],
      item: (json.item ?? null) as Json | null,
      errors: (json.errors ?? []) as string[],
    };
  };
  const api = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    send(method, path.startsWith('http') ? path : `/ATServicesRest/V1.0/${path}`, body, { ...credentials, ...headers });
  return {
    sandbox,
    send,
    api,
    /** A POST query with these conditions. */
    query: (entity: string, filter: unknown, more: Json = {}) => api('POST', `${entity}/query`, { filter, ...more }),
    control: (method: string, path: string, body?: unknown) => send(method, `/__sandbox${path}`, body, {}),
    behave: async (switches: Json) => {
      const answer = await send('PUT', '/__sandbox/behaviour', switches, {});
      if (answer.status !== 200) throw new Error(answer.text);
    },
    journal: async () =>
      (await send('GET', '/__sandbox/journal', undefined, {})).json.entries as readonly JournalEntry[],
  };
}

/** The ids of records. */
export const ids = (items: readonly Json[]): unknown[] => items.map((item) => item.id);
