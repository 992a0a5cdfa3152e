import { noticeRoles, type Notice } from '#core/notices.ts';
import { apiKeyEndingKey, connectionEndingKey } from '#core/records/notices.ts';
import { consentNoticeDays } from '#core/tenant.ts';
import { addSeconds } from '#core/values/dates.ts';
import type { App } from '../context.ts';

const daySeconds = 86_400;
/** Days before an API key expires at which administrators are notified. */
const apiKeyNoticeDays = 14;
/** Maximum clients handled in one run; the next run handles the others. */
const maxClients = 100;

/**
 * Notifies administrators, once, of connections and API keys that expire soon; called by the worker.
 *
 * @param signal ends it between two clients.
 */
export async function noteEndings({ store, clock, descriptors }: App, signal?: AbortSignal): Promise<void> {
  const now = clock.now();
  const before = {
    consent: addSeconds(now, consentNoticeDays * daySeconds),
    apiKey: addSeconds(now, apiKeyNoticeDays * daySeconds),
  };
  for (const tenantId of await store.tenantsWithEndings(now, before, maxClients)) {
    if (signal?.aborted === true) return;
    const tenant = store.forTenant(tenantId);
    const connections = (await tenant.listConnections()).flatMap(({ service, status, consentEndsAt: endsAt }) =>
      status === 'active' && endsAt !== null && endsAt > now && endsAt < before.consent
        ? [{ once: connectionEndingKey(endsAt), notice: endingOf(descriptors[service].label, endsAt) }]
        : [],
    );
    const keys = (await tenant.listApiKeys()).flatMap(({ id, name, endsAt }) =>
      endsAt > now && endsAt < before.apiKey
        ? [{ once: apiKeyEndingKey(id), notice: { kind: 'api_key_ending', name, endsAt } as const }]
        : [],
    );
    await tenant.addNotices(
      [...connections, ...keys].map((connection) => ({
        ...connection,
        at: now,
        roles: noticeRoles(connection.notice.kind),
      })),
    );
  }
}

const endingOf = (service: string, endsAt: Extract<Notice, { kind: 'connection_ending' }>['endsAt']): Notice => ({
  kind: 'connection_ending',
  service,
  endsAt,
});
