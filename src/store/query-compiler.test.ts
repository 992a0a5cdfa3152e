import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector } from 'kysely';
import { expect, test } from 'vitest';
import { StatementCompiler } from './transactions.ts';

const database = new Kysely<{ jobs: { id: string; total: number } }>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new StatementCompiler(),
  },
});
const conditionOf = (operator: 'in' | 'not in', ids: readonly string[]) =>
  database.selectFrom('jobs').select('id').where('id', operator, ids).compile();

test('an empty list matches nothing, and “not in” an empty list matches everything', () => {
  expect(conditionOf('in', []).sql).toBe('select "id" from "jobs" where false');
  expect(conditionOf('not in', []).sql).toBe('select "id" from "jobs" where true');
});

test('other lists and conditions are unchanged', () => {
  expect(conditionOf('in', ['a', 'b'])).toMatchObject({
    sql: 'select "id" from "jobs" where "id" in ($1, $2)',
    parameters: ['a', 'b'],
  });
  const more = database.selectFrom('jobs').select('id').where('total', '>', 3).compile();
  expect(more).toMatchObject({ sql: 'select "id" from "jobs" where "total" > $1', parameters: [3] });
});
