import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request received by a fake service. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** The response of a fake service; `raw` handles the response itself. */
export type Reply =
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly json: unknown }
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly text: string }
  | { readonly raw: (response: ServerResponse) => void };

export interface FakeService {
  /** For example `http://127.0.0.1:40123`. */
  readonly url: string;
  /** For example `127.0.0.1:40123`. */
  readonly host: string;
  readonly received: Received[];
  stop(): Promise<void>;
}

/** Starts a small HTTP server on a free port, to simulate a misbehaving service. */
export async function startFakeService(answer: (request: Received) => Reply | Promise<Reply>): Promise<FakeService> {
  const received: Received[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('error', () => undefined);
    incoming.on('end', () => {
      const url = new URL(incoming.url ?? '/', 'http://service');
      const request: Received = {
        method: incoming.method ?? '',
        path: url.pathname,
        query: url.searchParams,
        headers: incoming.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      received.push(request);
      void Promise.resolve(answer(request)).then((reply) => send(response, reply));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    received,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(response: ServerResponse, reply: Reply): void {
  if ('raw' in reply) return reply.raw(response);
  const isJson = 'json' in reply;
  response.writeHead(reply.status ?? 200, {
    'Content-Type': isJson ? 'application/json' : 'text/html',
    ...reply.headers,
  });
  response.end(isJson ? JSON.stringify(reply.json) : reply.text);
}
