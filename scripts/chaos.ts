/**
 * Runs random faults from a seed: crashes, lost responses, cut connections, revoked access, and people who work
 * meanwhile. See docs/how-to/run-chaos.md.
 *
 *   npm run chaos                       200 seeds
 *   npm run chaos -- --count=10000      before a release
 *   npm run chaos -- --seed=4711        one seed, and the shortest scenario that still fails
 */
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const root = resolve(import.meta.dirname, '..');
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    from: { type: 'string', default: '1' },
    count: { type: 'string', default: '200' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) {
  console.log(`Runs random faults from seeds and prints how many requests they hit.

  npm run chaos                              200 seeds
  npm run chaos -- --from=5000 --count=1000  other seeds
  npm run chaos -- --seed=4711               one seed, and the shortest scenario that still fails

More in docs/how-to/run-chaos.md.`);
  process.exit(0);
}
const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', '--project', 'nightly', 'test/chaos/chaos.test.ts'],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      CHAOS_FROM: values.seed ?? values.from,
      CHAOS_COUNT: values.seed === undefined ? values.count : '1',
      CHAOS_MINIMISE: String(values.seed !== undefined),
    },
  },
);
process.exitCode = status ?? 1;
