import { sql } from 'kysely';
import { type CountedUnexpected, maxUnexpected, type StoredUnexpected } from '#core/records/unexpected-answers.ts';
import type { Instant } from '#core/values/dates.ts';
import type { RootWork } from './scope.ts';
import { clean } from './tables.ts';

/** Answers of the services that contradict a fact, of the whole deployment. */
export const unexpectedAnswers = {
  /** Adds counts. An answer that is not stored yet is dropped if there are too many already. */
  addUnexpected: async ({ tx }: RootWork, answers: readonly CountedUnexpected[], now: Instant): Promise<void> => {
    // Processes that add the same answers at once take the rows in the same order.
    const sorted = answers.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    for (const { count, ...one } of sorted) {
      const { numUpdatedRows } = await tx
        .updateTable('unexpected_answers')
        .set({ count: sql<number>`count + ${count}::bigint`, last_at: now })
        .where('service', '=', one.service)
        .where('kind', '=', one.kind)
        .where('fact', '=', one.fact)
        .where('name', '=', clean(one.name))
        .executeTakeFirstOrThrow();
      if (numUpdatedRows > 0n) continue;
      const { stored } = await tx
        .selectFrom('unexpected_answers')
        .select(({ fn }) => fn.countAll<number>().as('stored'))
        .executeTakeFirstOrThrow();
      if (stored >= maxUnexpected) continue;
      await tx
        .insertInto('unexpected_answers')
        .values({ ...one, name: clean(one.name), shape: clean(one.shape), count, first_at: now, last_at: now })
        .onConflict((conflict) =>
          conflict
            .columns(['service', 'kind', 'fact', 'name'])
            .doUpdateSet({ count: sql<number>`unexpected_answers.count + excluded.count`, last_at: now }),
        )
        .execute();
    }
  },

  /** Newest first. */
  listUnexpected: ({ tx }: RootWork): Promise<readonly StoredUnexpected[]> =>
    tx
      .selectFrom('unexpected_answers')
      .select([
        'service',
        'kind',
        'fact',
        'name',
        'operation',
        'shape',
        'count',
        'first_at as firstAt',
        'last_at as lastAt',
      ])
      .orderBy('last_at', 'desc')
      .orderBy('name')
      .limit(maxUnexpected)
      .execute(),
};

const keyOf = ({ service, kind, fact, name }: CountedUnexpected): string => [service, kind, fact, name].join(' ');
