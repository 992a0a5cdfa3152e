import type { Mail } from '#core/ports/mailer.ts';
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
