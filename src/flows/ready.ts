import type { App } from './context.ts';

/** Returns whether the database responds, accepts writes and is migrated, so that requests can be served. */
export const isReady = (app: App): Promise<boolean> => app.store.ready().catch(() => false);
