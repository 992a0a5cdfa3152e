import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const imported = "import { keepHeapSmall } from '#main/small-heap.ts'; keepHeapSmall();";

/** Runs a program in a separate process and returns its output in megabytes. */
function megabytesOf(before: string, program: string): number {
  const cwd = join(import.meta.dirname, '..', '..');
  const text = `import { getHeapSpaceStatistics } from 'node:v8';\n${before}\n${program}`;
  const answer = execFileSync(process.execPath, ['--input-type=module', '--eval', text], { cwd, encoding: 'utf8' });
  return Math.round(Number(answer) / 1_048_576);
}

test('limits the space for new objects, which otherwise grows', () => {
  const program = `
    const kept = [];
    for (let turn = 0; turn < 300; turn += 1) {
      const made = Array.from({ length: 20_000 }, (_, index) => ({ turn, index }));
      kept.push(made.slice(0, 200));
    }
    console.log(getHeapSpaceStatistics().find((one) => one.space_name === 'new_space').space_size);
  `;
  const limited = megabytesOf(imported, program);
  expect(limited).toBeLessThanOrEqual(16);
  expect(megabytesOf('', program)).toBeGreaterThan(limited);
});

test('stays near the live size with medium-lived objects, and otherwise grows to a multiple', () => {
  // About 30 MB are alive at any time: 300 documents, each until 300 others were created.
  const program = `
    const documents = [];
    let most = 0;
    for (let made = 0; made < 6_000; made += 1) {
      documents[made % 300] = Array.from({ length: 1_500 }, (_, line) => ({ made, line, next: null }));
      if (made < 1_000 || made % 20 !== 0) continue;
      const old = getHeapSpaceStatistics().find((one) => one.space_name === 'old_space');
      most = Math.max(most, old.space_used_size);
    }
    console.log(most);
  `;
  const smallNew = "import { setFlagsFromString } from 'node:v8'; setFlagsFromString('--semi-space-growth-factor=1');";
  expect(megabytesOf(imported, program) * 1.5).toBeLessThan(megabytesOf(smallNew, program));
});
