import { sql } from 'kysely';
import type { Clock } from '#core/ports/clock.ts';
import type { Logger } from '#core/ports/logger.ts';
import { instant } from '#core/values/dates.ts';
import type { Database } from './database.ts';
import { insertDeploymentEvent } from './deployment-events.ts';

/** The time of the deployment, the same in all its processes. */
export interface DatabaseClock extends Clock {
  /** Measures again now. @throws what the database throws; the clock then goes on by the last measurement. */
  refresh(): Promise<void>;
  /** Seconds by which the time of the deployment is ahead of the database's clock (negative: behind); 0 as a rule. */
  aheadSeconds(): number;
  /** How often the clock of the database was set, by what all processes have noted. */
  steps(): number;
  /** Ends the measuring; the clock still answers. */
  stop(): void;
}

const refreshEveryMs = 20_000;
const samples = 3;
/** Most milliseconds by which two measurements differ without the clock having been set. */
const toleranceMs = 2_000;
/** After a step, the time of the deployment goes by this much slower or faster until it is the database's again. */
const slewRate = 0.1;
/**
 * Milliseconds without a note of any process that count as a gap: nothing ran, or the database is an older one. A restart
 * takes less, and a restored backup is older.
 */
const gapMs = 5 * 60_000;
/** Each try loses only to another process that noted the same step. */
const adjustTries = 5;

/** One reading of the database's clock, with what the processes have noted of it. */
interface Measurement {
  /** The steady clock of this process half-way between question and answer. */
  readonly atMs: number;
  readonly tripMs: number;
  /** The time of the deployment at that moment. */
  readonly timeMs: number;
  /** How far it is ahead of the database's wall clock. */
  readonly aheadMs: number;
  /** The latest time of the deployment that any process has noted. */
  readonly latestMs: number;
  readonly steps: number;
}

/**
 * The time that leases, due times and token ends are compared by. It follows the wall clock of the database, measured
 * against the steady clock of this process, which no correction of the machine's time moves. When the database's clock
 * is set, back or forward, time goes on evenly: the difference is kept in the database, so that processes that start
 * later agree, and worked off at a tenth of the pace. A step is logged, counted and noted as `clock.stepped`. A step
 * forward that this machine's own clock has made as well (it slept) is time that has passed. Within a process time never
 * runs backwards.
 */
export async function databaseClock(database: Database, logger: Logger): Promise<DatabaseClock> {
  let anchor = await settle(database, logger, null);
  let machineMs = Date.now() - performance.now();
  let lastMs = 0;
  /** The time by the last measurement, at a moment of the steady clock. */
  const timeAt = (steadyMs: number) => {
    const passedMs = steadyMs - anchor.atMs;
    return anchor.timeMs + passedMs + slewed(anchor.aheadMs, passedMs) - anchor.aheadMs;
  };
  const refresh = async () => {
    // A machine that slept finds its own wall clock ahead of its steady one.
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

/** Rest of a difference after so many milliseconds. */
const slewed = (aheadMs: number, passedMs: number): number =>
  Math.sign(aheadMs) * Math.max(0, Math.abs(aheadMs) - Math.max(0, passedMs) * slewRate);

/**
 * Measures, and has the time of the deployment go on where the database's clock was set meanwhile.
 *
 * @param expected what this process takes the time for at a moment of its steady clock, and how long its machine slept
 *   since it measured last; null when it has only started.
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
      await database.alone(sql`
        update deployment_clock set wall_ms = w.ms, ahead_ms = ${aheadAt(sql`w.ms`)}, gaps = ${gapsAt(sql`w.ms`)}
        from (select wall_clock_ms() as ms) w where w.ms > wall_ms
      `);
      return measured;
    }
    if (!(await noteStep(database, measured, stepMs))) continue;
    const seconds = Math.round(stepMs / 1_000);
    logger.error({ event: 'clock.stepped', seconds }, 'the clock of the database was set; time goes on evenly');
  }
}

/** Milliseconds by which the database's clock was set; 0 when it was not, or when the time has really passed. */
function stepOf(
  { timeMs, latestMs, tripMs }: Measurement,
  own: { readonly timeMs: number; readonly sleptMs: number } | null,
): number {
  const allowedMs = toleranceMs + tripMs;
  // Nobody is sent back: neither this process nor one that was measured before it.
  const floorMs = Math.max(latestMs, own?.timeMs ?? latestMs);
  if (timeMs < floorMs - allowedMs) return timeMs - floorMs;
  if (own === null || timeMs <= own.timeMs + allowedMs) return 0;
  const hasPassed = own.sleptMs > (timeMs - own.timeMs) / 2 || latestMs > own.timeMs + allowedMs;
  return hasPassed ? 0 : timeMs - own.timeMs;
}

/** Keeps what was found, once for all processes; false when another process has noted something meanwhile. */
const noteStep = (database: Database, { timeMs, steps }: Measurement, stepMs: number): Promise<boolean> =>
  database.acrossTenants(async (tx) => {
    const { numAffectedRows } = await sql`
      update deployment_clock set wall_ms = w.ms, ahead_ms = ${aheadAt(sql`w.ms`)} - ${Math.round(stepMs)}::bigint, steps = steps + 1,
        gaps = ${gapsAt(sql`w.ms`)}
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

/** How far the deployment is ahead of a wall clock that shows `wall`, by the row of `deployment_clock`. */
const aheadAt = (wall: ReturnType<typeof sql>) =>
  sql`(sign(ahead_ms) * greatest(0, abs(ahead_ms) - greatest(0, ${wall} - wall_ms) * ${slewRate}::float8))::bigint`;

/** How often nothing was noted for minutes, at a wall clock that shows `wall`. */
const gapsAt = (wall: ReturnType<typeof sql>) => sql`gaps + (${wall} - wall_ms > ${gapMs})::int`;

/** The sample with the shortest way there and back is the truest; the answer was made about half-way. */
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
    if (row === undefined) throw new Error('The row of deployment_clock is missing: the database is not whole.');
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
