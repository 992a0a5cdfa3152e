import { StoreUnavailable, type StoreTrouble } from '#core/ports/unavailable.ts';

/** The database cannot be reached, started or used; the message is one sentence for the person who runs the product. */
export class DatabaseUnavailable extends StoreUnavailable {
  constructor(message: string, options?: { readonly cause?: unknown; readonly trouble?: StoreTrouble }) {
    super(message, options);
    this.name = 'DatabaseUnavailable';
  }
}

/** The database was made by another version of the program, or a migration failed; nothing was changed. */
export class SchemaMismatch extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'SchemaMismatch';
  }
}

/** Secrets were sealed with a SECRET_KEY that is not set; the message says which, what is not touched and what to do. */
export class SecretKeyLost extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SecretKeyLost';
  }
}

/** The data folder cannot be used: not writable, no folder, or in use by another process. */
export class DataFolderUnusable extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'DataFolderUnusable';
  }
}

/** PostgreSQL's code for a change in a read-only transaction: a failover, or a provider that stops writes. */
export const readOnly = '25006';

/** The `code` of a system or PostgreSQL error, e.g. `EACCES` or `23505`; empty when there is none. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** The name of the constraint that a PostgreSQL error is about; empty when it is about none. */
export const constraintOf = (error: unknown): string =>
  error instanceof Error && 'constraint' in error && typeof error.constraint === 'string' ? error.constraint : '';
