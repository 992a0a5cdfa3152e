/** What programs may do with an API key: `read` lists and reads, `sync` also starts and cancels syncs. */
export const apiKeyScopes = ['read', 'sync'] as const;
export type ApiKeyScope = (typeof apiKeyScopes)[number];

const prefix = 'API key “';

/** Returns the name under which a program appears as the author of changes. User names are email addresses. */
export const programName = (keyName: string): string => `${prefix}${keyName}”`;

/** Whether a program with an API key is the author. */
export const isProgram = ({ username }: { readonly username: string }): boolean => username.startsWith(prefix);

/** Maximum syncs that wait or run at once: of one API key, and of all API keys of a client. */
export const maxProgramJobs = { ofKey: 20, ofClient: 60 } as const;
