import { randomUUID } from 'node:crypto';
import { sql, type UpdateObject } from 'kysely';
import type { WebhookEndpoint, WebhookEndpointStore, WebhookWorkSearch } from '#core/ports/webhook-endpoints.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import { insertAudit } from './audit.ts';
import { hasRoom } from './limits.ts';
import type { Tx } from './database.ts';
import type { RootMethods, TenantMethods } from './scope.ts';
import { secretsOf } from './secrets.ts';
import { clean, isId, type Tables } from './tables.ts';

type EndpointStore = Pick<
  WebhookEndpointStore,
  | 'listWebhookEndpoints'
  | 'addWebhookEndpoint'
  | 'changeWebhookEndpoint'
  | 'rotateWebhookSecret'
  | 'removeWebhookEndpoint'
>;

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
  'failing_since as failingSince',
  'delivered_at as deliveredAt',
  'failed_at as failedAt',
] as const;

export const webhookEndpoints: TenantMethods<EndpointStore> = {
  listWebhookEndpoints: ({ tx, tenantId }) =>
    tx
      .selectFrom('webhook_endpoints')
      .select(columns)
      .where('tenant_id', '=', tenantId)
      .orderBy('created_at')
      .orderBy('id')
      .execute(),

  addWebhookEndpoint: async (
    { tx, tenantId, vault },
    { address, shownAddress, secret, events, createdBy, createdAt },
    limit,
    event,
  ) => {
    if (!(await hasRoom(tx, tenantId, 'webhook_endpoints', limit))) return null;
    const id = randomUUID();
    const secrets = secretsOf(tx, vault, tenantId);
    const added = await tx
      .insertInto('webhook_endpoints')
      .values({
        tenant_id: tenantId,
        id,
        address: await secrets.seal(endpointField(id, 'address'), address),
        shown_address: clean(shownAddress),
        secret: await secrets.seal(endpointField(id, 'secret'), secret),
        events: [...events],
        created_by: clean(createdBy),
        created_at: createdAt,
        read_to: createdAt,
      })
      .returning(columns)
      .executeTakeFirstOrThrow();
    await insertAudit(tx, tenantId, event);
    return added;
  },

  changeWebhookEndpoint: ({ tx, tenantId }, id, change, eventOf) =>
    changeOne(tx, tenantId, id, eventOf, () =>
      'events' in change ? { events: [...change.events] } : change.isPaused ? { state: 'paused' } : resumed(change),
    ),

  rotateWebhookSecret: ({ tx, tenantId, vault }, id, secret, oldEndsAt, eventOf) =>
    changeOne(tx, tenantId, id, eventOf, async () => ({
      old_secret: sql<string>`secret`,
      old_secret_ends_at: oldEndsAt,
      secret: await secretsOf(tx, vault, tenantId).seal(endpointField(id, 'secret'), secret),
    })),

  removeWebhookEndpoint: async ({ tx, tenantId }, id, eventOf) => {
    if (!isId(id)) return null;
    const removed = await tx
      .deleteFrom('webhook_endpoints')
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .returning(columns)
      .executeTakeFirst();
    if (removed === undefined) return null;
    await insertAudit(tx, tenantId, eventOf(removed));
    return removed;
  },
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

async function changeOne(
  tx: Tx,
  tenantId: string,
  id: string,
  eventOf: Parameters<WebhookEndpointStore['changeWebhookEndpoint']>[2],
  changeOf: () => EndpointChange | Promise<EndpointChange>,
): Promise<WebhookEndpoint | null> {
  if (!isId(id)) return null;
  const before = await tx
    .selectFrom('webhook_endpoints')
    .select(columns)
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (before === undefined) return null;
  const after = await tx
    .updateTable('webhook_endpoints')
    .set(await changeOf())
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow();
  await insertAudit(tx, tenantId, eventOf(before));
  return after;
}

export const webhookWorkSearch: RootMethods<WebhookWorkSearch> = {
  tenantsWithWebhookWork: async ({ tx }, now, readBefore, limit) => {
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
