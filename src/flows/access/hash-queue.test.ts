import { expect, test } from 'vitest';
import { createHashQueue } from './hash-queue.ts';

/** A queue whose hashes end when the test ends them. */
function newQueue() {
  const queue = createHashQueue({ atOnce: 2, waiting: 4, reserved: 2, crowd: 9, pause: 0 });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (name: string, isStranger: boolean) =>
    queue.run(() => {
      begun.push(name);
      return new Promise<void>((end) => ends.set(name, end));
    }, isStranger);
  const end = async (name: string) => {
    ends.get(name)?.();
    for (let round = 0; round < 10; round += 1) await Promise.resolve();
  };
  return { begun, ask, end };
}

test('computes two hashes at once, and known callers before strangers', async () => {
  const { begun, ask, end } = newQueue();
  for (const [name, isStranger] of [
    ['stranger 1', true],
    ['stranger 2', true],
    ['stranger 3', true],
    ['known 1', false],
  ] as const)
    void ask(name, isStranger);
  await end('none yet');
  expect(begun).toEqual(['stranger 1', 'stranger 2']);
  await end('stranger 1');
  expect(begun.at(-1)).toBe('known 1');
  await end('stranger 2');
  expect(begun.at(-1)).toBe('stranger 3');
});

test('refuses a stranger while half of the line waits, and a known caller when all of it does', async () => {
  const { ask, begun, end } = newQueue();
  for (let count = 0; count < 4; count += 1) void ask(`stranger ${count}`, true);
  await expect(ask('one too many', true)).rejects.toMatchObject({ kind: 'overloaded', code: 'too_busy' });
  for (let count = 0; count < 2; count += 1) void ask(`known ${count}`, false);
  await expect(ask('known too', false)).rejects.toMatchObject({ kind: 'overloaded' });
  await end('stranger 0');
  expect(begun.at(-1)).toBe('known 0');
});

test('gives the place back when a hash fails', async () => {
  const queue = createHashQueue({ atOnce: 1, waiting: 1, reserved: 0, crowd: 9, pause: 0 });
  await expect(queue.run(() => Promise.reject(new Error('no memory')), true)).rejects.toThrow('no memory');
  await expect(queue.run(() => Promise.resolve('done'), true)).resolves.toBe('done');
});

test('computes the hashes of a crowd of strangers one at a time, with pauses in which known callers are served', async () => {
  const pauses: (() => void)[] = [];
  const queue = createHashQueue(
    { atOnce: 2, waiting: 10, reserved: 0, crowd: 2, pause: 3 },
    () => new Promise<void>((over) => pauses.push(over)),
  );
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (name: string, isStranger: boolean) =>
    queue.run(() => {
      begun.push(name);
      return new Promise<void>((end) => ends.push(end));
    }, isStranger);
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
