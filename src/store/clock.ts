import { sql } from 'kysely';
import type { Clock } from '#core/ports/clock.ts';
import type { Logger } from '#core/ports/logger.ts';
import { instant } from '#core/values/dates.ts';
import type { Database } from './database.ts';
import { insertDeploymentEvent } from './deployment-events.ts';

/** The time of the deployment, the same in all its processes. */
export interface DatabaseClock extends Clock {
  /** Measures again now. @throws the database's error; the clock then continues from the last measurement. */
  refresh(): Promise<void>;
  /** Seconds by which the deployment's time is ahead of the database's clock (negative: behind); usually 0. */
  aheadSeconds(): number;
  /** Number of times the database's clock was set, as recorded by all processes. */
  steps(): number;
  /** Stops measuring; the clock can still be read. */
  stop(): void;
}

const refreshEveryMs = 20_000;
const samples = 3;
/** Maximum milliseconds by which two measurements may differ if the clock was not set. */
const toleranceMs = 2_000;
/** Pace of the correction after a step: time runs this much slower or faster until it matches the database again. */
const slewRate = 0.1;
/** A try fails only if another process recorded the same step. */
const adjustTries = 5;

/** One reading of the database's clock, with the state that all processes have recorded. */
interface Measurement {
  /** The monotonic clock of this process, half-way between question and answer. */
  readonly atMs: number;
  readonly tripMs: number;
  /** The deployment's time at that moment. */
  readonly timeMs: number;
  /** Milliseconds by which the deployment's time is ahead of the database's wall clock. */
  readonly aheadMs: number;
  /** The latest deployment time recorded by any process. */
  readonly latestMs: number;
  readonly steps: number;
}

/**
 * Creates the clock used to compare due times, waits and token expirations; leases use the database's clock directly. It
 * follows the wall clock of the database, measured against the monotonic clock of this process, which corrections of the
 * machine's time do not affect.
 *
 * If the database's clock is set forward or back, time continues evenly. The difference is stored in the database, so
 * that processes that start later agree, and is reduced at a tenth of the pace. A step is logged, counted and recorded
 * as `clock.stepped`. If this machine's clock made the same step forward (the machine slept), that time has really
 * passed. Within a process, time never runs backward.
 */
export async function databaseClock(database: Database, logger: Logger): Promise<DatabaseClock> {
  let anchor = await settle(database, logger, null);
  let machineMs = Date.now() - performance.now();
  let lastMs = 0;
  /** The time according to the last measurement, at a moment of the monotonic clock. */
  const timeAt = (steadyMs: number) => {
    const passedMs = steadyMs - anchor.atMs;
    return anchor.timeMs + passedMs + slewed(anchor.aheadMs, passedMs) - anchor.aheadMs;
  };
  const refresh = async () => {
    // After sleep, the machine's wall clock is ahead of its monotonic clock.
    const sleptMs = Date.now() - performance.now() - machineMs;
    anchor = await settle(database, logger, (steadyMs) => ({ timeMs: timeAt(steadyMs), sleptMs }));
    machineMs = Date.now() - performance.now();
  };
  const timer = setInterval(() => {
    refresh().catch((error: unknown) => logger.warn({ error: String(error) }, 'the database clock could not be read'));
  }, refreshEveryMs);
  timer.unref();
  return {
    now() {
      lastMs = Math.max(lastMs, Math.floor(timeAt(performance.now())));
      return instant(lastMs);
    },
    refresh,
    aheadSeconds: () => slewed(anchor.aheadMs, performance.now() - anchor.atMs) / 1_000,
    steps: () => anchor.steps,
    stop: () => clearInterval(timer),
  };
}

/** Returns the remaining difference after `passedMs`. */
const slewed = (aheadMs: number, passedMs: number): number =>
  Math.sign(aheadMs) * Math.max(0, Math.abs(aheadMs) - Math.max(0, passedMs) * slewRate);

/**
 * Measures the clock. If the database's clock was set in the meantime, keeps the deployment's time continuous.
 *
 * @param expected returns this process's estimate of the time at a moment of its monotonic clock, and how long its
 *   machine slept since the last measurement; null at startup.
 */
