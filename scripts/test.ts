/**
 * Runs vitest (rules, services, database, API), then Playwright (the browser). Ends with what failed and one
 * line of the total counts. Arguments filter both runs: `npm test -- invoice`.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { findBrowser, howToGetABrowser } from './browser.ts';

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** File, name and message of each failed test. */
  readonly failures?: readonly string[];
}

interface Suite {
  readonly specs?: readonly { readonly ok: boolean; readonly file: string; readonly title: string }[];
  readonly suites?: readonly Suite[];
}

/** The failed tests of a suite and of the suites in it. */
function failedSpecs({ specs = [], suites = [] }: Suite): readonly string[] {
  return [
    ...specs.filter(({ ok }) => !ok).map(({ file, title }) => `${file}: ${title}`),
    ...suites.flatMap((suite) => failedSpecs(suite)),
  ];
}

const root = resolve(import.meta.dirname, '..');
const cache = join(root, '.cache');
const filters = process.argv.slice(2);
mkdirSync(cache, { recursive: true });

/** Runs a tool of the project with the current Node.js. */
function run(script: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): boolean {
  const result = spawnSync(process.execPath, [join(root, 'node_modules', script), ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  return result.status === 0;
}

function report(path: string): unknown {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null;
}

function vitest(): Counts {
  const path = join(cache, 'vitest.json');
  rmSync(path, { force: true });
  const isGreen = run('vitest/vitest.mjs', [
    'run',
    '--project=rules',
    '--project=services',
    '--project=sandbox',
    '--project=double-entry',
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
    testResults: {
      name: string;
      status: string;
      message: string;
      assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
    }[];
  };
  if (found === null) return { passed: 0, failed: 1, skipped: 0 };
  // A file that cannot be loaded counts as one failed test.
  const broken = found.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  ).length;
  const failed = found.numFailedTests + broken;
  return {
    passed: found.numPassedTests,
    failed: failed === 0 && !isGreen ? 1 : failed,
    skipped: found.numPendingTests + found.numTodoTests,
    failures: found.testResults.flatMap(({ name, status, message, assertionResults }) => [
      ...(status === 'failed' && assertionResults.length === 0 ? [`${relative(root, name)}: ${message}`] : []),
      ...assertionResults
        .filter((test) => test.status === 'failed')
        .map((test) => `${relative(root, name)}: ${test.fullName}: ${test.failureMessages.join(' ')}`),
    ]),
  };
}

async function playwright(): Promise<Counts> {
  const browser = await findBrowser(root);
  if (browser === null) {
    console.error(howToGetABrowser);
    return { passed: 0, failed: 1, skipped: 0 };
  }
  const isBuilt =
    run('../scripts/help.ts', []) &&
    run('vite/bin/vite.js', ['build', '--logLevel', 'warn']) &&
    run('size-limit/bin.js', ['--silent']);
  if (!isBuilt) return { passed: 0, failed: 1, skipped: 0 };
  const path = join(cache, 'playwright.json');
  rmSync(path, { force: true });
  const isGreen = run('@playwright/test/cli.js', ['test', '--pass-with-no-tests', ...filters], {
    PLAYWRIGHT_JSON_OUTPUT_NAME: path,
    TALLYBRIDGE_BROWSER: JSON.stringify(browser),
    ...browser.env,
  });
  const found = report(path) as null | {
    stats: { expected: number; unexpected: number; flaky: number; skipped: number };
    suites: readonly Suite[];
  };
  if (found === null) return { passed: 0, failed: 1, skipped: 0 };
  const { expected, unexpected, flaky, skipped } = found.stats;
  const failed = unexpected + flaky;
  return {
    passed: expected,
    failed: failed === 0 && !isGreen ? 1 : failed,
    skipped,
    failures: found.suites.flatMap((suite) => failedSpecs(suite)),
  };
}

const all = [vitest(), await playwright()];
const total = (key: 'passed' | 'failed' | 'skipped') => all.reduce((sum, counts) => sum + counts[key], 0);
const skipped = total('skipped');
const line = `${total('passed')} passed, ${total('failed')} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
const failures = all
  .flatMap((counts) => counts.failures ?? [])
  .map((text) => stripVTControlCharacters(text).slice(0, 500));
const lines = [...failures.slice(0, 20), line].join('\n');
writeFileSync(join(cache, 'counts.txt'), `${lines}\n`);
console.log(lines);
process.exitCode = total('failed') > 0 ? 1 : 0;
