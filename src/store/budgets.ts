import { sql } from 'kysely';
import type { Budget } from '#core/ports/budget.ts';
import type { Clock } from '#core/ports/clock.ts';
import { addSeconds, epochMs } from '#core/values/dates.ts';
import type { Database } from './database.ts';

/**
 * The published limits of the services, counted in the database by all workers together. Windows slide: no stretch of
 * a window's length, wherever it begins, holds more calls than allowed (the price is 1/60 of the length).
 *
 * @param options.clock decides what “now” is; in production it follows the database.
 */
export function createBudget({ database, clock }: { readonly database: Database; readonly clock: Clock }): Budget {
  return {
    take: (windows) =>
      database.acrossTenants(async (tx) => {
        const keys = windows.map((window) => window.key);
        const calls = windows.map((window) => window.calls);
        const lengths = windows.map((window) => Math.round(window.perSeconds * 1_000));
        const { rows } = await sql<{ wait: number }>`
          select take_budget(${keys}::text[], ${calls}::integer[], ${lengths}::bigint[], ${epochMs(clock.now())}::bigint) as wait
        `.execute(tx);
        return rows[0]?.wait ?? 0;
      }),

    async pause(key, milliseconds) {
      const until = addSeconds(clock.now(), milliseconds / 1_000);
      await database.acrossTenants((tx) =>
        sql`
          insert into budgets as b (key, paused_until) values (${key}, ${until})
          on conflict (key) do update set paused_until = greatest(b.paused_until, excluded.paused_until)
        `.execute(tx),
      );
    },
  };
}
