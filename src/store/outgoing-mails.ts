import type { Mail } from '#core/ports/mailer.ts';
import type { NewAuditEvent } from '#core/records/audit.ts';
import type { Instant } from '#core/values/dates.ts';
import type { Tx } from './database.ts';
import { clean } from './tables.ts';

/** Adds emails to the outbox in the transaction of their cause; any worker sends them. */
export async function insertMails(tx: Tx, tenantId: string, mails: readonly Mail[], now: Instant): Promise<void> {
  if (mails.length === 0) return;
  await tx
    .insertInto('outgoing_mails')
    .values(
      mails.map(({ to, subject, text, html }) => ({
        tenant_id: tenantId,
        recipient: to,
        subject: clean(subject),
        body_text: clean(text),
        body_html: clean(html),
        created_at: now,
        next_try_at: now,
      })),
    )
    .execute();
}

/** Returns the emails about a change, from the addresses of the administrators who get one. */
export type MailsTo = (administrators: readonly string[]) => readonly Mail[];

/**
 * Adds emails about a change to the active administrators with a verified address, except the actor, in the transaction
 * of the change.
 */
export async function mailAdministrators(
  tx: Tx,
  tenantId: string,
  { actor, at }: Pick<NewAuditEvent, 'actor' | 'at'>,
  mailsTo: MailsTo,
): Promise<void> {
  const others = await tx
    .selectFrom('users')
    .select('username')
    .where('tenant_id', '=', tenantId)
    .where('is_active', '=', true)
    .where('email_proved_at', 'is not', null)
    .where('username', '!=', actor.username)
    .where((user) => user.eb(user.val('clientadmin'), '=', user.fn.any('roles')))
    .orderBy('username')
    .execute();
  await insertMails(tx, tenantId, mailsTo(others.map(({ username }) => username)), at);
}
