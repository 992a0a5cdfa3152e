import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Megabytes of the space for new objects of a process that has made many, most of them for a moment. */
function newSpaceOf(before: string): number {
  const program = `
    import { getHeapSpaceStatistics } from 'node:v8';
    ${before}
    const kept = [];
    for (let turn = 0; turn < 300; turn += 1) {
      const made = Array.from({ length: 20_000 }, (_, index) => ({ turn, index }));
      kept.push(made.slice(0, 200));
    }
    const space = getHeapSpaceStatistics().find((one) => one.space_name === 'new_space');
    console.log(Math.round(space.space_size / 1024 / 1024));
  `;
  const cwd = join(import.meta.dirname, '..', '..');
  return Number(execFileSync(process.execPath, ['--input-type=module', '--eval', program], { cwd, encoding: 'utf8' }));
}

test('the space for new objects of a worker stays as small as it began, and grows without being told to stay so', () => {
  const kept = newSpaceOf("import { keepNewSpaceSmall } from '#main/new-space.ts'; keepNewSpaceSmall();");
  expect(kept).toBeLessThanOrEqual(16);
  expect(newSpaceOf('')).toBeGreaterThan(kept);
});
