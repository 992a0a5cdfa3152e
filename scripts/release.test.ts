import { expect, test } from 'vitest';
import { changelogProblem } from './release.ts';

const changelog = (unreleased: string) => `# Changelog

## Unreleased
${unreleased}
## 1.1.0 (Dec 1, 2026)

### Syncing

- Added: partial refunds.

## 1.0.0

- First release.
`;

test('a release needs a section of its version and nothing unreleased', () => {
  expect(changelogProblem(changelog(''), '1.1.0')).toBeNull();
  expect(changelogProblem(changelog('\n- Fixed: totals.\n'), '1.1.0')).toBe(
    'move the lines of “Unreleased” to a section “1.1.0”',
  );
  expect(changelogProblem(changelog(''), '1.2.0')).toBe('add a section “1.2.0”');
});
