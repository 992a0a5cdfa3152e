import type { Violation } from './checker.ts';
import { Disaster, leaseIsOverSeconds, type Point } from './disaster.ts';
import type { Evidence } from './evidence.ts';
import { flowNamed } from './flows.ts';

/** Long enough for a lease to end, for the 130 seconds of a late write, and for two cycles with jitter. */
const rounds = [leaseIsOverSeconds, 140, 17 * 60, 17 * 60] as const;

/** A flow with disasters at exact points. */
export interface Case {
  readonly flow: string;
  /** The writes that honor requestid (quickbooks reference 2.3). */
  readonly requestid: 'all' | 'none';
  /**
   * Points where processes crash, one after another, for example `post:void:1:after`, or `*:7:before` for the seventh
   * effect of any name. With `:stop` the process freezes, and with `:cut` it crashes while sending.
   */
  readonly crashes: readonly string[];
}

/** What scripts/disasters.ts runs in several processes. */
export interface Plan {
  /** Flows and modes of which all crash points are run. */
  readonly flows: readonly Pick<Case, 'flow' | 'requestid'>[];
  /** Runs only every n-th crash point. */
  readonly every: number;
  /** Runs only these crashes; empty: all crash points. */
  readonly crashes: readonly string[];
  readonly seeds: readonly number[];
  /** Minimizing runs a scenario many times. */
  readonly isMinimized: boolean;
  /** A folder where processes share their work and save their counts. */
  readonly folder: string;
}

export interface Outcome {
  readonly violations: readonly Violation[];
  /** Points that were not reached. */
  readonly missed: readonly string[];
  /** Effects of the step in order, `name:count:moment`; empty when a process crashed. */
  readonly effects: readonly string[];
  readonly evidence: Evidence;
}

/** Runs a flow, crashes or freezes its processes, lets another process finish the work, and checks the rules. */
export async function runCase({ flow: name, requestid, crashes }: Case): Promise<Outcome> {
  const flow = flowNamed(name);
  const { settings, switches, expected, alerted, secondRealmId, session } = flow;
  const disaster = await Disaster.start({
    world: { ...(settings && { settings }) },
    switches: { requestid, ...switches },
    expected,
    ...(alerted && { alerted }),
    ...(secondRealmId !== undefined && { secondRealmId }),
    ...(session && { session }),
  });
  const { world } = disaster;
  const missed: string[] = [];
  const finish = () => disaster.calmDown(rounds, 'successor', async () => flow.repeat?.(world));
  /** Crashes at the given points, then finishes the work. */
  async function crashAt([crash, ...others]: readonly string[], number: number): Promise<void> {
    if (crash === undefined) return finish();
    if (number > 1) await world.advance(leaseIsOverSeconds);
    const [victim, step] = [`victim ${number}`, number === 1 ? flow.act : undefined];
    const { point, action } = parsePoint(crash);
    if (action === 'stop') {
      let isFrozen = false;
      const meanwhile = () => {
        isFrozen = true;
        return crashAt(others, number + 1);
      };
      await disaster.freeze(victim, point, meanwhile, step);
      if (isFrozen) {
        // Another worker picks up what the resumed process left, for example a job.
        return disaster.calmDown([leaseIsOverSeconds], 'last', () => Promise.resolve());
      }
      missed.push(crash);
    } else {
      const isDead = await disaster.crash(victim, { ...point, isCut: action === 'cut' }, step);
      if (!isDead) missed.push(crash);
      await disaster.check('now');
    }
    return crashAt(others, number + 1);
  }
  try {
    await flow.prepare(world);
    const effects = crashes.length === 0 ? await disaster.record('recorder', flow.act) : [];
    await crashAt(crashes, 1);
    const evidence = await disaster.check('quiet');
    return { violations: disaster.violations, missed, effects, evidence };
  } finally {
    await disaster.close();
  }
}

/** @throws Error for a text in another format. */
function parsePoint(text: string): { readonly point: Point; readonly action: string | undefined } {
  const [, name, count, moment, action] = /^(.+):(\d+):(before|after)(?::(stop|cut))?$/.exec(text) ?? [];
  if (name === undefined) throw new Error(`${text} is not a crash point, for example post:void:1:after.`);
  const at = name
    .split('*')
    .map((part) => RegExp.escape(part))
    .join('.*');
  return {
    point: { effect: Number(count), moment: moment === 'before' ? 'before' : 'after', at: `^${at}$` },
    action,
  };
}
