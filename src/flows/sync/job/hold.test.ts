import { expect, test, vi } from 'vitest';
import { createHold } from './hold.ts';

/** Waiters of a hold by name, and the released ones in order. */
function waiters(hold: ReturnType<typeof createHold>) {
  const gone: string[] = [];
  return {
    gone,
    wait: (name: string) => void hold.wait().then(() => gone.push(name)),
  };
}
const turn = () => new Promise((go) => process.nextTick(go));

test('nobody waits while nothing is under way', async () => {
  const { gone, wait } = waiters(createHold({ isBusy: () => false, maxCount: 10, maxMs: 1_000 }));
  wait('one');
  await turn();
  expect(gone).toEqual(['one']);
});

test('while something is under way they wait, and go together: when it ends, or when they are many', async () => {
  const hold = createHold({ isBusy: () => true, maxCount: 3, maxMs: 60_000 });
  const { gone, wait } = waiters(hold);
  wait('one');
  wait('two');
  await turn();
  expect(gone).toEqual([]);
  hold.release();
  await turn();
  expect(gone).toEqual(['one', 'two']);
  for (const name of ['three', 'four', 'five']) wait(name);
  await turn();
  expect(gone).toEqual(['one', 'two', 'three', 'four', 'five']);
});

test('nobody waits longer than allowed, and what comes later has its own time', async () => {
  vi.useFakeTimers();
  try {
    const { gone, wait } = waiters(createHold({ isBusy: () => true, maxCount: 10, maxMs: 1_000 }));
    wait('one');
    await vi.advanceTimersByTimeAsync(900);
    wait('two');
    expect(gone).toEqual([]);
    await vi.advanceTimersByTimeAsync(100);
    expect(gone).toEqual(['one', 'two']);
    wait('three');
    await vi.advanceTimersByTimeAsync(900);
    expect(gone).toEqual(['one', 'two']);
    await vi.advanceTimersByTimeAsync(100);
    expect(gone).toEqual(['one', 'two', 'three']);
  } finally {
    vi.useRealTimers();
  }
});
