import { randomUUID } from 'node:crypto';
import type { WebhookTarget } from '#core/ports/webhook-targets.ts';
import type { Instant } from '#core/values/dates.ts';
import type { NewAuditEvent } from '#core/records/audit.ts';
import { addOwned, changeOwned, ownerOf, removeOwned, type EventOf, type OwnedList } from './owned.ts';
import type { TenantWork } from './scope.ts';
import { secretsOf } from './secrets.ts';
import { clean, isId } from './tables.ts';

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
};
