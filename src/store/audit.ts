import { sql } from 'kysely';
import type { AuditEvent, AuditFilter, AuditPage, NewAuditEvent } from '#core/records/audit.ts';
import type { Json } from '#core/values/json.ts';
import type { Tx } from './database.ts';
import { offsetOf } from './log.ts';
import type { TenantWork } from './scope.ts';
import { clean, cleanOrNull, toJson } from './tables.ts';

/** Audit events: every change, with its actor. */
export const audit = {
  addAudit: ({ tx, tenantId }: TenantWork, event: NewAuditEvent): Promise<void> => insertAudit(tx, tenantId, event),

  listAudit: ({ tx, tenantId }: TenantWork, filter: AuditFilter): Promise<AuditPage> =>
    selectAudit(tx, tenantId, filter),
};

/** Maximum number of events counted; beyond it, the response only reports that more exist. */
const countedUpTo = 10_000;

/** Returns events, newest first. Runs within a transaction, so that a change can depend on earlier events. */
export async function selectAudit(
  tx: Tx,
  tenantId: string,
  { text = '', person = '', actions, subject, ...page }: AuditFilter,
): Promise<AuditPage> {
  const [wanted, who] = [pattern(text), pattern(person)];
  const events = tx
    .selectFrom('audit_events')
    .where('tenant_id', '=', tenantId)
    .$if(actions !== undefined, (query) => query.where('action', 'in', [...(actions ?? [])]))
    .$if(subject !== undefined, (query) => query.where('subject', '=', subject ?? ''))
    .$if(wanted !== null, (query) =>
      query.where(
        sql<boolean>`(replace(action, '_', ' ') || ' ' || coalesce(subject, '') || ' ' || before::text || ' ' || after::text) ilike ${wanted}`,
      ),
    )
    .$if(who !== null, (query) =>
      query.where(sql<boolean>`(username || ' ' || coalesce(masquerader, '')) ilike ${who}`),
    );
  const [rows, counted] = [
    await events.selectAll().orderBy('seq', 'desc').limit(offsetOf(page).limit).offset(offsetOf(page).offset).execute(),
    await tx
      .selectFrom(
        events
          .select(sql`1`.as('one'))
          .limit(countedUpTo + 1)
          .as('found'),
      )
      .select((select) => select.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow(),
  ];
  return {
    total: Math.min(counted.total, countedUpTo),
    more: counted.total > countedUpTo,
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
}

/** Returns the LIKE pattern that matches the text anywhere; null for empty text. */
const pattern = (text: string): string | null =>
  text.trim() === '' ? null : `%${clean(text.trim()).replace(/[\\%_]/g, '\\$&')}%`;

/** Adds an event to the audit trail, in the transaction of the change. */
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
