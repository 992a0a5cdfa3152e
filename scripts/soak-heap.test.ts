import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { inspectHeap, inspectOption } from './soak-heap.ts';

const mebibyte = 1024 * 1024;

test('measures live objects without uncollected garbage', async () => {
  // Holds 30 MiB of objects, and releases three times as much on each message.
  const program = `
    const make = () => Array.from({ length: ${(30 * mebibyte) / 32} }, (_, index) => ({ index }));
    globalThis.kept = make();
    process.stdin.on('data', () => { for (let turn = 0; turn < 3; turn += 1) globalThis.last = make().length; console.log('made'); });
    console.log('ready');`;
  const child = spawn(process.execPath, [inspectOption, '-e', program], { stdio: 'pipe' });
  let output = '';
  child.stdout.on('data', (text) => (output += String(text)));
  child.stderr.on('data', (text) => (output += String(text)));
  try {
    await expect.poll(() => output, { timeout: 20_000 }).toContain('ready');
    const heap = inspectHeap(output);
    const before = await heap.aliveMb();
    expect(before).toBeGreaterThan(25);
    child.stdin.write('more\n');
    await expect.poll(() => output, { timeout: 20_000 }).toContain('made');
    expect(Math.abs((await heap.aliveMb()) - before)).toBeLessThan(5);
  } finally {
    child.kill();
  }
});

test('rejects a process without an inspector', () => {
  expect(() => inspectHeap('Listening on http://127.0.0.1:3000')).toThrow('has no inspector');
});
