import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** Presents the Autotask sandbox as many PSA databases. */
export interface Front {
  readonly url: string;
  /** Number of API calls, and of calls that look up a zone. */
  readonly calls: () => { readonly api: number; readonly zone: number };
  /** Delays every later response by this many milliseconds. */
  slow(latencyMs: number): void;
  close(): Promise<void>;
}

const zonePath = /\/zoneInformation$/i;

/**
 * Starts a proxy in front of the sandbox. The sandbox is one tenant's database, whose limits many clients would share.
 * The zone lookup gives each API user a separate database, and all users sign in as the sandbox's one user. All other
 * responses come from the sandbox.
 *
 * @param user the sandbox's API user.
 */
export async function startFront(sandboxUrl: string, user: string): Promise<Front> {
  const sandbox = new URL(sandboxUrl);
  const agent = new Agent({ keepAlive: true });
  const counted = { api: 0, zone: 0 };
  let latencyMs = 0;
  let url = '';

  async function answer(asked: IncomingMessage, reply: ServerResponse): Promise<void> {
    const target = new URL(asked.url ?? '/', url);
    const isControl = target.pathname.startsWith('/__sandbox');
    if (!isControl && latencyMs > 0) await delay(latencyMs);
    if (zonePath.test(target.pathname)) {
      counted.zone += 1;
      const name = target.searchParams.get('user') ?? '';
      reply.setHeader('content-type', 'application/json');
      reply.end(JSON.stringify({ zoneName: 'Bench', url: `${url}/ATServicesRest/`, webUrl: `${url}/`, ci: name }));
      return;
    }
    if (!isControl) counted.api += 1;
    const passed = request({
      agent,
      host: sandbox.hostname,
      port: sandbox.port,
      method: asked.method,
      path: asked.url,
      headers: { ...asked.headers, ...(isControl ? {} : { username: user }) },
    });
    passed.on('response', (response) => {
      reply.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(reply);
    });
    passed.on('error', () => reply.destroy());
    asked.pipe(passed);
  }

  const server = createServer((asked, reply) => void answer(asked, reply));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  url = `http://127.0.0.1:${address.port}`;
  return {
    url,
    calls: () => ({ ...counted }),
    slow(milliseconds) {
      latencyMs = milliseconds;
    },
    async close() {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
