/**
 * Runs every test: vitest (rules, services, database, API) and Playwright (the browser) side by side, because both wait
 * for processes and pages half of their time. Ends with one line of the real counts of both. Arguments narrow both runs
 * to what matches: `npm test -- invoice`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findBrowser, howToGetABrowser } from './browser.ts';

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Counts of a run that did not come to its tests. */
const broken: Counts = { passed: 0, failed: 1, skipped: 0 };

const root = resolve(import.meta.dirname, '..');
const cache = join(root, '.cache');
const filters = process.argv.slice(2);
mkdirSync(cache, { recursive: true });

/**
 * Runs a tool of the project with the same Node that runs this.
 *
 * @returns whether it was content, and its output unless that was shown as it came.
 */
async function run(
  script: string,
  args: readonly string[],
  { env = {}, isShown = true }: { readonly env?: Readonly<Record<string, string>>; readonly isShown?: boolean } = {},
): Promise<{ readonly isGreen: boolean; readonly output: string }> {
  const child = spawn(process.execPath, [join(root, 'node_modules', script), ...args], {
    cwd: root,
    stdio: ['inherit', isShown ? 'inherit' : 'pipe', isShown ? 'inherit' : 'pipe'],
    env: { ...process.env, ...env },
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [code] = await once(child, 'close');
  return { isGreen: code === 0, output: Buffer.concat(chunks).toString() };
}

function report(path: string): unknown {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null;
}

async function vitest(): Promise<Counts> {
  const path = join(cache, 'vitest.json');
  rmSync(path, { force: true });
  const { isGreen } = await run('vitest/vitest.mjs', [
    'run',
    '--passWithNoTests',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${path}`,
    ...filters,
  ]);
  const found = report(path) as null | {
    numPassedTests: number;
    numFailedTests: number;
    numPendingTests: number;
    numTodoTests: number;
    testResults: { status: string; assertionResults: unknown[] }[];
  };
  if (found === null) return broken;
  // A file that cannot even be loaded has no test that could fail: it counts as one.
  const unloaded = found.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  ).length;
  const failed = found.numFailedTests + unloaded;
  return {
    passed: found.numPassedTests,
    failed: failed === 0 && !isGreen ? 1 : failed,
    skipped: found.numPendingTests + found.numTodoTests,
  };
}

/**
 * @param browser where it stands and how it is started.
 * @param before the output is shown once this has ended.
 */
async function playwright(
  browser: NonNullable<Awaited<ReturnType<typeof findBrowser>>>,
  before: Promise<unknown>,
): Promise<Counts> {
  const path = join(cache, 'playwright.json');
  rmSync(path, { force: true });
  const { isGreen, output } = await run('@playwright/test/cli.js', ['test', '--pass-with-no-tests', ...filters], {
    env: { PLAYWRIGHT_JSON_OUTPUT_NAME: path, TALLYBRIDGE_BROWSER: JSON.stringify(browser), ...browser.env },
    isShown: false,
  });
  await before;
  process.stdout.write(output);
  const found = report(path) as null | {
    stats: { expected: number; unexpected: number; flaky: number; skipped: number };
    errors: unknown[];
  };
  if (found === null) return broken;
  const { expected, unexpected, flaky, skipped } = found.stats;
  const failed = unexpected + flaky;
  return { passed: expected, failed: failed === 0 && !isGreen ? 1 : failed, skipped };
}

const browser = await findBrowser(root);
if (browser === null) console.error(howToGetABrowser);
// The screens are built before anything serves them.
const hasScreens = browser !== null && (await run('vite/bin/vite.js', ['build', '--logLevel', 'warn'])).isGreen;
const others = vitest();
const all = await Promise.all([others, hasScreens ? playwright(browser, others) : broken]);
const total = (key: keyof Counts) => all.reduce((sum, counts) => sum + counts[key], 0);
const skipped = total('skipped');
const line = `${total('passed')} passed, ${total('failed')} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
writeFileSync(join(cache, 'counts.txt'), `${line}\n`);
console.log(line);
process.exitCode = total('failed') > 0 ? 1 : 0;
