import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { settingKeys } from '#core/settings/definitions.ts';

/** Sources that use settings. A setting that only forms mention has no effect. */
const root = join(import.meta.dirname, '..', '..', 'src');
const rules = globSync('{core,flows,worker,store}/**/*.ts', { cwd: root })
  .filter((path) => !/\.test\.ts$|^core\/settings\/|^core\/problems/.test(path))
  // Without comments.
  .map((path) => readFileSync(join(root, path), 'utf8').replaceAll(/\/\*[^]*?\*\/|\/\/.*$/gm, ''))
  .join('\n');

test('every setting is read by a rule', () => {
  const unread = settingKeys.filter((key) => !new RegExp(`\\b${key}\\b`).test(rules));
  expect(unread).toEqual([]);
});
