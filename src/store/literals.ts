import { sql, type RawBuilder } from 'kysely';
import { assert } from '#core/values/assert.ts';

/**
 * A whole number or a truth value as part of the text of a statement, for what the database has to know when it plans: an
 * index of some rows alone, or how many rows are wanted. Everything else travels as a parameter.
 *
 * @throws Error for anything else at run time.
 */
export function literal<T extends number | boolean>(value: T): RawBuilder<T> {
  assert(typeof value === 'boolean' || Number.isSafeInteger(value), 'a literal is a whole number or a truth value');
  return sql.lit(value);
}
