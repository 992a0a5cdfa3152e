import { sql } from 'kysely';
import { channelOf, defaultPreferences, digestAt, groupOf } from '#core/notice-preferences.ts';
import { noticeKinds } from '#core/notices.ts';
import type { NoticeMailSearch, NoticeMailStore } from '#core/ports/notices.ts';
import { insertMails } from './outgoing-mails.ts';
import type { RootMethods, TenantMethods } from './scope.ts';
import { toJson } from './tables.ts';

export const noticeMails: TenantMethods<NoticeMailStore> = {
  readNoticePreferences: async ({ tx, tenantId }, userId) => {
    const row = await tx
      .selectFrom('notice_preferences')
      .select(['channels', 'digest_hour as digestHour'])
      .where('tenant_id', '=', tenantId)
      .where('user_id', '=', userId)
      .executeTakeFirst();
    return row ?? defaultPreferences;
  },

  saveNoticePreferences: async ({ tx, tenantId }, userId, { channels, digestHour }, now) => {
    const values = { channels: toJson(channels), digest_hour: digestHour };
    await tx
      .insertInto('notice_preferences')
      .values({ tenant_id: tenantId, user_id: userId, ...values })
      .onConflict((conflict) => conflict.columns(['tenant_id', 'user_id']).doUpdateSet(values))
      .execute();
    const { time_zone: timeZone } = await tx
      .selectFrom('tenants')
      .select('time_zone')
      .where('id', '=', tenantId)
      .executeTakeFirstOrThrow();
    const kinds = noticeKinds.filter((kind) => channelOf(groupOf(kind), channels) === 'digest');
    await sql`
      update notices
         set mail_at = case when kind = any (${kinds}::text[]) then ${digestAt(now, digestHour, timeZone)}::timestamptz end
       where tenant_id = ${tenantId} and user_id = ${userId} and channel = 'digest' and mail_at is not null`.execute(
      tx,
    );
  },

  mailNotices: async ({ tx, tenantId }, now, mailsFor) => {
    // Another worker finds the rows without a time and writes no second email.
    const rows = await tx
      .updateTable('notices')
      .set({ mail_at: null })
      .where('tenant_id', '=', tenantId)
      .where('mail_at', '<=', now)
      .returning(['user_id as userId', 'at', 'id', 'channel', 'facts', 'read_at as readAt'])
      .execute();
    const byUser = Map.groupBy(rows, ({ userId }) => userId);
    if (byUser.size === 0) return;
    const users = await tx
      .selectFrom('users')
      .select(['id', 'username'])
      .where('id', 'in', [...byUser.keys()])
      .where('is_active', '=', true)
      .orderBy('username')
      .execute();
    const mails = users.flatMap(({ id, username }) => {
      const own = (byUser.get(id) ?? []).toSorted((a, b) => `${a.at} ${a.id}`.localeCompare(`${b.at} ${b.id}`));
      const single = own.filter(({ channel }) => channel === 'email');
      const digest = own.filter(({ channel, readAt }) => channel === 'digest' && readAt === null);
      return mailsFor({
        username,
        single: single.map(({ facts }) => facts),
        digest: digest.map(({ facts }) => facts),
      });
    });
    await insertMails(tx, tenantId, mails, now);
  },
};

export const noticeMailSearch: RootMethods<NoticeMailSearch> = {
  tenantsWithNewDrafts: async ({ tx }, quietSince, limit) => {
    const { rows } = await sql<{ id: string }>`
      select waiting.tenant_id as id
        from (select tenant_id, max(prepared_at) as newest from drafts where state = 'waiting' group by tenant_id) waiting
        left join lateral (
          select at from notices
           where notices.tenant_id = waiting.tenant_id and kind = 'drafts_waiting' order by at desc limit 1) told on true
       where (told.at is null or (told.at < waiting.newest and told.at <= ${quietSince}))
         and exists (select 1 from users where users.tenant_id = waiting.tenant_id and users.is_active
                      and 'clientadmin' = any (users.roles))
         and not exists (select 1 from jobs where jobs.tenant_id = waiting.tenant_id and jobs.mode = 'live'
                          and jobs.status in ('queued', 'running'))
       order by 1 limit ${limit}`.execute(tx);
    return rows.map(({ id }) => id);
  },

  tenantsWithNoticeMails: async ({ tx }, now, limit) => {
    const rows = await tx
      .selectFrom('notices')
      .select('tenant_id as id')
      .distinct()
      .where('mail_at', '<=', now)
      .orderBy('tenant_id')
      .limit(limit)
      .execute();
    return rows.map(({ id }) => id);
  },
};
