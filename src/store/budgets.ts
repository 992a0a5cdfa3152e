import { sql } from 'kysely';
import type { Budget } from '#core/ports/budget.ts';
import type { Clock } from '#core/ports/clock.ts';
import { addSeconds, epochMs, type Instant } from '#core/values/dates.ts';
import type { Database } from './database.ts';

/**
 * The published limits of the services, counted in the database by all workers together. Windows slide: no stretch of
 * a window's length, wherever it begins, holds more calls than allowed (the price is 1/60 of the length).
 *
 * Calls at once are counted by rows that whoever calls takes away again; those of a process that died end by themselves.
 *
 * @param options.clock decides what “now” is; in production it follows the database.
 */
export function createBudget({ database, clock }: { readonly database: Database; readonly clock: Clock }): Budget {
  return {
    async take(windows, place) {
      const keys = windows.map((window) => window.key);
      // A call that counts for several needs room for all of them; the function itself counts one.
      const calls = windows.map(({ calls: most, weight = 1 }) => most - weight + 1);
      const lengths = windows.map((window) => Math.round(window.perSeconds * 1_000));
      const now = epochMs(clock.now());
      const counted = sql`${keys}::text[], ${calls}::integer[], ${lengths}::bigint[], ${now}::bigint`;
      const taken =
        place === undefined
          ? sql`take_budget(${counted})`
          : sql`take_budget_and_place(
              ${counted}, ${place.key}::text, ${place.places}::integer, ${place.holder}::text, ${now + place.forMs}::bigint
            )`;
      const asked = sql<{ wait: number }>`select ${taken} as wait`;
      const heavy = windows.filter(({ weight = 1 }) => weight > 1);
      if (heavy.length === 0) return (await database.alone(asked))[0]?.wait ?? 0;
      return database.acrossTenants(async (tx) => {
        const wait = (await asked.execute(tx)).rows[0]?.wait ?? 0;
        if (wait <= 0)
          for (const { key, weight = 1 } of heavy)
            await sql`update budgets set calls[1] = calls[1] + ${weight - 1} where key = ${key}`.execute(tx);
        return wait;
      });
    },

    async keep({ key, holder, forMs }) {
      const until = epochMs(clock.now()) + forMs;
      await database.alone(sql`update budget_places set ends_ms = ${until} where key = ${key} and holder = ${holder}`);
    },

    async giveBack({ key, holder }) {
      await database.alone(sql`delete from budget_places where key = ${key} and holder = ${holder}`);
    },

    async holders(key) {
      const now = epochMs(clock.now());
      const rows = await database.alone(
        sql<{ holder: string }>`select holder from budget_places where key = ${key} and ends_ms > ${now}`,
      );
      return rows.map(({ holder }) => holder);
    },

    async pause(key, milliseconds) {
      const until = addSeconds(clock.now(), milliseconds / 1_000);
      await database.alone(sql`
        insert into budgets as b (key, paused_until) values (${key}, ${until})
        on conflict (key) do update set paused_until = greatest(b.paused_until, excluded.paused_until)
      `);
    },

    async noteShare(key, share, at) {
      await database.alone(sql`
        insert into budgets as b (key, share, share_at) values (${key}, ${share}, ${at})
        on conflict (key) do update set share = excluded.share, share_at = excluded.share_at
      `);
    },

    async readShare(key) {
      const [row] = await database.alone(sql<{ share: number; at: Instant }>`
        select share, share_at as at from budgets where key = ${key} and share is not null
      `);
      return row ?? null;
    },
  };
}
