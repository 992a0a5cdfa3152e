import {
  HandleEmptyInListsPlugin,
  Kysely,
  PostgresDialect,
  replaceWithNoncontingentExpression,
  type RawBuilder,
  type Transaction,
} from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { codeOf, readOnly } from './errors.ts';
import type { Tables } from './tables.ts';

/**
 * Runs one transaction. Parallel statements run one after another, and none runs after a failure has ended the
 * transaction.
 *
 * @param opening binds the transaction, before any other statement. Its values must be parameters, because every session
 *   of the same login can read the text of a statement.
 * @throws AbortedTransactionError if the database rolled back instead of committing.
 */
export type InTransaction = <T>(
  opening: RawBuilder<unknown>,
  use: (tx: Transaction<Tables>) => Promise<T>,
) => Promise<T>;

/** Milliseconds after a read-only failure during which returned connections are closed: time for its rollback. */
const dropMs = 1_000;

/** Creates the transactions of a pool. An empty list of values matches no row. */
export function transactionsOn(pool: Pool): InTransaction {
  const database = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    plugins: [new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })],
  });
  // A session that has become read-only stays so after a failover; a new connection may reach a writable server.
  let readOnlyAt = Number.NEGATIVE_INFINITY;
  pool.on('release', (_error: Error | undefined, client: PoolClient) => {
    if (performance.now() - readOnlyAt < dropMs) void client.end();
  });
  return async (opening, use) => {
    const tx = await database.startTransaction().execute();
    try {
      await opening.execute(tx);
      const result = await use(tx);
      await tx.commit().execute();
      return result;
    } catch (error) {
      if (codeOf(error) === readOnly) readOnlyAt = performance.now();
      // If it fails, the connection is closed.
      await tx
        .rollback()
        .execute()
        .catch(() => undefined);
      throw error;
    }
  };
}
