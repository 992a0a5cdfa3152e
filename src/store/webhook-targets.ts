import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { NoticeGroup } from '#core/notice-preferences.ts';
import type { TakenWebhook, WebhookPayload, WebhookTarget } from '#core/ports/webhook-targets.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import type { NewAuditEvent } from '#core/records/audit.ts';
import { addOwned, changeOwned, ownerOf, removeOwned, type EventOf, type OwnedList } from './owned.ts';
import type { Tx } from './database.ts';
import type { RootWork, TenantWork } from './scope.ts';
import { secretsOf } from './secrets.ts';
import { clean, isId, toJson } from './tables.ts';
import { movedTenants } from './tenants.ts';

/** If a worker reports no result for a message within this time, the worker is considered dead. */
const lostAfterSeconds = 120;

/** Name of the sealed field. It contains the id, so that an address opens in its own row only. */
const addressField = (id: string): string => `webhook_targets.${id}.address`;

const columns = [
  'id',
  'kind',
  'name',
  'address_end as addressEnd',
  'groups',
  'created_by as createdBy',
  'created_at as createdAt',
  'delivered_at as deliveredAt',
  'failed_at as failedAt',
  'error',
] as const;

const list: OwnedList<WebhookTarget> = {
  table: 'webhook_targets',
  rowsOf: (tx, which) =>
    tx
      .selectFrom('webhook_targets')
      .select([...columns, ownerOf('webhook_targets')])
      .where((row) => row.and({ ...which }))
      .orderBy('created_at')
      .orderBy('id'),
};

/** The chats of a client that get notices. */
export const webhookTargets = {
  /** Lists all targets, oldest first. */
  listWebhookTargets: ({ tx, tenantId }: TenantWork): Promise<readonly WebhookTarget[]> =>
    list.rowsOf(tx, { tenant_id: tenantId }).execute(),

  /** Adds a target, its address encrypted, and the audit event; see {@link addOwned}. */
  addWebhookTarget: async (
    work: TenantWork,
    {
      kind,
      name,
      address,
      addressEnd,
      groups,
      createdBy,
      createdAt,
    }: Pick<WebhookTarget, 'kind' | 'name' | 'addressEnd' | 'groups' | 'createdBy' | 'createdAt'> & {
      readonly address: string;
    },
    limit: number,
    event: NewAuditEvent,
  ): Promise<WebhookTarget | null> => {
    const { tx, tenantId, vault } = work;
    const id = randomUUID();
    const sealed = await secretsOf(tx, vault, tenantId).seal(addressField(id), address);
    return addOwned(list, work, limit, event, () =>
      tx
        .insertInto('webhook_targets')
        .values({
          tenant_id: tenantId,
          id,
          kind,
          name: clean(name),
          address: sealed,
          address_end: clean(addressEnd),
          groups: [...groups],
          created_by: clean(createdBy),
          created_at: createdAt,
        })
        .returning('id'),
    );
  },

  /**
   * Changes name or groups, and adds the audit event; null when it does not exist. Errors of `eventOf` are rethrown,
   * and nothing is changed.
   */
  changeWebhookTarget: (
    work: TenantWork,
    id: string,
    change: Partial<Pick<WebhookTarget, 'name' | 'groups'>>,
    eventOf: (before: WebhookTarget, after: WebhookTarget) => NewAuditEvent,
  ): Promise<WebhookTarget | null> =>
    changeOwned(
      list,
      work,
      id,
      (before) => eventOf(before, { ...before, ...change }),
      (before) => {
        const { name, groups } = { ...before, ...change };
        return work.tx
          .updateTable('webhook_targets')
          .set({ name: clean(name), groups: [...groups] })
          .where('tenant_id', '=', work.tenantId)
          .where('id', '=', id)
          .execute();
      },
    ),

  /** Deletes a target with its waiting messages, and adds the audit event; null when it does not exist. */
  removeWebhookTarget: (work: TenantWork, id: string, eventOf: EventOf<WebhookTarget>): Promise<WebhookTarget | null> =>
    removeOwned(list, work, id, eventOf),

  /** Returns a target with its secret address; null when it does not exist. */
  openWebhookTarget: async (
    { tx, tenantId, vault }: TenantWork,
    id: string,
  ): Promise<(WebhookTarget & { readonly address: string }) | null> => {
    if (!isId(id)) return null;
    const row = await tx
      .selectFrom('webhook_targets')
      .select([...columns, ownerOf('webhook_targets'), 'address'])
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined) return null;
    return { ...row, address: await secretsOf(tx, vault, tenantId).open(addressField(id), row.address) };
  },

  /** Records the result of a delivery: `error` is null after a success. */
  noteDelivery: async ({ tx, tenantId }: TenantWork, id: string, at: Instant, error: string | null): Promise<void> => {
    await tx
      .updateTable('webhook_targets')
      .set({ error, ...(error === null ? { delivered_at: at } : { failed_at: at }) })
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .execute();
  },

  /** Records that a message was delivered or dropped, and deletes its content. */
  endWebhook: async ({ tx, tenantId }: TenantWork, id: string, at: Instant): Promise<void> => {
    await change(tx, tenantId, id).set({ ended_at: at, payload: 'null' }).execute();
  },

  /** Schedules another try. @param mayBePosted see {@link TakenWebhook.mayBePosted} */
  retryWebhook: async ({ tx, tenantId }: TenantWork, id: string, at: Instant, mayBePosted: boolean): Promise<void> => {
    // It stays taken, like a message whose worker died.
    await change(tx, tenantId, id)
      .set({ next_try_at: at, ...(!mayBePosted && { taken_at: null }) })
      .execute();
  },

  /**
   * Takes the message that has waited longest, for this caller alone; null when none is due. A message whose sender
   * died is taken again.
   */
  takeWebhook: async ({ tx, tenantId }: TenantWork, now: Instant): Promise<TakenWebhook | null> => {
    // Not `in (select …)`: PostgreSQL may run the subquery several times, and each time would take another row.
    const { rows } = await sql<Omit<TakenWebhook, 'payload'> & { payload: WebhookPayload | null }>`
      with due as materialized (
        select tenant_id, id, taken_at is not null as may_be_posted from outgoing_webhooks
         where tenant_id = ${tenantId} and ${isDue(now)}
         order by next_try_at limit 1 for update skip locked)
      update outgoing_webhooks o set taken_at = ${now}, tries = tries + 1 from due
       where o.tenant_id = due.tenant_id and o.id = due.id
      returning o.id, o.target_id as "targetId", o.payload, o.tries, due.may_be_posted as "mayBePosted"`.execute(tx);
    const [row] = rows;
    return row === undefined ? null : toTaken(row);
  },
};

