import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { NoticeGroup } from '#core/notice-preferences.ts';
import type { Notice } from '#core/notices.ts';
import type { Mail } from '#core/ports/mailer.ts';
import type { NewAuditEvent } from '#core/records/audit.ts';
import { mailLane, type TakenMail, type TakenMessage } from '#core/records/outbox.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import type { Tx } from './database.ts';
import type { RootWork } from './scope.ts';
import { clean, movedTenants, type SealedMail, toJson } from './tables.ts';
import { open, seal, type Vault } from './vault.ts';

/** If a process reports no result for a message within this time, it is considered dead: an email can take minutes. */
const lostAfterSeconds = 600;
/** Name of the sealed field; part of the encryption binding, so it is never renamed. */
const field = 'account mail';

/** Name of the root key that opens a sealed email; null for other messages. */
const rootKeyId = sql<string | null>`content -> 'key' ->> 'rootKeyId'`;

/** Emails and chat messages that wait to be sent. */
export const outbox = {
  /**
   * Saves an email about a user's account, encrypted, as already taken by the caller. The caller sends it, then calls
   * `endMessage` or `retryMessage`.
   */
  saveMail: async ({ tx, vault }: RootWork, mail: Mail, now: Instant): Promise<TakenMail> => {
    const id = randomUUID();
    const { to, subject, text, html } = mail;
    const { key, wrapped } = vault.createKey(id);
    const content = { key: wrapped, sealed: seal(key, field, JSON.stringify({ to, subject, text, html })) };
    await tx
      .insertInto('outbox')
      .values({
        id,
        kind: 'mail',
        content: toJson(content),
        created_at: now,
        next_try_at: now,
        tries: 1,
        taken_at: now,
      })
      .execute();
    return { kind: 'mail', tenantId: null, id, tries: 1, mayHaveArrived: false, to, subject, text, html };
  },

  /** Returns lanes with messages that are due. */
  dueLanes: async ({ tx }: RootWork, now: Instant, limit: number): Promise<readonly string[]> => {
    const { rows } = await sql<{ lane: string }>`
      select distinct case kind when 'mail' then ${mailLane} else tenant_id::text end as lane
        from outbox where ${isDue(now)} limit ${limit}`.execute(tx);
    return rows.map(({ lane }) => lane);
  },

  /**
   * Takes the message of a lane that has waited longest, for this caller alone; null when none is due. A message whose
   * sender died is taken once again.
   */
  takeMessage: async ({ tx, vault }: RootWork, lane: string, now: Instant): Promise<TakenMessage | null> => {
    // A second process died while sending this message. The outcome is unknown, so the message is dropped.
    await ending(tx, now)
      .where(isIn(lane))
      .where('ended_at', 'is', null)
      .where('was_lost', '=', true)
      .where('taken_at', '<', lostBefore(now))
      .execute();
    const row = await tx
      .updateTable('outbox')
      .set({ was_lost: sql<boolean>`was_lost or taken_at is not null`, taken_at: now, tries: sql<number>`tries + 1` })
      .where(
        // Not `in`: PostgreSQL may run the subquery several times, and each time would take another row.
        sql<boolean>`id = (
          select id from outbox
           where ${isIn(lane)} and ${isDue(now)}
             and (${rootKeyId} is null or ${rootKeyId} in (${sql.join(vault.rootKeyIds)}))
           order by next_try_at limit 1 for update skip locked)`,
      )
      .returning(['id', 'tenant_id as tenantId', 'tries', 'was_lost as mayHaveArrived', 'content'])
      .executeTakeFirst();
    if (row === undefined) return null;
    const { content, tenantId, ...taken } = row;
    if (content === null) throw new Error('a waiting message has no content');
    if ('notice' in content) return { kind: 'chat', ...taken, ...content };
    return { kind: 'mail', tenantId, ...taken, ...('sealed' in content ? opened(vault, row.id, content) : content) };
  },

  /** Records that a message was sent or will not be retried, and deletes its content. */
  endMessage: async ({ tx }: RootWork, id: string, now: Instant): Promise<void> => {
    await ending(tx, now).where('id', '=', id).execute();
  },

  /** Schedules another try. @param mayHaveArrived see {@link TakenMessage} */
  retryMessage: async ({ tx }: RootWork, id: string, at: Instant, mayHaveArrived: boolean): Promise<void> => {
    await tx
      .updateTable('outbox')
      .set({ taken_at: null, next_try_at: at, was_lost: sql<boolean>`was_lost or ${mayHaveArrived}` })
      .where('id', '=', id)
      .execute();
  },
};

const lostBefore = (now: Instant): Instant => addSeconds(now, -lostAfterSeconds);

const isIn = (lane: string) =>
  lane === mailLane ? sql<boolean>`kind = 'mail'` : sql<boolean>`kind = 'chat' and tenant_id = ${lane}`;

const isDue = (now: Instant) => sql<boolean>`ended_at is null and next_try_at <= ${now}
  and (taken_at is null or taken_at < ${lostBefore(now)}) and (tenant_id is null or tenant_id not in ${movedTenants})`;

const ending = (tx: Tx, now: Instant) => tx.updateTable('outbox').set({ ended_at: now, content: null });

const opened = (vault: Vault, id: string, { key, sealed }: SealedMail): Mail =>
  JSON.parse(open(vault.unwrap(id, key), field, sealed)) as Mail;

/** Adds emails in the transaction of their cause. */
export async function insertMails(tx: Tx, tenantId: string, mails: readonly Mail[], now: Instant): Promise<void> {
  if (mails.length === 0) return;
  await tx
    .insertInto('outbox')
    .values(
      mails.map(({ to, ...mail }) => {
        const [subject, text, html] = [clean(mail.subject), clean(mail.text), clean(mail.html)];
        const content = toJson({ to, subject, text, html });
        return {
          tenant_id: tenantId,
          kind: 'mail',
          recipient: to,
          subject,
          content,
          created_at: now,
          next_try_at: now,
        };
      }),
    )
    .execute();
}

/** Adds a message for each chat that gets this group, in the transaction of the notice. */
export async function insertChatMessages(
  tx: Tx,
  tenantId: string,
  group: NoticeGroup,
  notice: Notice,
  at: Instant,
): Promise<void> {
  await sql`
    insert into outbox (tenant_id, kind, chat_id, content, created_at, next_try_at)
    select tenant_id, 'chat', id, jsonb_build_object('chatId', id, 'notice', ${toJson(notice)}::jsonb), ${at}, ${at}
      from chats where tenant_id = ${tenantId} and ${group} = any (groups)`.execute(tx);
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

/** Rewraps the keys of waiting emails with the newest root key. @returns the number of rewrapped keys. */
export async function rotateOutbox(tx: Tx, vault: Vault): Promise<number> {
  const rows = await tx
    .selectFrom('outbox')
    .select(['id', 'content'])
    .where(rootKeyId, 'in', vault.rootKeyIds.slice(1))
    .forUpdate()
    .execute();
  for (const { id, content } of rows) {
    if (content === null || !('sealed' in content)) continue;
    const key = vault.rewrap(id, content.key);
    if (key === null) continue;
    await tx
      .updateTable('outbox')
      .set({ content: toJson({ ...content, key }) })
      .where('id', '=', id)
      .execute();
  }
  return rows.length;
}
