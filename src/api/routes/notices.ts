import type { NoticePreferencesReply } from '#contract/notices.ts';
import { fixed } from '#core/values/decimal.ts';
import { listNotices, readAllNotices, readNotice } from '#flows/notices/notices.ts';
import { readNoticePreferences, saveNoticePreferences, type EffectivePreferences } from '#flows/notices/preferences.ts';
import { serve, type Serving } from '../serve.ts';

export function noticeRoutes(serving: Serving): void {
  serve(serving, 'listNotices', async ({ context, principal, query }) => {
    const page = { page: query.page, pageSize: query.page_size };
    const { notices, total, unread } = await listNotices(context, principal, page);
    return {
      data: {
        notices: notices.map(({ id, notice, at, isRead, text }) => ({
          id,
          kind: notice.kind,
          at,
          is_read: isRead,
          ...text,
          sums: 'sums' in notice ? notice.sums.map((one) => ({ ...one, amount: fixed(one.amount) })) : [],
        })),
        total,
        unread,
      },
    };
  });

  serve(serving, 'readNotice', async ({ context, principal, params }) => {
    await readNotice(context, principal, params.id);
    return { data: null };
  });

  serve(serving, 'readAllNotices', async ({ context, principal }) => ({
    data: { marked: await readAllNotices(context, principal) },
  }));

  serve(serving, 'readNoticePreferences', async ({ context, principal }) => ({
    data: toReply(await readNoticePreferences(context, principal)),
  }));

  serve(serving, 'saveNoticePreferences', async ({ context, principal, body }) => {
    const { channels = {}, digest_hour: digestHour, was } = body;
    return { data: toReply(await saveNoticePreferences(context, principal, { channels, digestHour }, was)) };
  });
}

const toReply = ({ channels, digestHour }: EffectivePreferences): NoticePreferencesReply => ({
  preferences: [...channels].map(([group, channel]) => ({ group, channel })),
  digest_hour: digestHour,
});
