import type { Pool, QueryConfig } from 'pg';

/** Statements that each connection keeps prepared; each keeps some kilobytes of the database's memory. */
const mostPrepared = 100;
/** Uses after which a statement counts as one that comes again: lists of values make many that never do. */
const usesBefore = 3;
/** Texts whose uses are counted; then the counting begins anew. */
const mostCounted = 1_000;
const longestPrepared = 4_000;
/**
 * Statements that are planned anew each time: a plan made for any limit suits none, and whatever takes all columns cannot be
 * repeated once a newer program has added one.
 */
const neverPrepared = /\b(select|returning) (distinct )?("\w+"\.)?\*|\blimit \$/;

/**
 * The statements that come often, by the names under which the connections of one pool keep them prepared: reading and planning
 * them took the database longer than answering.
 */
export class PreparedStatements {
  readonly #names = new Map<string, string>();
  #uses = new Map<string, number>();

  /** The statement with its values, and with its name if it comes often. */
  queryOf(text: string, values: readonly unknown[]): QueryConfig {
    const name = this.#names.get(text) ?? this.#nameFor(text);
    return { text, values: [...values], ...(name === undefined ? {} : { name }) };
  }

  #nameFor(text: string): string | undefined {
    if (this.#names.size >= mostPrepared || text.length > longestPrepared || neverPrepared.test(text)) return undefined;
    const count = (this.#uses.get(text) ?? 0) + 1;
    if (count < usesBefore) {
      if (this.#uses.size >= mostCounted) this.#uses = new Map();
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

/** The statements that come often on the connections of this pool. */
export function preparedStatementsOf(pool: Pool): PreparedStatements {
  const prepared = known.get(pool) ?? new PreparedStatements();
  known.set(pool, prepared);
  return prepared;
}