const isDue = (now: Instant) => sql<boolean>`ended_at is null and next_try_at <= ${now}
  and (taken_at is null or taken_at < ${addSeconds(now, -lostAfterSeconds)}) and tenant_id not in ${movedTenants}`;

const change = (tx: Tx, tenantId: string, id: string) =>
  tx.updateTable('outgoing_webhooks').where('tenant_id', '=', tenantId).where('id', '=', id);

/** Adds a message for each target that gets this group, in the transaction of the event. */
export async function insertWebhooks(
  tx: Tx,
  tenantId: string,
  group: NoticeGroup,
  payload: WebhookPayload,
  at: Instant,
): Promise<void> {
  await sql`
    insert into outgoing_webhooks (tenant_id, target_id, payload, created_at, next_try_at)
    select tenant_id, id, ${toJson(payload)}, ${at}, ${at}
      from webhook_targets where tenant_id = ${tenantId} and ${group} = any (groups)`.execute(tx);
}

/** Finds messages across clients. */
export const webhookOutbox = {
  /** Returns clients with messages that are due. */
  tenantsWithChatMessages: async ({ tx }: RootWork, now: Instant, limit: number): Promise<readonly string[]> => {
    const { rows } = await sql<{ id: string }>`
      select distinct tenant_id as id from outgoing_webhooks where ${isDue(now)} limit ${limit}`.execute(tx);
    return rows.map(({ id }) => id);
  },
};

/** A message that has not ended has its content. */
function toTaken({
  payload,
  ...row
}: Omit<TakenWebhook, 'payload'> & { payload: WebhookPayload | null }): TakenWebhook {
  if (payload === null) throw new Error('a waiting message has no content');
  return { ...row, payload };
}
