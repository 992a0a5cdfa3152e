import { afterEach, expect, test, vi } from 'vitest';
import { createHashQueue, type HashCaller, type HashQueueRules } from './hash-queue.ts';

const rules: HashQueueRules = { atOnce: 2, perCaller: 3, strangers: 4, rest: 3, maxWaitMs: 5_000 };
const user = (name: string): HashCaller => ({ user: name });
const network = (name: string): HashCaller => ({ network: name });

/** A queue whose hashes and rests end when the test ends them. */
function newQueue() {
  const rests: (() => void)[] = [];
  const queue = createHashQueue(rules, () => new Promise<void>((over) => rests.push(over)));
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const settle = async () => {
    for (let round = 0; round < 10; round += 1) await Promise.resolve();
  };
  const ask = (name: string, caller: HashCaller | null) => {
    const asked = queue.run(() => {
      begun.push(name);
      return new Promise<void>((end) => ends.set(name, end));
    }, caller);
    asked.catch(() => undefined);
    return asked;
  };
  const end = async (name: string) => {
    ends.get(name)?.();
    await settle();
  };
  const rest = async () => {
    for (const over of rests.splice(0)) over();
    await settle();
  };
  return { begun, ask, end, rest, settle };
}

afterEach(() => vi.useRealTimers());

test('lets users and unknown browsers take turns, whoever sends more', async () => {
  const { begun, ask, end, rest, settle } = newQueue();
  for (const name of ['a1', 'a2', 'a3']) void ask(name, user('a'));
  for (const name of ['s1', 's2']) void ask(name, network('s'));
  void ask('b1', user('b'));
  await settle();
  expect(begun).toEqual(['a1', 's1']);
  for (const name of ['a1', 's1']) await end(name);
  // The lanes rest, so only another user's hash begins.
  expect(begun).toEqual(['a1', 's1', 'b1']);
  await rest();
  expect(begun).toEqual(['a1', 's1', 'b1', 'a2']);
  for (const name of ['b1', 'a2']) await end(name);
  expect(begun.at(-1)).toBe('s2');
});

test('computes one hash of a lane at a time and then rests, with any number of waiting hashes', async () => {
  for (const count of [2, 3, 4]) {
    const { begun, ask, end, rest, settle } = newQueue();
    for (let index = 0; index < count; index += 1) void ask(`${index}`, user('a'));
    await settle();
    expect(begun).toEqual(['0']);
    await end('0');
    expect(begun).toEqual(['0']);
    await rest();
    expect(begun).toEqual(['0', '1']);
  }
});

test('lets unknown browsers of different networks take turns', async () => {
  const { begun, ask, end, rest, settle } = newQueue();
  for (const name of ['x1', 'x2', 'x3']) void ask(name, network('x'));
  void ask('y1', network('y'));
  await settle();
  await end('x1');
  await rest();
  await end('x2');
  await rest();
  expect(begun).toEqual(['x1', 'x2', 'y1']);
});

test('refuses a caller with too many waiting hashes, and unknown browsers together', async () => {
  const { ask, settle } = newQueue();
  for (let index = 0; index < 4; index += 1) void ask(`a${index}`, user('a'));
  await settle();
  await expect(ask('a4', user('a'))).rejects.toMatchObject({ kind: 'overloaded', code: 'too_busy' });
  for (let index = 0; index < 5; index += 1) void ask(`s${index}`, network(`${index}`));
  await settle();
  await expect(ask('s5', network('5'))).rejects.toMatchObject({ kind: 'overloaded' });
  void ask('b0', user('b'));
});

test('gives up a hash that has waited for five seconds', async () => {
  vi.useFakeTimers();
  const { begun, ask, end, rest, settle } = newQueue();
  void ask('1', user('a'));
  const late = ask('2', user('a'));
  await settle();
  await vi.advanceTimersByTimeAsync(5_000);
  await expect(late).rejects.toMatchObject({ kind: 'overloaded', code: 'too_busy' });
  await end('1');
  await rest();
  expect(begun).toEqual(['1']);
});

test('frees the lane when a hash fails, and gives hashes without a caller a separate lane', async () => {
  const { begun, ask, settle, rest } = newQueue();
  const queue = createHashQueue(rules, () => Promise.resolve());
  await expect(queue.run(() => Promise.reject(new Error('no memory')), user('a'))).rejects.toThrow('no memory');
  await expect(queue.run(() => Promise.resolve('done'), user('a'))).resolves.toBe('done');
  for (const name of ['1', '2', '3']) void ask(name, null);
  await settle();
  await rest();
  expect(begun).toEqual(['1', '2']);
});
