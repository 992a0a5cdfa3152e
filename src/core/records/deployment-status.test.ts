import { expect, test } from 'vitest';
import { isNewerVersion } from './deployment-status.ts';

test.each([
  ['1.10.0', '1.9.0', true],
  ['1.9.0', '1.10.0', false],
  ['1.0.0', '1.0.0', false],
  ['2.0', '1.9.9', true],
  ['1.0.1-beta', '1.0.0', true],
])('compares %s with %s by numbers: %s', (version, than, isNewer) => {
  expect(isNewerVersion(version, than)).toBe(isNewer);
});
