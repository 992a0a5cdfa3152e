import type { RootStore } from '#core/ports/store.ts';
import { addSeconds } from '#core/values/dates.ts';
import type { RootScope } from './scope.ts';
import { toJson } from './tables.ts';

const keepSeconds = 7 * 86_400;

export const tickets = ({ inTransaction, clock }: RootScope): Pick<RootStore, 'addTicket' | 'spendTicket'> => ({
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
          .returning(['hash', 'purpose', 'user_id as userId', 'tenant_id as tenantId', 'data', 'ends_at as endsAt'])
          .executeTakeFirst()) ?? null,
    ),
});
