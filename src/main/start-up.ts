import { DatabaseUnavailable, DataFolderUnusable, SchemaMismatch, SecretKeyLost } from '#store/errors.ts';
import { ConfigurationError } from './config.ts';

/** Errors whose message is one plain sentence for the person at the keyboard. */
export const isPlain = (error: unknown): error is Error =>
  [ConfigurationError, DatabaseUnavailable, DataFolderUnusable, SchemaMismatch, SecretKeyLost].some(
    (kind) => error instanceof kind,
  );
