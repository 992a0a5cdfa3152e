import type { Pool, QueryConfig } from 'pg';

/** Maximum prepared statements per connection; each takes a few kilobytes of the database's memory. */
const maxPrepared = 100;
/** Uses after which a statement counts as frequent: value lists produce many statements that never repeat. */
const usesBefore = 3;
/** Maximum number of statements whose uses are counted; beyond it, counting starts again. */
const maxCounted = 1_000;
const maxPreparedLength = 4_000;
/**
 * Statements that are always planned again: a plan for any limit fits none, and a statement that selects all columns
 * fails after a newer program adds a column.
 */
const neverPrepared = /\b(select|returning) (distinct )?("\w+"\.)?\*|\blimit \$/;

/**
 * Names of the frequent statements that each connection of a pool keeps prepared: parsing and planning them took longer
 * than running them.
 */
export class PreparedStatements {
  readonly #names = new Map<string, string>();
  #uses = new Map<string, number>();

  /** Returns the statement with its values, and with a name if it is frequent. */
  queryOf(text: string, values: readonly unknown[]): QueryConfig {
    const name = this.#names.get(text) ?? this.#nameFor(text);
    return { text, values: [...values], ...(name === undefined ? {} : { name }) };
  }

  #nameFor(text: string): string | undefined {
    if (this.#names.size >= maxPrepared || text.length > maxPreparedLength || neverPrepared.test(text))
      return undefined;
    const count = (this.#uses.get(text) ?? 0) + 1;
    if (count < usesBefore) {
      if (this.#uses.size >= maxCounted) this.#uses = new Map();
      this.#uses.set(text, count);
      return undefined;
    }
    this.#uses.delete(text);
    const name = `prepared_${this.#names.size + 1}`;
    this.#names.set(text, name);
    return name;
  }
}

const known = new WeakMap<Pool, PreparedStatements>();

/** Returns the frequent statements of this pool's connections. */
export function preparedStatementsOf(pool: Pool): PreparedStatements {
  const prepared = known.get(pool) ?? new PreparedStatements();
  known.set(pool, prepared);
  return prepared;
}
