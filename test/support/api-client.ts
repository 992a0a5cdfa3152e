import { setTimeout as delay } from 'node:timers/promises';
import type { JsonObject } from '#core/values/json.ts';

/** A program that uses the HTTP API, with a cookie jar where a browser would need one. */
export interface ApiClient {
  /** Answers the whole envelope. */
  call(method: string, path: string, body?: JsonObject): Promise<JsonObject>;
  /** The `data` of a successful answer. @throws Error with the answer when it failed. */
  data(method: string, path: string, body?: JsonObject): Promise<JsonObject>;
  /** Connects QuickBooks through the consent page, redirect by redirect. */
  connectQuickBooks(): Promise<void>;
}

/** How a client takes it that the product cannot answer a read just now. */
export interface Patience {
  /** A read is asked so often, each time as long after the one before as the answer says. */
  readonly tries: number;
  /** Told of each read that is asked again. */
  readonly onWait: (path: string) => void;
}

/**
 * Signs in as a demo user.
 *
 * @param patience with reads that are answered by 503; none by default.
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

/** One step of a browser that does not follow redirects by itself: answers where it is sent. */
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
