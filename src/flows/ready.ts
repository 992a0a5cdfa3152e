import type { App } from './context.ts';

/** Whether the database answers, takes writes and is up to date, so that requests can be served. */
export const isReady = (app: App): Promise<boolean> => app.store.ready().catch(() => false);
