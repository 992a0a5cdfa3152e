import { call } from '../define.ts';
import type * as routes from '../sessions.ts';

export const listSessions = call<typeof routes.listSessions>('GET', '/api/my/sessions');
export const endSession = call<typeof routes.endSession>('DELETE', '/api/my/sessions/:id');
export const endOtherSessions = call<typeof routes.endOtherSessions>('POST', '/api/my/sessions/end-others');
