import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { TakenMail } from '#core/records/alerts.ts';
import type { Mail } from '#core/ports/mailer.ts';
import type { Instant } from '#core/values/dates.ts';
import type { Tx } from './database.ts';
import { open, seal, type Vault } from './vault.ts';

/** Name of the sealed field. */
const field = 'account mail';

/** Saves an email, encrypted under a separate key. The caller has already claimed it for sending. */
export async function saveAccountMail(tx: Tx, vault: Vault, mail: Mail, now: Instant): Promise<TakenMail> {
  const id = randomUUID();
  const { to, subject, text, html } = mail;
  const { key, wrapped } = vault.createKey(id);
  await tx
    .insertInto('account_mails')
    .values({
      id,
      key_id: wrapped.id,
      root_key_id: wrapped.rootKeyId,
      wrapped_key: wrapped.wrapped,
      sealed: seal(key, field, JSON.stringify({ to, subject, text, html })),
      created_at: now,
      next_try_at: now,
      tries: 1,
      taken_at: now,
    })
    .execute();
  return { tenantId: null, id, tries: 1, to, subject, text, html };
}

/**
 * Claims the email that has been due the longest.
 *
 * @param stale emails claimed before this time belong to a process that died.
 */
export async function takeAccountMail(tx: Tx, vault: Vault, now: Instant, stale: Instant): Promise<TakenMail | null> {
  // Two processes died while sending it, so the outcome is unknown.
  await tx
    .updateTable('account_mails')
    .set({ ended_at: now, sealed: '' })
    .where('ended_at', 'is', null)
    .where('was_lost', '=', true)
    .where('taken_at', '<', stale)
    .execute();
  const row = await tx
    .updateTable('account_mails')
    .set({ was_lost: sql<boolean>`was_lost or taken_at is not null`, taken_at: now, tries: sql<number>`tries + 1` })
    .where(
      sql<boolean>`id = (
        select id from account_mails
         where ended_at is null and next_try_at <= ${now} and (taken_at is null or taken_at < ${stale})
           and root_key_id in (${sql.join(vault.rootKeyIds)})
         order by next_try_at limit 1 for update skip locked)`,
    )
    .returning(['id', 'key_id', 'root_key_id', 'wrapped_key', 'sealed', 'tries'])
    .executeTakeFirst();
  if (row === undefined) return null;
  const { id, tries, sealed } = row;
  const key = vault.unwrap(id, { id: row.key_id, rootKeyId: row.root_key_id, wrapped: row.wrapped_key });
  return { tenantId: null, id, tries, ...(JSON.parse(open(key, field, sealed)) as Mail) };
}

export async function endAccountMail(tx: Tx, id: string, now: Instant): Promise<void> {
  await tx.updateTable('account_mails').set({ ended_at: now, sealed: '' }).where('id', '=', id).execute();
}

export async function retryAccountMail(tx: Tx, id: string, at: Instant): Promise<void> {
  await tx.updateTable('account_mails').set({ taken_at: null, next_try_at: at }).where('id', '=', id).execute();
}

/** Rewraps the keys of waiting emails with the newest root key. @returns the number of rewrapped keys. */
export async function rotateAccountMails(tx: Tx, vault: Vault): Promise<number> {
  const rows = await tx
    .selectFrom('account_mails')
    .select(['id', 'key_id', 'root_key_id', 'wrapped_key'])
    .where('ended_at', 'is', null)
    .where('root_key_id', 'in', vault.rootKeyIds.slice(1))
    .forUpdate()
    .execute();
  for (const row of rows) {
    const next = vault.rewrap(row.id, { id: row.key_id, rootKeyId: row.root_key_id, wrapped: row.wrapped_key });
    if (next === null) continue;
    await tx
      .updateTable('account_mails')
      .set({ root_key_id: next.rootKeyId, wrapped_key: next.wrapped })
      .where('id', '=', row.id)
      .execute();
  }
  return rows.length;
}
