/**
 * Plays generated accounts of customers against the product, and compares ledger, advice and proof with an independent
 * double entry. See docs/how-to/compare-with-double-entry.md.
 *
 *   npm run double-entry                          200 seeds
 *   npm run double-entry -- --seeds=50 --from=900
 *   npm run double-entry -- --seed=4711           one seed
 */
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const root = resolve(import.meta.dirname, '..');
const { values } = parseArgs({
  options: { seed: { type: 'string' }, seeds: { type: 'string' }, from: { type: 'string' } },
});
const { seed, seeds = '200', from = '1' } = values;
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', '--project=nightly', 'test/double-entry/seeds.test.ts'],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, DOUBLE_ENTRY_FROM: seed ?? from, DOUBLE_ENTRY_SEEDS: seed === undefined ? seeds : '1' },
  },
);
process.exitCode = status ?? 1;
