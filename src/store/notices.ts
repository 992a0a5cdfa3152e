import { sql } from 'kysely';
import type { NewNotice, NoticeSearch, NoticeStore } from '#core/ports/notices.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import { insertAudit } from './audit.ts';
import { insertMails } from './outgoing-mails.ts';
import type { Tx } from './database.ts';
import { offsetOf } from './log.ts';
import type { RootScope, Scope } from './scope.ts';
import { isId, toJson } from './tables.ts';

/** Maximum notices of a user; older ones are removed. */
const maxNotices = 500;

export const notices = ({ tenantId, inTransaction }: Scope): NoticeStore => ({
  addNotices: (added) => inTransaction((tx) => insertNotices(tx, tenantId, added)),

  askUsers: ({ notice, quietSeconds, mailTo, event }) =>
    inTransaction(async (tx) => {
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
      await insertMails(tx, tenantId, asked.map(mailTo), notice.at);
      await insertAudit(tx, tenantId, { ...event, after: { to: asked } });
      return asked;
    }),

  listNotices: (userId, page) =>
    inTransaction(async (tx) => {
      const own = tx.selectFrom('notices').where('tenant_id', '=', tenantId).where('user_id', '=', userId);
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
    }),

  markNoticeRead: async (userId, id, at) =>
    isId(id) &&
    inTransaction(async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable('notices')
        .set({ read_at: sql<Instant>`coalesce(read_at, ${at})` })
        .where('tenant_id', '=', tenantId)
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    }),

  markAllNoticesRead: (userId, at) =>
    inTransaction(async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable('notices')
        .set({ read_at: at })
        .where('tenant_id', '=', tenantId)
        .where('user_id', '=', userId)
        .where('read_at', 'is', null)
        .executeTakeFirst();
      return Number(numUpdatedRows);
    }),
});

/** Adds notices in the transaction of their cause. */
export async function insertNotices(tx: Tx, tenantId: string, added: readonly NewNotice[]): Promise<void> {
  for (const { notice, at, roles, only = null, except = null, once = null } of added)
    await sql`
      insert into notices (tenant_id, user_id, kind, at, facts, once)
      select tenant_id, id, ${notice.kind}, ${at}, ${toJson(notice)}, coalesce(${once}, gen_random_uuid()::text)
        from users
       where tenant_id = ${tenantId} and is_active and roles && ${[...roles]}::text[]
         and (${only}::text[] is null or username = any (${only}::text[])) and username is distinct from ${except}
      on conflict (tenant_id, user_id, once) do nothing`.execute(tx);
  if (added.length > 0)
    await sql`
      delete from notices where tenant_id = ${tenantId} and id in (
        select id from (
          select id, row_number() over (partition by user_id order by at desc, id) as place
            from notices where tenant_id = ${tenantId}) placed
         where place > ${maxNotices})`.execute(tx);
}

export const noticeSearch = ({ inTransaction }: RootScope): NoticeSearch => ({
  tenantsWithEndings: (now, before, limit) =>
    inTransaction(async (tx) => {
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
    }),
});
