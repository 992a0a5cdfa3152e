/**
 * Changes rules at random places in a copy of the sources, one change at a time, and counts how many the pure tests
 * notice. Fails below 95 % and lists the unnoticed changes.
 *
 *   npm run mutants:random                                    40 changes of src/core/planning, seed 1
 *   npm run mutants:random -- --seed=7 --count=100 --folder=src/core
 */
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createRandom } from '@tallybridge/sandbox';
import { lineOf, mutated, mutationsOf, type Mutation } from './mutations.ts';

const root = resolve(import.meta.dirname, '..');
const copied = [
  'src',
  'packages',
  'test',
  'scripts',
  'docs',
  'bench',
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
];
const wantedShare = 0.95;
/** Limit of a test run, in milliseconds: a mutant that hangs counts as noticed. */
const maxMs = 300_000;

interface Mutant {
  readonly file: string;
  readonly source: string;
  readonly mutation: Mutation;
}

/** Returns whether the pure tests notice the change in the copy. */
async function isNoticed(copy: string): Promise<boolean> {
  const args = [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', '--project', 'rules', '--bail=1'];
  const tests = ['src/core', 'test/cases', 'test/invariants'];
  const child = spawn(process.execPath, [...args, ...tests], { cwd: copy, stdio: 'ignore' });
  const late = setTimeout(() => child.kill(), maxMs);
  const code = await new Promise((done) => child.once('exit', done));
  clearTimeout(late);
  return code !== 0;
}

async function sample(folder: string, seed: number, count: number): Promise<readonly Mutant[]> {
  const files = globSync(`${folder}/**/*.ts`, { cwd: root }).filter((file) => !file.endsWith('.test.ts'));
  const all: Mutant[] = [];
  for (const file of files.toSorted()) {
    const source = await readFile(join(root, file), 'utf8');
    all.push(...mutationsOf(source).map((mutation) => ({ file, source, mutation })));
  }
  const random = createRandom(seed);
  const sampled: Mutant[] = [];
  while (sampled.length < count && all.length > 0) sampled.push(...all.splice(random.whole(0, all.length - 1), 1));
  return sampled;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      count: { type: 'string', default: '40' },
      folder: { type: 'string', default: 'src/core/planning' },
    },
  });
  const copy = await mkdtemp(join(tmpdir(), 'tallybridge-mutants-'));
  try {
    for (const name of copied) await cp(join(root, name), join(copy, name), { recursive: true });
    await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
    if (await isNoticed(copy)) throw new Error('The tests fail without any change: fix them first.');
    const mutants = await sample(values.folder, Number(values.seed), Number(values.count));
    let noticed = 0;
    for (const { file, source, mutation } of mutants) {
      await writeFile(join(copy, file), mutated(source, mutation));
      const isCaught = await isNoticed(copy);
      await writeFile(join(copy, file), source);
      if (isCaught) noticed += 1;
      const before = source.slice(mutation.start, mutation.end);
      const place = `${file}:${lineOf(source, mutation)}`;
      console.log(
        `${isCaught ? 'noticed ' : 'SURVIVED'}  ${place}  ${before}  ->  ${mutation.replacement || 'nothing'}`,
      );
    }
    console.log(`${noticed} of ${mutants.length} changes were noticed.`);
    return noticed >= mutants.length * wantedShare ? 0 : 1;
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

process.exitCode = await main();
