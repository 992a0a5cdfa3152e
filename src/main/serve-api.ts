import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { usualFloodRules } from '#api/floods.ts';
import { measureProcess } from '#api/metrics.ts';
import { buildServer } from '#api/server.ts';
import { routes } from '#contract/routes.ts';
import type { Announcements } from '#core/ports/announcements.ts';
import type { MaintenanceWatch } from '#core/records/maintenance.ts';
import type { App } from '#flows/context.ts';
import { ConfigurationError, type Config } from './config.ts';
import { isPortError, portSentence } from './port.ts';

/**
 * Window for sending a password-reset email at a random time, long enough that its work affects all later requests
 * equally.
 */
const mailWithinMs = 1_000;

/**
 * Serves HTTP, and registers the webhook address with a demo's sandbox.
 *
 * @param options.ends receives a function that stops the server.
 * @returns the opened port.
 * @throws ConfigurationError if the port cannot be used.
 */
export async function serveApi(options: {
  readonly app: App;
  readonly secretKey: string;
  readonly announcements: Announcements;
  readonly metrics: Registry;
  readonly config: Config;
  readonly ends: (() => Promise<unknown>)[];
  /** Aborted when the process stops: the server reports not ready, and closes after STOP_DELAY_SECONDS. */
  readonly stopping: AbortSignal;
  readonly quickbooksUrl: string | undefined;
  readonly maintenance: MaintenanceWatch;
}): Promise<number> {
  const { app, secretKey, announcements, metrics, config, ends, stopping, quickbooksUrl, maintenance } = options;
  measureProcess(metrics);
  const server = await buildServer({
    app,
    secretKey,
    announcements,
    metrics,
    mailWithinMs,
    floodRules: usualFloodRules,
    trustProxy: config.trustProxy,
    metricsToken: config.metricsToken,
    securityContact: config.securityContact,
    maintenance,
    stopping,
  });
  const isDrained = new Promise<void>((resolve) => {
    stopping.addEventListener('abort', () => setTimeout(resolve, config.stopDelaySeconds * 1_000));
  });
  ends.push(async () => {
    await isDrained;
    await server.close();
  });
  const port = await listen(server, config);
  if (quickbooksUrl !== undefined) await announceNotificationAddress(quickbooksUrl, config.host, port);
  return port;
}

/** Registers the webhook address with the sandbox, as an administrator would at Intuit. */
async function announceNotificationAddress(quickbooksUrl: string, host: string, port: number): Promise<void> {
  const everywhere = ['0.0.0.0', '::'];
  const name = everywhere.includes(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  await fetch(`${quickbooksUrl}/__sandbox/webhooks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url: `http://${name}:${port}${routes.accountingNotification.path}` }),
  });
}

/** Returns the opened port. */
async function listen(server: FastifyInstance, config: Config): Promise<number> {
  try {
    await server.listen({ port: config.port, host: config.host });
  } catch (error) {
    if (isPortError(error)) throw new ConfigurationError(portSentence(config.port, 'PORT', error));
    throw error;
  }
  const address = server.server.address();
  return typeof address === 'object' && address !== null ? address.port : config.port;
}
