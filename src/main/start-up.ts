import {
  BackupUnusable,
  DatabaseUnavailable,
  DataFolderUnusable,
  SchemaMismatch,
  SecretKeyLost,
} from '#store/errors.ts';
import { isConnectionFailure } from '#store/database.ts';
import { ConfigurationError, type Config } from './config.ts';

/** Returns true for errors whose message is one plain sentence for the operator. */
export const isPlain = (error: unknown): error is Error =>
  [BackupUnusable, ConfigurationError, DatabaseUnavailable, DataFolderUnusable, SchemaMismatch, SecretKeyLost].some(
    (kind) => error instanceof kind,
  );

/** Returns the sentence for the operator; null for a programming error, whose stack trace is needed. */
export function sentenceOf(error: unknown): string | null {
  if (isPlain(error)) return error.message;
  return isConnectionFailure(error)
    ? 'The connection to the database was lost: check that it runs, then run this again.'
    : null;
}

/** Prints the step that a start begins, so that a slow one is not silent. In production, the output has only log lines. */
export function printStep({ isDemo, isProduction }: Pick<Config, 'isDemo' | 'isProduction'>, text: string): void {
  if (isDemo || !isProduction) console.log(`  ${text}`);
}
