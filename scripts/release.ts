/**
 * `npm run release`: checks that this state can be released as the version in package.json: changelog, lock file,
 * bill of materials, security policy and a clean tree. Prints each check and exits 1 if one fails.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { billOfMaterials, gapsIn } from './sbom.ts';

const root = resolve(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

/** Returns what is wrong with the changelog of a release; null: nothing. */
export function changelogProblem(changelog: string, version: string): string | null {
  const sections = new Map(
    changelog
      .split(/^## /m)
      .slice(1)
      .map((section) => {
        const [title = '', ...lines] = section.split('\n');
        return [title.split(' ')[0], lines.filter((line) => line.startsWith('- ')).length] as const;
      }),
  );
  if ((sections.get('Unreleased') ?? 0) > 0) return `move the lines of “Unreleased” to a section “${version}”`;
  if ((sections.get(version) ?? 0) === 0) return `add a section “${version}”`;
  return null;
}

/** The checks by name; each returns what to do, or null. */
const checks: Readonly<Record<string, () => string | null>> = {
  'lock file': () => {
    const { version } = JSON.parse(read('package-lock.json')) as { readonly version: string };
    return version === versionOf() ? null : 'run “npm install --package-lock-only”';
  },
  changelog: () => changelogProblem(read('CHANGELOG.md'), versionOf()),
  'bill of materials': () => {
    const gaps = gapsIn(billOfMaterials());
    return gaps.length === 0 ? null : gaps.join(', ');
  },
  'security policy': () => (/fix or a plan/.test(read('SECURITY.md')) ? null : 'SECURITY.md needs the response times'),
  tag: () => (git('tag', '--list', `v${versionOf()}`) === '' ? null : 'raise the version: this one is released'),
  'clean tree': () => (git('status', '--porcelain') === '' ? null : 'commit or remove the changed files'),
};

const versionOf = (): string => (JSON.parse(read('package.json')) as { readonly version: string }).version;

if (import.meta.main) {
  let failed = 0;
  for (const [name, check] of Object.entries(checks)) {
    const wrong = check();
    if (wrong !== null) failed += 1;
    console.log(wrong === null ? `✓ ${name}` : `✗ ${name}: ${wrong}`);
  }
  console.log(
    failed === 0 ? `Tag it: git tag v${versionOf()}` : `Not ready: ${failed} of ${Object.keys(checks).length}.`,
  );
  process.exitCode = failed === 0 ? 0 : 1;
}
