import { setTimeout as delay } from 'node:timers/promises';
import type { JsonObject } from '#core/values/json.ts';

/** A program that uses the HTTP API, with a cookie jar where a browser would need one. */
export interface ApiClient {
  /** Returns the response envelope. */
  call(method: string, path: string, body?: JsonObject): Promise<JsonObject>;
  /**
   * Returns the `data` of a response.
   *
   * @throws Error with the response when the call failed.
   */
  data(method: string, path: string, body?: JsonObject): Promise<JsonObject>;
  /** Connects QuickBooks through the consent page, redirect by redirect. */
  connectQuickBooks(): Promise<void>;
}

/** How to handle reads that the product cannot answer at the moment. */
export interface Patience {
  /** Number of retries, each after the delay in the response. */
  readonly tries: number;
  /** Called for each retry. */
  readonly onWait: (path: string) => void;
}

/**
 * Logs in as a demo user.
 *
 * @param patience for reads that return 503; default: no retries.
 */
export async function signIn(
  url: string,
  username = 'admin@northwind-msp.example',
  password = 'Demo-Passw0rd!',
  patience: Patience = { tries: 1, onWait: () => undefined },
): Promise<ApiClient> {
  let token = '';
  const jar = new Map<string, string>();
  const call: ApiClient['call'] = async (method, path, body) => {
    for (let tries = 1; ; tries += 1) {
      const answer = await fetch(new URL(path, url), {
        method,
        headers: {
          ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      keep(answer, jar);
      const envelope = (await answer.json()) as JsonObject;
      if (answer.status !== 503 || method !== 'GET' || tries >= patience.tries) return envelope;
      patience.onWait(path);
      await delay(Number(answer.headers.get('retry-after') ?? 1) * 1_000);
    }
  };
  const data: ApiClient['data'] = async (method, path, body) => {
    const answer = await call(method, path, body);
    if (answer['success'] !== true) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer['data'] as JsonObject;
  };
  token = String((await data('POST', '/auth/login', { username, password }))['token']);
  return {
    call,
    data,
    async connectQuickBooks() {
      const { ticket } = await data('POST', '/auth/connect-ticket', { service: 'qbo' });
      const toConsent = await browse(new URL(`/connect/qbo?token=${String(ticket)}`, url), jar);
      const page = await fetch(toConsent);
      const html = await page.text();
      const form = new URLSearchParams({ decision: 'connect' });
      for (const [, name = '', value = ''] of html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g))
        form.set(name, value.replaceAll('&amp;', '&'));
      form.set('realm_id', /name="realm_id" value="(\d+)"/.exec(html)?.[1] ?? '');
      const action = (/<form method="post" action="([^"]+)"/.exec(html)?.[1] ?? '').replaceAll('&amp;', '&');
      const toCallback = await browse(new URL(action, toConsent), new Map(), form);
      const back = await browse(toCallback, jar);
      if (!back.pathname.startsWith('/connections')) throw new Error(`QuickBooks was not connected: ${back.href}`);
    },
  };
}

function keep(answer: Response, jar: Map<string, string>): void {
  for (const header of answer.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
    jar.set(name, value);
  }
}

/** Performs one browser step without following redirects. Returns the next location. */
async function browse(to: URL, jar: Map<string, string>, form?: URLSearchParams): Promise<URL> {
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const answer = await fetch(to, {
    redirect: 'manual',
    headers: cookie === '' ? {} : { cookie },
    ...(form === undefined ? {} : { method: 'POST', body: form }),
  });
  keep(answer, jar);
  const location = answer.headers.get('location');
  if (location === null) throw new Error(`${to.pathname} answered ${answer.status}: ${await answer.text()}`);
  return new URL(location, to);
}