async function settle(
  database: Database,
  logger: Logger,
  expected: ((steadyMs: number) => { readonly timeMs: number; readonly sleptMs: number }) | null,
): Promise<Measurement> {
  for (let tries = 1; ; tries += 1) {
    const measured = await measure(database);
    const own = expected?.(measured.atMs) ?? null;
    const stepMs = stepOf(measured, own);
    if (stepMs === 0 || tries === adjustTries) {
      await database.acrossTenants((tx) =>
        sql`
          update deployment_clock set wall_ms = w.ms, ahead_ms = ${aheadAt(sql`w.ms`)}
          from (select wall_clock_ms() as ms) w where w.ms > wall_ms
        `.execute(tx),
      );
      return measured;
    }
    if (!(await noteStep(database, measured, stepMs))) continue;
    const seconds = Math.round(stepMs / 1_000);
    logger.error({ event: 'clock.stepped', seconds }, 'the database clock was set; time continues evenly');
  }
}

/** Milliseconds by which the database's clock was set; 0 if it was not set, or if the time has really passed. */
function stepOf(
  { timeMs, latestMs, tripMs }: Measurement,
  own: { readonly timeMs: number; readonly sleptMs: number } | null,
): number {
  const allowedMs = toleranceMs + tripMs;
  // Time never goes backward, neither for this process nor for one that measured earlier.
  const floorMs = Math.max(latestMs, own?.timeMs ?? latestMs);
  if (timeMs < floorMs - allowedMs) return timeMs - floorMs;
  if (own === null || timeMs <= own.timeMs + allowedMs) return 0;
  const hasPassed = own.sleptMs > (timeMs - own.timeMs) / 2 || latestMs > own.timeMs + allowedMs;
  return hasPassed ? 0 : timeMs - own.timeMs;
}

/** Records the step for all processes; returns false if another process recorded one in the meantime. */
const noteStep = (database: Database, { timeMs, steps }: Measurement, stepMs: number): Promise<boolean> =>
  database.acrossTenants(async (tx) => {
    const { numAffectedRows } = await sql`
      update deployment_clock set wall_ms = w.ms, ahead_ms = ${aheadAt(sql`w.ms`)} - ${Math.round(stepMs)}::bigint, steps = steps + 1
      from (select wall_clock_ms() as ms) w where steps = ${steps}
    `.execute(tx);
    if (numAffectedRows !== 1n) return false;
    await insertDeploymentEvent(tx, {
      at: instant(Math.round(timeMs - stepMs)),
      actor: 'database',
      action: 'clock.stepped',
      subject: 'the clock of the database',
      detail: { seconds: Math.round(stepMs / 1_000) },
    });
    return true;
  });

/**
 * Milliseconds by which the deployment is ahead of a wall clock that shows `wall`, from the row of `deployment_clock`.
 */
const aheadAt = (wall: ReturnType<typeof sql>) =>
  sql`(sign(ahead_ms) * greatest(0, abs(ahead_ms) - greatest(0, ${wall} - wall_ms) * ${slewRate}::float8))::bigint`;

/** The sample with the shortest round trip is the most accurate; the answer is assumed to date from half-way. */
async function measure(database: Database): Promise<Measurement> {
  let best: Measurement | null = null;
  for (let round = 0; round < samples; round += 1) {
    const sentMs = performance.now();
    const { rows } = await database.pool.query<Record<'wall' | 'ahead' | 'latest' | 'steps', string>>(
      `select w.ms::text as wall, (wall_ms + ahead_ms)::text as latest, steps::text,
              (sign(ahead_ms) * greatest(0, abs(ahead_ms) - greatest(0, w.ms - wall_ms) * ${slewRate}))::text as ahead
       from deployment_clock, (select wall_clock_ms() as ms) w`,
    );
    const tripMs = performance.now() - sentMs;
    const [row] = rows;
    if (row === undefined) throw new Error('The row of deployment_clock is missing: the database is incomplete.');
    const aheadMs = Number(row.ahead);
    if (best === null || tripMs < best.tripMs)
      best = {
        atMs: sentMs + tripMs / 2,
        tripMs,
        timeMs: Number(row.wall) + aheadMs,
        aheadMs,
        latestMs: Number(row.latest),
        steps: Number(row.steps),
      };
  }
  if (best === null) throw new Error('Impossible: no sample was taken.');
  return best;
}
