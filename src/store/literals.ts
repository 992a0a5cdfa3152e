import { sql, type RawBuilder } from 'kysely';
import { assert } from '#core/values/assert.ts';

/**
 * Writes an integer or a boolean into the text of a statement, for values that PostgreSQL must know when it plans: the
 * condition of a partial index, or a row limit. All other values are sent as parameters.
 *
 * @throws Error for any other type at run time.
 */
export function literal<T extends number | boolean>(value: T): RawBuilder<T> {
  assert(typeof value === 'boolean' || Number.isSafeInteger(value), 'a literal is a whole number or a truth value');
  return sql.lit(value);
}
