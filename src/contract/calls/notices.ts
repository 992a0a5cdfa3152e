import { call } from '../define.ts';
import type * as routes from '../notices.ts';

export const listNotices = call<typeof routes.listNotices>('GET', '/api/my/notices');
export const readNotice = call<typeof routes.readNotice>('POST', '/api/my/notices/:id/read');
export const readAllNotices = call<typeof routes.readAllNotices>('POST', '/api/my/notices/read-all');
export const readNoticePreferences = call<typeof routes.readNoticePreferences>('GET', '/api/my/notice-preferences');
export const saveNoticePreferences = call<typeof routes.saveNoticePreferences>('PUT', '/api/my/notice-preferences');
