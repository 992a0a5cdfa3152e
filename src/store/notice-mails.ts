import { sql } from 'kysely';
import { channelOf, defaultPreferences, digestAt, groupOf, type NoticePreferences } from '#core/notice-preferences.ts';
import { noticeKinds } from '#core/notices.ts';
import type { Instant } from '#core/values/dates.ts';
import type { DueNotices } from '#core/records/notices.ts';
import type { Mail } from '#core/ports/mailer.ts';
import { insertMails } from './outbox.ts';
import type { RootWork, TenantWork } from './scope.ts';
import { toJson } from './tables.ts';

/** How users get notices, and the emails about them. */
export const noticeMails = {
  readNoticePreferences: (work: TenantWork, userId: string): Promise<NoticePreferences> =>
    selectPreferences(work, userId),

  /**
   * Changes the preferences of a user, and moves the waiting notices to the chosen daily email, or to none. No other request changes them between the values that `decide` receives and the
   * save. Its errors are rethrown, and nothing is saved.
   */
  changeNoticePreferences: async (
    work: TenantWork,
    userId: string,
    now: Instant,
    decide: (before: NoticePreferences) => NoticePreferences,
  ): Promise<void> => {
    // A row that does not exist yet cannot be locked.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`notice preferences ${userId}`}, 0))`.execute(work.tx);
    await notePreferences(work, userId, decide(await selectPreferences(work, userId)), now);
  },

  /** Writes the emails that are due about notices, in one transaction. */
  mailNotices: async (
    { tx, tenantId }: TenantWork,
    now: Instant,
    mailsFor: (due: DueNotices) => readonly Mail[],
  ): Promise<void> => {
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

export const noticeMailSearch = {
  /**
   * Lists clients with an administrator, without a live run in progress, and with drafts that wait for approval and are
   * newer than the last notice about drafts, if that is older than `quietSince`.
   */
  tenantsWithNewDrafts: async ({ tx }: RootWork, quietSince: Instant, limit: number): Promise<readonly string[]> => {
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

  /** Lists clients with notices for which an email is due. */
  tenantsWithNoticeMails: async ({ tx }: RootWork, now: Instant, limit: number): Promise<readonly string[]> => {
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

async function notePreferences(
  { tx, tenantId }: TenantWork,
  userId: string,
  { channels, digestHour }: NoticePreferences,
  now: Instant,
): Promise<void> {
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
}

async function selectPreferences({ tx, tenantId }: TenantWork, userId: string): Promise<NoticePreferences> {
  const row = await tx
    .selectFrom('notice_preferences')
    .select(['channels', 'digest_hour as digestHour'])
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row ?? defaultPreferences;
}
