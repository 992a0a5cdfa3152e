/**
 * Breaks the product and checks that no money is lost: crashes and freezes every flow at each effect, and plays random
 * business with random faults from seeds. See docs/how-to/run-disasters.md.
 *
 *   npm run disasters                                        everything
 *   npm run disasters -- --every=10                          every tenth crash point
 *   npm run disasters -- --flow=void --requestid=none        one flow, one mode
 *   npm run disasters -- --flow=void --crash=post:void:1:after
 *   npm run disasters -- --seeds=1000 --from=5000            other seeds
 *   npm run disasters -- --seed=4711                         one seed, and the shortest scenario that still fails
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { flowNamed, flows } from '#test/disasters/flows.ts';
import type { Plan } from '#test/disasters/run.ts';

const root = resolve(import.meta.dirname, '..');
const requestids = ['all', 'none'] as const;
const { values } = parseArgs({
  options: {
    flow: { type: 'string', multiple: true },
    requestid: { type: 'string' },
    crash: { type: 'string', multiple: true },
    every: { type: 'string' },
    seed: { type: 'string' },
    seeds: { type: 'string' },
    from: { type: 'string' },
  },
});
const {
  flow: names = flows.map(({ name }) => name),
  crash: crashes = [],
  requestid,
  every,
  seed,
  seeds,
  from,
} = values;
const areFlowsChosen = [values.flow, values.crash, requestid, every].some((one) => one !== undefined);
const areSeedsChosen = [seed, seeds, from].some((one) => one !== undefined);
const modes = requestids.filter((one) => requestid === undefined || requestid === one);
const chosen = names.flatMap((name) => modes.map((one) => ({ flow: flowNamed(name).name, requestid: one })));
const seedCount = seed === undefined ? Number(seeds ?? 200) : 1;

const folder = await mkdtemp(join(tmpdir(), 'tallybridge-disasters-'));
const plan: Plan = {
  flows: areSeedsChosen && !areFlowsChosen ? [] : chosen,
  every: Number(every ?? 1),
  crashes,
  seeds:
    areFlowsChosen && !areSeedsChosen
      ? []
      : Array.from({ length: seedCount }, (_, at) => Number(seed ?? from ?? 1) + at),
  isMinimized: seed !== undefined,
  folder,
};
const began = performance.now();
/** Share the flows and seeds of the plan. */
const processes = Array.from({ length: Math.max(2, availableParallelism()) }, () =>
  spawn(
    process.execPath,
    [
      join(root, 'node_modules', 'vitest', 'vitest.mjs'),
      'run',
      '--project=nightly',
      '--reporter=dot',
      'test/disasters/disasters.test.ts',
    ],
    { cwd: root, stdio: 'inherit', env: { ...process.env, DISASTERS: JSON.stringify(plan) } },
  ),
);
// An interrupted run also ends with a report.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => void processes.map((one) => one.kill(signal)));
const codes = await Promise.all(processes.map((one) => new Promise((done) => one.once('exit', done))));
const total: Record<string, number> = {};
for (const name of (await readdir(folder)).filter((one) => one.endsWith('.json'))) {
  const counts = JSON.parse(await readFile(join(folder, name), 'utf8')) as Readonly<Record<string, number>>;
  for (const [key, count] of Object.entries(counts)) total[key] = (total[key] ?? 0) + count;
}
await rm(folder, { recursive: true });
for (const [name, count] of Object.entries(total)) console.log(`  ${name}: ${count}`);
console.log(
  `${total['runs'] ?? 0} runs in ${Math.round((performance.now() - began) / 1_000)} s: ${total['violations'] ?? 0} violations`,
);
process.exitCode = codes.every((code) => code === 0) ? 0 : 1;
