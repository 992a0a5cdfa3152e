import { call } from '../define.ts';
import type * as routes from '../drafts.ts';

export const listDrafts = call<typeof routes.listDrafts>('GET', '/api/my/drafts');
export const readRun = call<typeof routes.readRun>('GET', '/api/my/drafts/run');
export const readDraft = call<typeof routes.readDraft>('GET', '/api/my/drafts/:id');
export const approveDrafts = call<typeof routes.approveDrafts>('POST', '/api/my/drafts/approve');
export const rejectDrafts = call<typeof routes.rejectDrafts>('POST', '/api/my/drafts/reject');
