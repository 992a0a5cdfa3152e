import type { Clock } from '#core/ports/clock.ts';
import type { Logger } from '#core/ports/logger.ts';
import { instant } from '#core/values/dates.ts';
import type { Database } from './database.ts';

/** A clock that follows the database's, so that all processes agree on leases, watermarks and token ends. */
export interface DatabaseClock extends Clock {
  /** Measures again now. @throws what the database throws; the clock then goes on by the last measurement. */
  refresh(): Promise<void>;
  /** Ends the measuring; the clock still answers. */
  stop(): void;
}

const refreshEveryMs = 60_000;
const samples = 3;

/**
 * Measures how far the database's clock is from this process's steady one, which no correction of the machine's time
 * moves, and measures again every minute. Times never run backwards within a process.
 */
export async function databaseClock(database: Database, logger: Logger): Promise<DatabaseClock> {
  let offsetMs = await measure(database);
  let lastMs = 0;
  const refresh = async () => {
    offsetMs = await measure(database);
  };
  const timer = setInterval(() => {
    refresh().catch((error: unknown) => logger.warn({ error: String(error) }, 'the database clock could not be read'));
  }, refreshEveryMs);
  timer.unref();
  return {
    now() {
      lastMs = Math.max(lastMs, Math.floor(performance.now() + offsetMs));
      return instant(lastMs);
    },
    refresh,
    stop: () => clearInterval(timer),
  };
}

/** The sample with the shortest way there and back is the truest; the answer was made about half-way. */
async function measure(database: Database): Promise<number> {
  let best = { tripMs: Number.POSITIVE_INFINITY, offsetMs: 0 };
  for (let round = 0; round < samples; round += 1) {
    const sentMs = performance.now();
    const { rows } = await database.pool.query<{ ms: string }>(
      `select (extract(epoch from clock_timestamp()) * 1000)::text as ms`,
    );
    const tripMs = performance.now() - sentMs;
    if (tripMs < best.tripMs) best = { tripMs, offsetMs: Number(rows[0]?.ms) - (sentMs + tripMs / 2) };
  }
  return best.offsetMs;
}
