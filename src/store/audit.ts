import type { AuditEvent, NewAuditEvent, TenantStore } from '#core/ports/store.ts';
import type { Json } from '#core/values/json.ts';
import type { Tx } from './database.ts';
import { offsetOf } from './log.ts';
import type { Scope } from './scope.ts';
import { cleanOrNull, toJson } from './tables.ts';

export const audit = ({ tenantId, inTransaction }: Scope): Pick<TenantStore, 'addAudit' | 'listAudit'> => ({
  addAudit: (event) => inTransaction((tx) => insertAudit(tx, tenantId, event)),

  listAudit: (page) =>
    inTransaction(async (tx) => {
      const events = tx.selectFrom('audit_events').where('tenant_id', '=', tenantId);
      const [rows, counted] = [
        await events
          .selectAll()
          .orderBy('seq', 'desc')
          .limit(offsetOf(page).limit)
          .offset(offsetOf(page).offset)
          .execute(),
        await events.select((select) => select.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
      ];
      return {
        total: counted.total,
        events: rows.map((row): AuditEvent => ({
          id: row.id,
          at: row.at,
          actor: {
            username: row.username,
            ...(row.masquerader === null ? {} : { masquerader: row.masquerader }),
          },
          action: row.action,
          subject: row.subject,
          before: row.before as Json,
          after: row.after as Json,
        })),
      };
    }),
});

/** Adds to the audit trail within the transaction of the change itself. */
export async function insertAudit(tx: Tx, tenantId: string, event: NewAuditEvent): Promise<void> {
  await tx
    .insertInto('audit_events')
    .values({
      tenant_id: tenantId,
      at: event.at,
      username: event.actor.username,
      masquerader: event.actor.masquerader ?? null,
      action: event.action,
      subject: cleanOrNull(event.subject),
      before: toJson(event.before),
      after: toJson(event.after),
    })
    .execute();
}
