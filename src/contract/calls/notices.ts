import type { Call } from '../define.ts';
import type * as routes from '../notices.ts';

export const listNotices: Call<typeof routes.listNotices> = { method: 'GET', path: '/api/my/notices' };
export const readNotice: Call<typeof routes.readNotice> = { method: 'POST', path: '/api/my/notices/:id/read' };
export const readAllNotices: Call<typeof routes.readAllNotices> = { method: 'POST', path: '/api/my/notices/read-all' };
export const readNoticePreferences: Call<typeof routes.readNoticePreferences> = {
  method: 'GET',
  path: '/api/my/notice-preferences',
};
export const saveNoticePreferences: Call<typeof routes.saveNoticePreferences> = {
  method: 'PUT',
  path: '/api/my/notice-preferences',
};
