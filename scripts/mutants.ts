/**
 * Plants known bugs one at a time in a copy of the sources and shows which check catches each one, which proves that
 * the checks can fail. See docs/how-to/plant-a-bug.md.
 *
 *   npm run mutants                    all bugs
 *   npm run mutants -- 'no fence'      bugs with a matching name
 *   npm run mutants -- --seeds         bugs that random faults must find, by random faults only
 */
import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { mutants, type Mutant } from '#test/disasters/mutants.ts';

const root = resolve(import.meta.dirname, '..');
const copied = ['src', 'packages', 'test', 'scripts', 'docs', 'package.json', 'tsconfig.json', 'vitest.config.ts'];
/** Maximum time of a check. A check that hangs has also noticed the bug, but cannot name it. */
const maxMs = 300_000;
const maxSeedsMs = 3_600_000;

interface Report {
  readonly testResults: readonly {
    /** Error message when none of its tests ran. */
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly title: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** Verdict of the checks on a mutant. */
interface Verdict {
  /** One message for each failed check; empty when all passed. */
  readonly found: readonly string[];
  /** Whether the checks reported the expected failure. */
  readonly isNamed: boolean;
}

/** Maximum number of seeds of random faults before the first failure. */
const maxSeeds = 200;
const random: Mutant['caughtBy'] = { file: 'test/disasters/disasters.test.ts', test: '^seed ' };

/** Runs the check of a mutant on the copy. */
async function judge(copy: string, caughtBy: Mutant['caughtBy']): Promise<Verdict> {
  const output = join(copy, 'report.json');
  await rm(output, { force: true });
  const args = [
    join(root, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    caughtBy.file,
    ...(caughtBy.test === undefined ? [] : ['-t', caughtBy.test]),
    ...(caughtBy === random ? ['--bail=1'] : []),
    '--reporter=json',
    `--outputFile=${output}`,
  ];
  const env = { ...process.env, DOUBLE_ENTRY_WHOLE: '1', ...(caughtBy === random && { SEED_COUNT: String(maxSeeds) }) };
  const child = spawn(process.execPath, args, { cwd: copy, stdio: 'ignore', env });
  let isLate = false;
  const late = setTimeout(() => (isLate = child.kill()), caughtBy === random ? maxSeedsMs : maxMs);
  await new Promise((done) => child.once('exit', done));
  clearTimeout(late);
  const text = await readFile(output, 'utf8').catch(() => '');
  const { says } = caughtBy;
  if (text === '' && !isLate) throw new Error(`${caughtBy.file} did not run.`);
  if (text === '') return { found: ['the check did not end'], isNamed: says === undefined };
  const { testResults }: Report = JSON.parse(text);
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  if (!results.some(({ status }) => status === 'passed' || status === 'failed'))
    throw new Error(
      [
        `No test of ${caughtBy.file} ran${caughtBy.test === undefined ? '' : ` with the name ${caughtBy.test}`}.`,
        ...testResults.map(({ message }) => message),
      ].join('\n'),
    );
  const failed = results.filter(({ status }) => status === 'failed');
  const found = failed.map(({ title, failureMessages }) => {
    const named = failureMessages.join('\n').matchAll(/^(?:\w*Error: )?(I\d+) \(/gm);
    const invariants = [...new Set([...named].map(([, invariant]) => invariant))];
    const [reason = ''] = failureMessages.flatMap((message) => /Impossible: [^\n]+/.exec(message) ?? []);
    // A random run names the broken rule.
    const [, rule = ''] =
      caughtBy === random ? (/^AssertionError: ([^:\n]+):/.exec(failureMessages[0] ?? '') ?? []) : [];
    if (rule !== '') return `${title.split(':', 1)[0]}, “${rule}”`;
    return [`“${title}”`, reason, invariants.join(', ')].findLast((one) => one !== '') ?? title;
  });
  const whole = failed.flatMap(({ failureMessages }) => failureMessages).join('\n');
  return { found, isNamed: says === undefined || new RegExp(`\\b${says}\\b`).test(whole) };
}

const { values, positionals } = parseArgs({
  options: { seeds: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const [part = ''] = positionals;
const wanted = mutants.filter(
  ({ name, isFoundBySeeds }) => name.includes(part) && (!values.seeds || isFoundBySeeds === true),
);
const copy = await mkdtemp(join(tmpdir(), 'tallybridge-mutants-'));
let escaped = 0;
const began = performance.now();
try {
  for (const name of copied) await cp(join(root, name), join(copy, name), { recursive: true });
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const mutant of wanted) {
    const path = join(copy, mutant.file);
    const text = await readFile(path, 'utf8');
    if (text.split(mutant.find).length !== 2)
      throw new Error(`${mutant.file} must contain the line of “${mutant.name}” exactly once.`);
    await writeFile(
      path,
      text.replace(mutant.find, () => mutant.replace),
    );
    const check = values.seeds ? random : mutant.caughtBy;
    const { found, isNamed } = await judge(copy, check);
    await writeFile(path, text);
    const { file, says } = check;
    const words = `${found.slice(0, 3).join('; ')}${found.length > 3 ? ` and ${found.length - 3} more` : ''}`;
    if (found.length === 0) console.log(`✗ escaped: ${mutant.name} (${file} passed)`);
    else if (!isNamed) console.log(`✗ not named: ${mutant.name} (${words} without “${says}”)`);
    else console.log(`✓ ${mutant.name}: caught by ${words}`);
    if (found.length === 0 || !isNamed) escaped += 1;
  }
} finally {
  await rm(copy, { recursive: true, force: true });
}
const seconds = Math.round((performance.now() - began) / 1_000);
console.log(
  `${wanted.length} bugs planted in ${seconds} s: ${wanted.length - escaped} caught and named, ${escaped} escaped`,
);
process.exitCode = escaped === 0 ? 0 : 1;
