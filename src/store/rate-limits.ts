import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { RateLimits } from '#core/ports/rate-limits.ts';
import type { Clock } from '#core/ports/clock.ts';
import { addSeconds, epochMs, type Instant } from '#core/values/dates.ts';
import type { Database } from './database.ts';

/**
 * Counts the calls of all workers in the database against the services' published limits. Windows slide: any period of
 * a window's length contains at most the allowed number of calls (at a cost of 1/60 of the length).
 *
 * Concurrent calls are counted as rows, which the caller deletes; rows of a dead process expire.
 *
 * @param options.clock decides what “now” is; in production it follows the database.
 */
export function createRateLimits({
  database,
  clock,
}: {
  readonly database: Database;
  readonly clock: Clock;
}): RateLimits {
  return {
    async acquire(windows, permit) {
      const keys = windows.map((window) => stored(window.key));
      const calls = windows.map((window) => window.calls);
      const weights = windows.map(({ weight = 1 }) => weight);
      const lengths = windows.map((window) => Math.round(window.perSeconds * 1_000));
      const now = epochMs(clock.now());
      const counted = sql`${keys}::text[], ${calls}::integer[], ${weights}::integer[], ${lengths}::bigint[], ${now}::bigint`;
      const taken =
        permit === undefined
          ? sql`acquire_rate_limits(${counted})`
          : sql`acquire_rate_limits_and_permit(
              ${counted}, ${stored(permit.key)}::text, ${permit.most}::integer, ${permit.holder}::text, ${now + permit.forMs}::bigint
            )`;
      return (await database.alone(sql<{ wait: number }>`select ${taken} as wait`))[0]?.wait ?? 0;
    },

    async renew({ key, holder, forMs }) {
      const until = epochMs(clock.now()) + forMs;
      await database.alone(
        sql`update concurrency_permits set ends_ms = ${until} where key = ${stored(key)} and holder = ${holder}`,
      );
    },

    async release({ key, holder }, answered) {
      const windows = (answered?.windows ?? []).filter((window) => window.secondsAfterAnswer !== undefined);
      if (answered === undefined || windows.length === 0) {
        await database.alone(sql`delete from concurrency_permits where key = ${stored(key)} and holder = ${holder}`);
        return;
      }
      const keys = windows.map((window) => stored(window.key));
      const weights = windows.map(({ weight = 1 }) => weight);
      const lengths = windows.map((window) => Math.round(window.perSeconds * 1_000));
      const afterAnswer = windows.map(({ perSeconds, secondsAfterAnswer = perSeconds }) =>
        Math.round(secondsAfterAnswer * 1_000),
      );
      const now = epochMs(clock.now());
      const counted = now - Math.round(answered.countedMsAgo);
      await database.alone(sql`
        select release_answered_call(
          ${stored(key)}::text, ${holder}::text, ${keys}::text[], ${weights}::integer[], ${lengths}::bigint[],
          ${afterAnswer}::bigint[], ${counted}::bigint, ${now}::bigint
        )
      `);
    },

    async holders(key) {
      const now = epochMs(clock.now());
      const rows = await database.alone(
        sql<{ holder: string }>`select holder from concurrency_permits where key = ${stored(key)} and ends_ms > ${now}`,
      );
      return rows.map(({ holder }) => holder);
    },

    async pause(key, milliseconds) {
      const until = addSeconds(clock.now(), milliseconds / 1_000);
      await database.alone(sql`
        insert into rate_limits as b (key, paused_until) values (${stored(key)}, ${until})
        on conflict (key) do update set paused_until = greatest(b.paused_until, excluded.paused_until)
      `);
    },

    async resume(key) {
      await database.alone(sql`update rate_limits set paused_until = null where key = ${stored(key)}`);
    },

    async saveQuotaShare(key, share, at) {
      await database.alone(sql`
        insert into rate_limits as b (key, share, share_at) values (${stored(key)}, ${share}, ${at})
        on conflict (key) do update set share = excluded.share, share_at = excluded.share_at
      `);
    },

    async readQuotaShare(key) {
      const [row] = await database.alone(sql<{ share: number; at: Instant }>`
        select share, share_at as at from rate_limits where key = ${stored(key)} and share is not null
      `);
      return row ?? null;
    },
  };
}

/** The name under which a key is stored. Keys contain company ids, which do not belong in a backup. */
const stored = (key: string): string => createHash('sha256').update(key).digest('base64url').slice(0, 22);
