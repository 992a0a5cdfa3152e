import {
  AbortedTransactionError,
  type BinaryOperationNode,
  type CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  DummyDriver,
  OperatorNode,
  PostgresAdapter,
  PostgresDialect,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
  type QueryCompiler,
  type QueryResult,
  Transaction,
} from 'kysely';
import type { QueryResult as Answer, Pool, PoolClient, QueryConfig } from 'pg';
import { codeOf, readOnly } from './errors.ts';
import type { Tables } from './tables.ts';
import { oncePer } from '#core/values/once-per.ts';

/** Compiles statements. An empty list of values, which PostgreSQL cannot express, matches no row. */
export class StatementCompiler extends PostgresQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { operator, rightOperand } = node;
    const isEmpty = PrimitiveValueListNode.is(rightOperand) && rightOperand.values.length === 0;
    if (isEmpty && OperatorNode.is(operator) && operator.operator === 'in') this.append('false');
    else if (isEmpty && OperatorNode.is(operator) && operator.operator === 'not in') this.append('true');
    else super.visitBinaryOperation(node);
  }
}

/** PostgreSQL, with statements as {@link StatementCompiler} writes them. */
class StatementDialect extends PostgresDialect {
  override createQueryCompiler(): QueryCompiler {
    return new StatementCompiler();
  }
}

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
class PreparedStatements {
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

/** Returns the frequent statements of this pool's connections. */
const preparedStatementsOf = oncePer<Pool, PreparedStatements>(() => new PreparedStatements());

const adapter = new PostgresAdapter();
const compiler = new StatementCompiler();
/** The statement that binds a transaction, before any other. */
interface Opening {
  readonly text: string;
  readonly values: readonly string[];
}

const changing: readonly string[] = ['INSERT', 'UPDATE', 'DELETE', 'MERGE'];

/**
 * Runs one transaction. With Kysely's own driver the median of 300 screen calls a second was 358 ms instead of 8 ms.
 *
 * Its opening statements are sent with its first statement, so a read costs two round trips: that
 * and the commit. Parallel statements are sent with them, without waiting for one another, and the database runs them
 * in that order.
 *
 * @param pool its connections send without waiting (`pipeline`).
 * @param opening binds the transaction. Its values are sent as parameters, because every session of the same login can
 *   read the text of a statement. If it fails, the first statement fails with the same error, and the database refuses
 *   all statements sent after it.
 */
export async function inTransactionOf<T>(
  pool: Pool,
  opening: Opening,
  use: (tx: Transaction<Tables>) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  const connection = new OpeningConnection(client, opening, preparedStatementsOf(pool));
  let isBroken = false;
  try {
    const result = await use(transactionOn(pool, connection));
    await connection.end('commit');
    return result;
  } catch (error) {
    // A session that has become read-only stays so after a failover; a new connection may reach a writable server.
    isBroken = codeOf(error) === readOnly;
    await connection.end('rollback').catch(() => (isBroken = true));
    throw error;
  } finally {
    client.release(isBroken);
  }
}

function transactionOn(pool: Pool, connection: DatabaseConnection): Transaction<Tables> {
  const dialect = new StatementDialect({ pool });
  const executor = new DefaultQueryExecutor(compiler, adapter, {
    provideConnection: (consumer) => consumer(connection),
  });
  return new Transaction<Tables>({ config: { dialect }, dialect, driver: new DummyDriver(), executor });
}

/** A connection whose transaction begins with its first statement. */
class OpeningConnection implements DatabaseConnection {
  readonly #client: PoolClient;
  readonly #opening: Opening;
  readonly #prepared: PreparedStatements;
  #opened: Promise<unknown> | null = null;
  #isOver = false;
  #isHeldBack = false;

  constructor(client: PoolClient, opening: Opening, prepared: PreparedStatements) {
    this.#client = client;
    this.#opening = opening;
    this.#prepared = prepared;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#isOver) throw new Error('Impossible: a statement after the end of its transaction');
    const { command, rowCount, rows } = await this.#send(sql, parameters);
    return {
      ...(changing.includes(command) ? { numAffectedRows: BigInt(rowCount ?? 0) } : {}),
      rows: rows as R[],
    };
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('Impossible: nothing reads as a stream');
  }

  /** Ends the transaction, if one was begun. @throws AbortedTransactionError if the commit did not succeed. */
  async end(how: 'commit' | 'rollback'): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = how === 'rollback';
    if (this.#opened === null) return;
    const { command } = await this.#client.query(how);
    this.#isOver = true;
    if (how === 'commit' && command === 'ROLLBACK') throw new AbortedTransactionError();
  }

  async #send(sql: string, parameters: readonly unknown[]): Promise<Answer> {
    this.#holdBack();
    const answer =
      this.#opened === null
        ? this.#begin(sql, parameters)
        : this.#client.query(this.#prepared.queryOf(sql, parameters));
    try {
      return await answer;
    } catch (error) {
      // If the opening failed, its error is the cause, so it is thrown instead.
      await this.#opened;
      throw error;
    }
  }

  /** Sends the opening and the first statement. */
  #begin(sql: string, parameters: readonly unknown[]): Promise<Answer> {
    const { text, values } = this.#opening;
    const started = this.#client.query('begin');
    this.#opened = this.#client.query(this.#prepared.queryOf(text, values));
    // If `begin` fails, the statements after it fail as well, so its error needs no handling here.
    started.catch(() => undefined);
    // The statements after it report its failure, because the database refuses each of them.
    this.#opened.catch(() => undefined);
    return this.#client.query(this.#prepared.queryOf(sql, parameters));
  }

  /** Sends all statements of this turn in one write, because each write to the socket is a system call. */
  #holdBack(): void {
    if (this.#isHeldBack) return;
    const { stream } = (this.#client as unknown as { readonly connection: { readonly stream: Corkable } }).connection;
    this.#isHeldBack = true;
    stream.cork();
    process.nextTick(() => {
      this.#isHeldBack = false;
      stream.uncork();
    });
  }
}

/** The part of a socket that buffers writes and sends them at once. */
interface Corkable {
  cork(): void;
  uncork(): void;
}
