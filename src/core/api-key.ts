/** What programs may do with an API key: `read` lists and reads, `sync` also starts and cancels syncs. */
export const apiKeyScopes = ['read', 'sync'] as const;
export type ApiKeyScope = (typeof apiKeyScopes)[number];
