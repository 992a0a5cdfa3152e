import { createServer, type ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import { hasBearerToken, sharedReadiness } from '#api/monitoring.ts';
import { isReady } from '#flows/ready.ts';
import type { App } from '#flows/context.ts';
import { ConfigurationError, type Config } from './config.ts';
import { isPortError, portSentence } from './port.ts';

/** The port of a worker process, which does not load the HTTP server of the application. */
export interface WorkerPort {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Serves /healthz, /readyz and /metrics of a worker.
 *
 * @throws ConfigurationError if the port cannot be used.
 */
export async function openWorkerPort(parts: {
  readonly app: App;
  readonly metrics: Registry;
  readonly config: Config;
  readonly stopping: AbortSignal;
}): Promise<WorkerPort> {
  const { app, metrics, config, stopping } = parts;
  const isServing = sharedReadiness(() => isReady(app));
  const answers: Readonly<Record<string, (response: ServerResponse, authorization: string | undefined) => unknown>> = {
    '/healthz': (response) =>
      send(response, 200, { success: true, data: { alive: true, version: app.config.version } }),
    '/readyz': async (response) =>
      !stopping.aborted && (await isServing())
        ? send(response, 200, { success: true, data: { ready: true } })
        : fail(response, 503, 'not_ready', 'The worker cannot use the database, or stops.'),
    '/metrics': async (response, authorization) =>
      hasBearerToken(authorization, config.metricsToken)
        ? response.setHeader('content-type', metrics.contentType).end(await metrics.metrics())
        : fail(response, 401, 'unauthorized', 'Send METRICS_TOKEN as the bearer token.'),
  };
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0] ?? '';
    const answer = request.method === 'GET' && Object.hasOwn(answers, path) ? answers[path] : undefined;
    if (answer === undefined) return fail(response, 404, 'not_found', 'Not found.');
    return void Promise.resolve(answer(response, request.headers.authorization)).catch((error: unknown) => {
      app.logger.error({ error }, 'a request for health or metrics failed');
      fail(response, 500, 'internal', 'Server error.');
    });
  });
  await new Promise<void>((listening, refused) => {
    server.once('error', refused);
    server.listen(config.workerPort, config.host, listening);
  }).catch((error: unknown) => {
    throw isPortError(error) ? new ConfigurationError(portSentence(config.workerPort, 'WORKER_PORT', error)) : error;
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : config.workerPort,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}

const fail = (response: ServerResponse, status: number, error: string, message: string): void =>
  send(response, status, { success: false, message, error });
