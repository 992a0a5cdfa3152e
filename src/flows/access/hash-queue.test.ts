import { expect, test } from 'vitest';
import { createHashQueue } from './hash-queue.ts';

/** A queue whose hashes end when the test ends them. */
function newQueue() {
  const queue = createHashQueue({ atOnce: 2, waiting: 4, reserved: 2, crowd: 9, pause: 0 });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (name: string, isUnknown: boolean) =>
    queue.run(() => {
      begun.push(name);
      return new Promise<void>((end) => ends.set(name, end));
    }, isUnknown);
  const end = async (name: string) => {
    ends.get(name)?.();
    for (let round = 0; round < 10; round += 1) await Promise.resolve();
  };
  return { begun, ask, end };
}

test('computes two hashes at once, known callers before unknown ones', async () => {
  const { begun, ask, end } = newQueue();
  for (const [name, isUnknown] of [
    ['unknown 1', true],
    ['unknown 2', true],
    ['unknown 3', true],
    ['known 1', false],
  ] as const)
    void ask(name, isUnknown);
  await end('none yet');
  expect(begun).toEqual(['unknown 1', 'unknown 2']);
  await end('unknown 1');
  expect(begun.at(-1)).toBe('known 1');
  await end('unknown 2');
  expect(begun.at(-1)).toBe('unknown 3');
});

test('rejects an unknown caller when half of the queue is full, and a known caller when all of it is', async () => {
  const { ask, begun, end } = newQueue();
  for (let count = 0; count < 4; count += 1) void ask(`unknown ${count}`, true);
  await expect(ask('one too many', true)).rejects.toMatchObject({ kind: 'overloaded', code: 'too_busy' });
  for (let count = 0; count < 2; count += 1) void ask(`known ${count}`, false);
  await expect(ask('known too', false)).rejects.toMatchObject({ kind: 'overloaded' });
  await end('unknown 0');
  expect(begun.at(-1)).toBe('known 0');
});

test('releases the slot when a hash fails', async () => {
  const queue = createHashQueue({ atOnce: 1, waiting: 1, reserved: 0, crowd: 9, pause: 0 });
  await expect(queue.run(() => Promise.reject(new Error('no memory')), true)).rejects.toThrow('no memory');
  await expect(queue.run(() => Promise.resolve('done'), true)).resolves.toBe('done');
});

test("computes a crowd's hashes one at a time with pauses for known callers", async () => {
  const pauses: (() => void)[] = [];
  const queue = createHashQueue(
    { atOnce: 2, waiting: 10, reserved: 0, crowd: 2, pause: 3 },
    () => new Promise<void>((over) => pauses.push(over)),
  );
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (name: string, isUnknown: boolean) =>
    queue.run(() => {
      begun.push(name);
      return new Promise<void>((end) => ends.push(end));
    }, isUnknown);
  const turn = () => new Promise((soon) => setImmediate(soon));
  for (const name of ['1', '2', '3', '4', '5']) void ask(name, true);
  await turn();
  expect(begun).toEqual(['1', '2']);
  ends.shift()?.();
  await turn();
  // The second hash began before the queue was crowded. After the first one, only a known caller's hash begins.
  expect([begun, pauses.length]).toEqual([['1', '2'], 1]);
  void ask('known', false);
  await turn();
  expect(begun).toEqual(['1', '2', 'known']);
  ends.shift()?.();
  ends.shift()?.();
  await turn();
  expect(begun).toEqual(['1', '2', 'known']);
  pauses.shift()?.();
  await turn();
  expect(begun).toEqual(['1', '2', 'known', '3']);
});
