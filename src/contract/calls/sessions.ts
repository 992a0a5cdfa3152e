import type { Call } from '../define.ts';
import type * as routes from '../sessions.ts';

export const listSessions: Call<typeof routes.listSessions> = { method: 'GET', path: '/api/my/sessions' };
export const endSession: Call<typeof routes.endSession> = { method: 'DELETE', path: '/api/my/sessions/:id' };
export const endOtherSessions: Call<typeof routes.endOtherSessions> = {
  method: 'POST',
  path: '/api/my/sessions/end-others',
};
