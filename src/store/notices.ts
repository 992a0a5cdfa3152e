import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { channelOf, defaultPreferences, digestAt, groupOf, type ChosenChannels } from '#core/notice-preferences.ts';
import type { NewNotice, StoredNotice } from '#core/records/notices.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import type { NewAuditEvent } from '#core/records/audit.ts';
import type { Page } from '#core/records/page.ts';
import { insertAudit } from './audit.ts';
import { insertChatMessages, insertMails } from './outbox.ts';
import type { Tx } from './database.ts';
import { offsetOf } from './log.ts';
import type { RootWork, TenantWork } from './scope.ts';
import { isId, toJson } from './tables.ts';

/** Maximum notices of a user; older ones are removed. */
const maxNotices = 500;

/** Notices to the users of a tenant. */
export const notices = {
  /** Saves notices for their users; each user keeps the newest 500. */
  addNotices: ({ tx, tenantId }: TenantWork, added: readonly NewNotice[]): Promise<void> =>
    insertNotices(tx, tenantId, added),

  /**
   * Asks users to do something: adds the notice and the audit event in one transaction. Skips users with a notice of the
   * same kind and month in the last `quietSeconds`.
   *
   * @returns the user names of those who were asked, sorted.
   */
  askUsers: async (
    { tx, tenantId }: TenantWork,
    {
      notice,
      quietSeconds,
      event,
    }: {
      readonly notice: NewNotice;
      readonly quietSeconds: number;
      readonly event: Omit<NewAuditEvent, 'after'>;
    },
  ): Promise<readonly string[]> => {
    // Concurrent requests wait for one another, so that no user is asked twice.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`requests ${tenantId}`}, 0))`.execute(tx);
    const month = 'month' in notice.notice ? notice.notice.month : null;
    const { rows } = await sql<{ username: string }>`
      select username from users
       where tenant_id = ${tenantId} and is_active and roles && ${[...notice.roles]}::text[]
         and username = any (${[...(notice.only ?? [])]}::text[])
         and not exists (
           select 1 from notices
            where tenant_id = ${tenantId} and user_id = users.id and kind = ${notice.notice.kind}
              and facts ->> 'month' is not distinct from ${month}
              and at > ${addSeconds(notice.at, -quietSeconds)})
       order by username`.execute(tx);
    const asked = rows.map(({ username }) => username);
    if (asked.length === 0) return asked;
    await insertNotices(tx, tenantId, [{ ...notice, only: asked }]);
    await insertAudit(tx, tenantId, { ...event, after: { to: asked } });
    return asked;
  },

  /** Lists the notices of a user, newest first. */
  listNotices: async (
    { tx, tenantId }: TenantWork,
    userId: string,
    page: Page,
  ): Promise<{ readonly notices: readonly StoredNotice[]; readonly total: number; readonly unread: number }> => {
    const own = tx
      .selectFrom('notices')
      .where('tenant_id', '=', tenantId)
      .where('user_id', '=', userId)
      .where('channel', '<>', 'off');
    const { limit, offset } = offsetOf(page);
    const rows = await own
      .select(['id', 'at', 'facts', 'read_at as readAt'])
      .orderBy('at', 'desc')
      .orderBy('id')
      .limit(limit)
      .offset(offset)
      .execute();
    const { total, unread } = await own
      .select((of) => [
        of.fn.countAll<number>().as('total'),
        of.fn.countAll<number>().filterWhere('read_at', 'is', null).as('unread'),
      ])
      .executeTakeFirstOrThrow();
    return {
      notices: rows.map(({ id, at, facts, readAt }) => ({ id, at, notice: facts, isRead: readAt !== null })),
      total,
      unread,
    };
  },

  /** Marks one notice of a user as read; false when the user does not have it. */
  markNoticeRead: async ({ tx, tenantId }: TenantWork, userId: string, id: string, at: Instant): Promise<boolean> => {
    if (!isId(id)) return false;
    const { numUpdatedRows } = await tx
      .updateTable('notices')
      .set({ read_at: sql<Instant>`coalesce(read_at, ${at})` })
      .where('tenant_id', '=', tenantId)
      .where('user_id', '=', userId)
      .where('id', '=', id)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  },

  /** Marks all notices of a user as read. @returns how many were unread */
  markAllNoticesRead: async ({ tx, tenantId }: TenantWork, userId: string, at: Instant): Promise<number> => {
    const { numUpdatedRows } = await tx
      .updateTable('notices')
      .set({ read_at: at })
      .where('tenant_id', '=', tenantId)
      .where('user_id', '=', userId)
      .where('read_at', 'is', null)
      .executeTakeFirst();
    return Number(numUpdatedRows);
  },
};

