import { randomUUID } from 'node:crypto';
import { sql, type UpdateObject } from 'kysely';
import type { WebhookEndpoint } from '#core/records/webhook-endpoints.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import type { NewAuditEvent } from '#core/records/audit.ts';
import type { WebhookEvent } from '#core/webhook-event.ts';
import { addOwned, changeOwned, ownerOf, removeOwned, type EventOf, type OwnedList } from './owned.ts';
import type { RootWork, TenantWork } from './scope.ts';
import { secretsOf } from './secrets.ts';
import { clean, type Tables } from './tables.ts';

/** If a worker reports no result for a delivery within this time, the worker is considered dead. */
export const lostAfterSeconds = 120;
/**
 * Maximum seconds between the time in a record and its commit: a transaction has a time limit for each statement.
 * Records this old are read again, and their source keeps them from being delivered twice.
 */
export const lateSeconds = 300;

/** Names of the sealed fields. They contain the id, so that a value opens in its own row only. */
export const endpointField = (id: string, name: 'address' | 'secret'): string => `webhook_endpoints.${id}.${name}`;

const columns = [
  'id',
  'shown_address as shownAddress',
  'events',
  'state',
  'created_by as createdBy',
  'created_at as createdAt',
  'read_to as readTo',
  'old_secret_ends_at as oldSecretEndsAt',
  'failing_since as failingSince',
  'delivered_at as deliveredAt',
  'failed_at as failedAt',
] as const;

const list: OwnedList<WebhookEndpoint> = {
  table: 'webhook_endpoints',
  rowsOf: (tx, which) =>
    tx
      .selectFrom('webhook_endpoints')
      .select([...columns, ownerOf('webhook_endpoints')])
      .where((row) => row.and({ ...which }))
      .orderBy('created_at')
      .orderBy('id'),
};

/** The webhook endpoints of a client. */
export const webhookEndpoints = {
  /** Lists all endpoints, oldest first. */
  listWebhookEndpoints: ({ tx, tenantId }: TenantWork): Promise<readonly WebhookEndpoint[]> =>
    list.rowsOf(tx, { tenant_id: tenantId }).execute(),

  /** Adds an endpoint, address and secret encrypted, and the audit event; see {@link addOwned}. */
  addWebhookEndpoint: async (
    work: TenantWork,
    {
      address,
      shownAddress,
      secret,
      events,
      createdBy,
      createdAt,
    }: Pick<WebhookEndpoint, 'shownAddress' | 'events' | 'createdBy' | 'createdAt'> & {
      readonly address: string;
      readonly secret: string;
    },
    limit: number,
    event: NewAuditEvent,
  ): Promise<WebhookEndpoint | null> => {
    const { tx, tenantId, vault } = work;
    const id = randomUUID();
    const secrets = secretsOf(tx, vault, tenantId);
    const sealed = {
      address: await secrets.seal(endpointField(id, 'address'), address),
      secret: await secrets.seal(endpointField(id, 'secret'), secret),
    };
    return addOwned(list, work, limit, event, () =>
      tx
        .insertInto('webhook_endpoints')
        .values({
          tenant_id: tenantId,
          id,
          ...sealed,
          shown_address: clean(shownAddress),
          events: [...events],
          created_by: clean(createdBy),
          created_at: createdAt,
          read_to: createdAt,
        })
        .returning('id'),
    );
  },

  /**
   * Changes the events or the state, and adds the audit event; null when it does not exist. An endpoint that becomes
   * active continues after the last event that it got, but not before `readFrom`.
   */
  changeWebhookEndpoint: (
    work: TenantWork,
    id: string,
    change: { readonly events: readonly WebhookEvent[] } | { readonly isPaused: boolean; readonly readFrom: Instant },
    eventOf: EventOf<WebhookEndpoint>,
  ): Promise<WebhookEndpoint | null> =>
    changeEndpoint(work, id, eventOf, () =>
      'events' in change ? { events: [...change.events] } : change.isPaused ? { state: 'paused' } : resumed(change),
    ),

  /** Replaces the secret. The old one signs too until `oldEndsAt`. Null when the endpoint does not exist. */
  rotateWebhookSecret: (
    work: TenantWork,
    id: string,
    secret: string,
    oldEndsAt: Instant,
    eventOf: EventOf<WebhookEndpoint>,
  ): Promise<WebhookEndpoint | null> =>
    changeEndpoint(work, id, eventOf, async () => ({
      old_secret: sql<string>`secret`,
      old_secret_ends_at: oldEndsAt,
      secret: await secretsOf(work.tx, work.vault, work.tenantId).seal(endpointField(id, 'secret'), secret),
    })),

  /** Deletes an endpoint with its deliveries, and adds the audit event; null when it does not exist. */
  removeWebhookEndpoint: (
    work: TenantWork,
    id: string,
    eventOf: EventOf<WebhookEndpoint>,
  ): Promise<WebhookEndpoint | null> => removeOwned(list, work, id, eventOf),
};

/** Values of an endpoint that is active again. */
const resumed = ({ readFrom }: { readonly readFrom: Instant }) => ({
  state: 'active' as const,
  failures: 0,
  failing_since: null,
  wait_until: null,
  read_to: sql<Instant>`greatest(read_to, ${readFrom})`,
});

/** Values to set on an endpoint. */
export type EndpointChange = UpdateObject<Tables, 'webhook_endpoints'>;

const changeEndpoint = (
  work: TenantWork,
  id: string,
  eventOf: EventOf<WebhookEndpoint>,
  changeOf: () => EndpointChange | Promise<EndpointChange>,
): Promise<WebhookEndpoint | null> =>
  changeOwned(list, work, id, eventOf, async () =>
    work.tx
      .updateTable('webhook_endpoints')
      .set(await changeOf())
      .where('tenant_id', '=', work.tenantId)
      .where('id', '=', id)
      .execute(),
  );

/** Finds work across clients. */
export const webhookWorkSearch = {
  /** Returns clients, except suspended and canceled ones, with deliveries that are due or events that were not read since `readBefore`. */
  tenantsWithWebhookWork: async (
    { tx }: RootWork,
    now: Instant,
    readBefore: Instant,
    limit: number,
  ): Promise<readonly string[]> => {
    const { rows } = await sql<{ id: string }>`
      select distinct e.tenant_id as id
        from webhook_endpoints e join tenants t on t.id = e.tenant_id
       where t.status in ('pending', 'active') and e.state = 'active' and (
         (e.wait_until is null or e.wait_until <= ${now}) and exists (
           select from webhook_deliveries d
            where d.tenant_id = e.tenant_id and d.endpoint_id = e.id and d.ended_at is null
              and d.next_try_at <= ${now}
              and (d.taken_at is null or d.taken_at < ${addSeconds(now, -lostAfterSeconds)}))
         or e.read_to <= ${readBefore})
       limit ${limit}`.execute(tx);
    return rows.map(({ id }) => id);
  },
};
