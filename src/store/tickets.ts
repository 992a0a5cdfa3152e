import type { Ticket, TicketStore } from '#core/ports/tickets.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import type { Tx } from './database.ts';
import type { RootScope } from './scope.ts';
import { toJson } from './tables.ts';

const keepSeconds = 7 * 86_400;

const columns = ['hash', 'purpose', 'user_id as userId', 'tenant_id as tenantId', 'data', 'ends_at as endsAt'] as const;

export const tickets = ({ inTransaction, clock }: RootScope): TicketStore => ({
  addTicket: (ticket) =>
    inTransaction(async (tx) => {
      await tx.deleteFrom('tickets').where('ends_at', '<', addSeconds(clock.now(), -keepSeconds)).execute();
      await tx
        .insertInto('tickets')
        .values({
          hash: ticket.hash,
          purpose: ticket.purpose,
          user_id: ticket.userId,
          tenant_id: ticket.tenantId,
          data: toJson(ticket.data),
          ends_at: ticket.endsAt,
        })
        .execute();
    }),

  readTicket: (hash, purpose, now) =>
    inTransaction(
      async (tx) =>
        (await tx
          .selectFrom('tickets')
          .select(columns)
          .where('hash', '=', hash)
          .where('purpose', '=', purpose)
          .where('spent_at', 'is', null)
          .where('ends_at', '>', now)
          .executeTakeFirst()) ?? null,
    ),

  spendTicket: (hash, purpose, now) =>
    inTransaction(
      async (tx) =>
        (await tx
          .updateTable('tickets')
          .set({ spent_at: now })
          .where('hash', '=', hash)
          .where('purpose', '=', purpose)
          .where('spent_at', 'is', null)
          .where('ends_at', '>', now)
          .returning(columns)
          .executeTakeFirst()) ?? null,
    ),

  spendTicketsOf: (userId, purpose, now) => inTransaction((tx) => spendAll(tx, userId, now, purpose)),
});

/** Spends what is left of a user's tickets, for one purpose or for all, within a transaction that may do more. */
export async function spendAll(tx: Tx, userId: string, now: Instant, purpose?: Ticket['purpose']): Promise<void> {
  const left = tx
    .updateTable('tickets')
    .set({ spent_at: now })
    .where('user_id', '=', userId)
    .where('spent_at', 'is', null);
  await (purpose === undefined ? left : left.where('purpose', '=', purpose)).execute();
}
