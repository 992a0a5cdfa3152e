import { type StoreFailure, StoreUnavailable } from '#core/records/unavailable.ts';

/** The database cannot be reached, started or used; the message is one sentence for the operator. */
export class DatabaseUnavailable extends StoreUnavailable {
  constructor(message: string, options?: { readonly cause?: unknown; readonly failure?: StoreFailure }) {
    super(message, options);
    this.name = 'DatabaseUnavailable';
  }
}

/** Another version of the program created the database, or a migration failed; nothing was changed. */
export class SchemaMismatch extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'SchemaMismatch';
  }
}

/** A backup cannot be written or restored; the message is one sentence for the operator. */
export class BackupUnusable extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'BackupUnusable';
  }
}

/** Secrets were sealed with a SECRET_KEY that is not set. The message names them, what is unaffected and what to do. */
export class SecretKeyLost extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SecretKeyLost';
  }
}

/** The data folder cannot be used: not writable, not a folder, or in use by another process. */
export class DataFolderUnusable extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'DataFolderUnusable';
  }
}

/** PostgreSQL's code for a change in a read-only transaction, e.g. after a failover or when a provider stops writes. */
export const readOnly = '25006';

/** Returns the `code` of a system or PostgreSQL error, e.g. `EACCES` or `23505`; empty if there is none. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** Returns the name of the constraint in a PostgreSQL error; empty if there is none. */
export const constraintOf = (error: unknown): string =>
  error instanceof Error && 'constraint' in error && typeof error.constraint === 'string' ? error.constraint : '';
