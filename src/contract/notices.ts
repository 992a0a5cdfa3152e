import { z } from 'zod';
import { channelsOf, noticeChannels, noticeGroups, type NoticeGroup } from '#core/notice-preferences.ts';
import { noticeKinds } from '#core/notices.ts';
import { forUsers, route } from './define.ts';
import { decimalText, instantText, paging, uuid, wasOf } from './fields.ts';

export const noticeReply = z.strictObject({
  id: z.string(),
  kind: z.enum(noticeKinds),
  at: instantText,
  is_read: z.boolean(),
  title: z.string(),
  detail: z.string().nullable(),
  sums: z
    .array(z.strictObject({ currency: z.string().nullable(), amount: decimalText }))
    .describe('Amounts of the documents, by currency.'),
  path: z.string().describe('Path of the screen with the next action.'),
});
export type NoticeReply = z.output<typeof noticeReply>;

const fromGroups = <T>(of: (group: NoticeGroup) => T): Readonly<Record<NoticeGroup, T>> =>
  Object.fromEntries(noticeGroups.map((group) => [group, of(group)])) as Record<NoticeGroup, T>;

export const listNotices = route({
  method: 'GET',
  path: '/api/my/notices',
  summary: 'Lists the caller’s notices of the last 30 days, newest first.',
  ...forUsers,
  query: z.strictObject(paging(20)),
  reply: z.strictObject({ notices: z.array(noticeReply), total: z.int(), unread: z.int() }),
});

export const readNotice = route({
  method: 'POST',
  path: '/api/my/notices/:id/read',
  summary: 'Marks a notice as read.',
  reads: true,
  ...forUsers,
  tenantIds: ['params.id'],
  params: z.strictObject({ id: uuid }),
  reply: z.null(),
});

export const readAllNotices = route({
  method: 'POST',
  path: '/api/my/notices/read-all',
  summary: 'Marks all notices of the caller as read.',
  reads: true,
  ...forUsers,
  reply: z.strictObject({ marked: z.int().describe('How many were unread.') }),
});

const preferencesReply = z.strictObject({
  preferences: z
    .array(
      z.strictObject({
        group: z.enum(noticeGroups),
        channel: z
          .enum(noticeChannels)
          .describe('`app`: on the Notices screen; `email` and `digest` add an email at once, or once a day.'),
      }),
    )
    .describe('The groups of notices that the caller can get.'),
  digest_hour: z.int().describe('Hour of the daily email, 0 to 23, in the time zone of the client.'),
});
export type NoticePreferencesReply = z.output<typeof preferencesReply>;

export const readNoticePreferences = route({
  method: 'GET',
  path: '/api/my/notice-preferences',
  summary: 'Returns how the caller gets each group of notices.',
  ...forUsers,
  reply: preferencesReply,
});

export const saveNoticePreferences = route({
  method: 'PUT',
  path: '/api/my/notice-preferences',
  summary: 'Changes how the caller gets notices. Groups that are not sent are unchanged.',
  ...forUsers,
  body: z.strictObject({
    channels: z.strictObject(fromGroups((group) => z.enum(channelsOf(group)).optional())).optional(),
    digest_hour: z.int().min(0).max(23).optional(),
    was: wasOf([...noticeGroups, 'digest_hour']).optional(),
  }),
  reply: preferencesReply,
});
