import type { Client } from 'pg';

interface Statement {
  readonly text: string;
  readonly calls: number;
  readonly ms: number;
  readonly walBytes: number;
}

/** Enables the library that counts statements; the server loads it at its start. */
export const countsStatements = `alter system set shared_preload_libraries = 'pg_stat_statements'`;

/** Resets the statement counts; needs a server that was started with {@link countsStatements}. */
export async function forgetStatements(client: Client): Promise<void> {
  await client.query('create extension if not exists pg_stat_statements');
  await client.query('select pg_stat_statements_reset()');
}

/**
 * Prints the SQL statements of a job, the most expensive first: how often per document, and the database time of each.
 */
export async function reportStatements(client: Client, documents: number, maxCount = 45): Promise<void> {
  const { rows } = await client.query<Statement>(`
    select regexp_replace(query, '\\s+', ' ', 'g') as text, calls::float as calls,
           total_exec_time + total_plan_time as ms, wal_bytes::float as "walBytes"
      from pg_stat_statements
     where query not like '%pg_stat%'
     order by 3 desc
  `);
  const sum = (of: (one: Statement) => number): number => rows.reduce((total, one) => total + of(one), 0);
  console.log('calls per document · database ms per document · kB of WAL per document · statement');
  const line = (calls: number, ms: number, walBytes: number, text: string): void => {
    const each = [calls, ms, walBytes / 1_000].map((value) => (value / documents).toFixed(3).padStart(8));
    console.log(`${each.join(' ')}  ${text}`);
  };
  line(
    sum(({ calls }) => calls),
    sum(({ ms }) => ms),
    sum(({ walBytes }) => walBytes),
    'all',
  );
  for (const { calls, ms, walBytes, text } of rows.slice(0, maxCount)) line(calls, ms, walBytes, text.slice(0, 130));
}
