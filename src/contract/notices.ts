import { z } from 'zod';
import { noticeKinds } from '#core/notices.ts';
import { route } from './define.ts';
import { decimalText, instantText, paging, uuid } from './fields.ts';

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

const own = { roles: ['clientadmin', 'accountant'], client: 'required' } as const;

export const listNotices = route({
  method: 'GET',
  path: '/api/my/notices',
  summary: 'Lists the caller’s notices of the last 30 days, newest first.',
  ...own,
  tenantIds: [],
  query: z.strictObject(paging(20)),
  reply: z.strictObject({ notices: z.array(noticeReply), total: z.int(), unread: z.int() }),
});

export const readNotice = route({
  method: 'POST',
  path: '/api/my/notices/:id/read',
  summary: 'Marks a notice as read.',
  reads: true,
  ...own,
  tenantIds: ['params.id'],
  params: z.strictObject({ id: uuid }),
  reply: z.null(),
});

export const readAllNotices = route({
  method: 'POST',
  path: '/api/my/notices/read-all',
  summary: 'Marks all notices of the caller as read.',
  reads: true,
  ...own,
  tenantIds: [],
  reply: z.strictObject({ marked: z.int().describe('How many were unread.') }),
});
