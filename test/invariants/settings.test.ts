import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { settingKeys } from '#core/settings/definitions.ts';

/** Sources of rules: a setting that only a form or a table of settings knows does nothing. */
const root = join(import.meta.dirname, '..', '..', 'src');
const rules = globSync('{core,flows,worker,store}/**/*.ts', { cwd: root })
  .filter((path) => !/\.test\.ts$|^core\/settings\/|^core\/problems/.test(path))
  // Comments go: a setting that only they name is not read.
  .map((path) => readFileSync(join(root, path), 'utf8').replaceAll(/\/\*[^]*?\*\/|\/\/.*$/gm, ''))
  .join('\n');

test('every setting is read by a rule: a switch that does nothing is a defect', () => {
  const unread = settingKeys.filter((key) => !new RegExp(`\\b${key}\\b`).test(rules));
  expect(unread).toEqual([]);
});