/** Adds notices in the transaction of their cause, for each user as the user has chosen. */
export async function insertNotices(tx: Tx, tenantId: string, added: readonly NewNotice[]): Promise<void> {
  for (const one of added) await insertNotice(tx, tenantId, one);
  if (added.length > 0)
    await sql`
      delete from notices where tenant_id = ${tenantId} and id in (
        select id from (
          select id, row_number() over (partition by user_id order by at desc, id) as place
            from notices where tenant_id = ${tenantId}) placed
         where place > ${maxNotices})`.execute(tx);
}

async function insertNotice(tx: Tx, tenantId: string, added: NewNotice): Promise<void> {
  const { notice, at, once, mailTo, isMailedElsewhere } = added;
  const group = groupOf(notice.kind);
  const isRepeated = once !== undefined && (await isSaved(tx, tenantId, once));
  const recipients = (await recipientsOf(tx, tenantId, added)).map((user) => ({
    ...user,
    channel: channelOf(group, user.channels ?? {}, isMailedElsewhere),
  }));
  if (recipients.length === 0) return;
  const inserted = await tx
    .insertInto('notices')
    .values(
      recipients.map(({ id, channel, digestHour, timeZone }) => ({
        tenant_id: tenantId,
        user_id: id,
        kind: notice.kind,
        at,
        facts: toJson(notice),
        once: once ?? randomUUID(),
        channel,
        mail_at:
          channel === 'digest'
            ? digestAt(at, digestHour ?? defaultPreferences.digestHour, timeZone)
            : channel === 'email' && mailTo === undefined
              ? at
              : null,
        // A hidden notice is never unread.
        read_at: channel === 'off' ? at : null,
      })),
    )
    .onConflict((conflict) => conflict.columns(['tenant_id', 'user_id', 'once']).doNothing())
    .returning('user_id as userId')
    .execute();
  if (inserted.length > 0 && !isRepeated) await insertChatMessages(tx, tenantId, group, notice, at);
  if (mailTo === undefined) return;
  const isNew = new Set(inserted.map(({ userId }) => userId));
  const mails = recipients.flatMap(({ id, username, channel }) =>
    channel === 'email' && isNew.has(id) ? (mailTo(username) ?? []) : [],
  );
  await insertMails(tx, tenantId, mails, at);
}

/** Whether a user has the notice already; another one gets it later, for example a new administrator. */
async function isSaved(tx: Tx, tenantId: string, once: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from notices where tenant_id = ${tenantId} and once = ${once} limit 1`.execute(tx);
  return rows.length > 0;
}

/** A user who gets a notice, with the user's preferences; null without saved ones. */
interface NoticeRecipient {
  readonly id: string;
  readonly username: string;
  readonly channels: ChosenChannels | null;
  readonly digestHour: number | null;
  readonly timeZone: string;
}

async function recipientsOf(
  tx: Tx,
  tenantId: string,
  { roles, only, except }: NewNotice,
): Promise<readonly NoticeRecipient[]> {
  const { rows } = await sql<NoticeRecipient>`
    select users.id, users.username, chosen.channels, chosen.digest_hour as "digestHour", tenants.time_zone as "timeZone"
      from users
      join tenants on tenants.id = users.tenant_id
      left join notice_preferences chosen on chosen.tenant_id = users.tenant_id and chosen.user_id = users.id
     where users.tenant_id = ${tenantId} and users.is_active and users.roles && ${[...roles]}::text[]
       and (${only ?? null}::text[] is null or users.username = any (${only ?? null}::text[]))
       and users.username is distinct from ${except ?? null}
     order by users.username`.execute(tx);
  return rows;
}

/** Finds clients that need a notice. */
export const noticeSearch = {
  /** Lists clients with a connection or an API key that expires within the limits, and an administrator without notice of it. */
  tenantsWithEndings: async (
    { tx }: RootWork,
    now: Instant,
    before: { readonly consent: Instant; readonly apiKey: Instant },
    limit: number,
  ): Promise<readonly string[]> => {
    const { rows } = await sql<{ id: string }>`
      select distinct ending.tenant_id as id
        from (
          select tenant_id, ends_at, 'connection ends ' || to_char(ends_at at time zone 'UTC', 'YYYY-MM-DD') as once
            from (select tenant_id, consent_ends_at as ends_at from connections
                   where status = 'active' and consent_ends_at < ${before.consent}) consents
          union all
          select tenant_id, ends_at, 'api key ends ' || id from api_keys where ends_at < ${before.apiKey}
        ) ending
        join users on users.tenant_id = ending.tenant_id and users.is_active and 'clientadmin' = any (users.roles)
       where ending.ends_at > ${now}
         and not exists (select 1 from notices
                          where notices.tenant_id = ending.tenant_id and notices.user_id = users.id
                            and notices.once = ending.once)
       order by 1 limit ${limit}`.execute(tx);
    return rows.map(({ id }) => id);
  },
};
