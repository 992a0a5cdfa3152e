import { randomUUID } from 'node:crypto';
import type { Chat } from '#core/ports/chats.ts';
import type { Instant } from '#core/values/dates.ts';
import type { NewAuditEvent } from '#core/records/audit.ts';
import { addOwned, changeOwned, ownerOf, removeOwned, type EventOf, type OwnedList } from './owned.ts';
import type { TenantWork } from './scope.ts';
import { secretsOf } from './secrets.ts';
import { clean, isId } from './tables.ts';

/** Name of the sealed field. It contains the id, so that an address opens in its own row only. */
const addressField = (id: string): string => `chats.${id}.address`;

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

const list: OwnedList<Chat> = {
  table: 'chats',
  rowsOf: (tx, which) =>
    tx
      .selectFrom('chats')
      .select([...columns, ownerOf('chats')])
      .where((row) => row.and({ ...which }))
      .orderBy('created_at')
      .orderBy('id'),
};

/** The chats of a client that get notices. */
export const chats = {
  /** Lists all targets, oldest first. */
  listChats: ({ tx, tenantId }: TenantWork): Promise<readonly Chat[]> =>
    list.rowsOf(tx, { tenant_id: tenantId }).execute(),

  /** Adds a target, its address encrypted, and the audit event; see {@link addOwned}. */
  addChat: async (
    work: TenantWork,
    {
      kind,
      name,
      address,
      addressEnd,
      groups,
      createdBy,
      createdAt,
    }: Pick<Chat, 'kind' | 'name' | 'addressEnd' | 'groups' | 'createdBy' | 'createdAt'> & {
      readonly address: string;
    },
    limit: number,
    event: NewAuditEvent,
  ): Promise<Chat | null> => {
    const { tx, tenantId, vault } = work;
    const id = randomUUID();
    const sealed = await secretsOf(tx, vault, tenantId).seal(addressField(id), address);
    return addOwned(list, work, limit, event, () =>
      tx
        .insertInto('chats')
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
  changeChat: (
    work: TenantWork,
    id: string,
    change: Partial<Pick<Chat, 'name' | 'groups'>>,
    eventOf: (before: Chat, after: Chat) => NewAuditEvent,
  ): Promise<Chat | null> =>
    changeOwned(
      list,
      work,
      id,
      (before) => eventOf(before, { ...before, ...change }),
      (before) => {
        const { name, groups } = { ...before, ...change };
        return work.tx
          .updateTable('chats')
          .set({ name: clean(name), groups: [...groups] })
          .where('tenant_id', '=', work.tenantId)
          .where('id', '=', id)
          .execute();
      },
    ),

  /** Deletes a target with its waiting messages, and adds the audit event; null when it does not exist. */
  removeChat: (work: TenantWork, id: string, eventOf: EventOf<Chat>): Promise<Chat | null> =>
    removeOwned(list, work, id, eventOf),

  /** Returns a target with its secret address; null when it does not exist. */
  openChat: async (
    { tx, tenantId, vault }: TenantWork,
    id: string,
  ): Promise<(Chat & { readonly address: string }) | null> => {
    if (!isId(id)) return null;
    const row = await tx
      .selectFrom('chats')
      .select([...columns, ownerOf('chats'), 'address'])
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined) return null;
    return { ...row, address: await secretsOf(tx, vault, tenantId).open(addressField(id), row.address) };
  },

  /** Records the result of a delivery: `error` is null after a success. */
  noteDelivery: async ({ tx, tenantId }: TenantWork, id: string, at: Instant, error: string | null): Promise<void> => {
    await tx
      .updateTable('chats')
      .set({ error, ...(error === null ? { delivered_at: at } : { failed_at: at }) })
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .execute();
  },
};
