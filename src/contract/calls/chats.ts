import { call } from '../define.ts';
import type * as routes from '../chats.ts';

export const listChats = call<typeof routes.listChats>('GET', '/api/my/webhooks');
export const addChat = call<typeof routes.addChat>('POST', '/api/my/webhooks');
export const changeChat = call<typeof routes.changeChat>('PUT', '/api/my/webhooks/:id');
export const removeChat = call<typeof routes.removeChat>('DELETE', '/api/my/webhooks/:id');
export const testChat = call<typeof routes.testChat>('POST', '/api/my/webhooks/:id/test');
