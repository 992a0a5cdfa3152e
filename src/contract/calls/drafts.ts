import type { Call } from '../define.ts';
import type * as routes from '../drafts.ts';

export const listDrafts: Call<typeof routes.listDrafts> = { method: 'GET', path: '/api/my/drafts' };
export const readRun: Call<typeof routes.readRun> = { method: 'GET', path: '/api/my/drafts/run' };
export const readDraft: Call<typeof routes.readDraft> = { method: 'GET', path: '/api/my/drafts/:id' };
export const approveDrafts: Call<typeof routes.approveDrafts> = { method: 'POST', path: '/api/my/drafts/approve' };
export const rejectDrafts: Call<typeof routes.rejectDrafts> = { method: 'POST', path: '/api/my/drafts/reject' };
