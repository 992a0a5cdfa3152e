import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { Refusal } from '#core/refusal.ts';
import type { App } from '#flows/context.ts';

/** Load balancers request these with any host name. */
const probes: readonly string[] = ['/healthz', '/readyz'];
const readingMethods: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Rejects a request for another domain. Otherwise a page of that domain could call a server on the user's machine by
 * pointing the domain's name there (DNS rebinding). IP addresses and names without a dot are safe, so proxies may use
 * them.
 *
 * @param config.appUrl the URL that users open.
 * @param config.isDemo a demo shows its metrics without a token; otherwise a program with a token may use any host
 * name.
 * @throws Refusal `wrong_host` (421).
 */
export function refuseForeignHost(
  { headers, url }: FastifyRequest,
  { appUrl, isDemo }: Pick<App['config'], 'appUrl' | 'isDemo'>,
): void {
  const path = url.split('?', 1)[0] ?? '';
  if (probes.includes(path) || (path === '/metrics' && !isDemo)) return;
  const host = hostnameOf(headers.host ?? '');
  if (host === new URL(appUrl).hostname || isIP(host.replace(/^\[|\]$/g, '')) !== 0) return;
  if (host !== '' && !host.includes('.')) return;
  if (host === '' || host.endsWith('.localhost')) return;
  throw new Refusal(
    'misdirected',
    'wrong_host',
    'This server is not at that address. Open it at its own address, or set APP_URL to the one that you use.',
  );
}

/**
 * Rejects a change that a page of another site requests. For browsers that send Sec-Fetch-Site, each call checks it;
 * older browsers send only Origin.
 *
 * @throws Refusal `foreign_origin` (403).
 */
export function refuseForeignOrigin({ method, headers }: FastifyRequest, appUrl: string): void {
  const { origin } = headers;
  if (readingMethods.includes(method) || origin === undefined || headers['sec-fetch-site'] !== undefined) return;
  if (origin === new URL(appUrl).origin || (URL.canParse(origin) && new URL(origin).host === headers.host)) return;
  throw new Refusal('forbidden', 'foreign_origin', 'This request came from another site.');
}

const hostnameOf = (host: string): string =>
  URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : host.toLowerCase();
