import { expect, test, vi } from 'vitest';
import { createHold } from './create-run.ts';

/** Collects the waiters of a hold by name, and the released ones in order. */
function waiters(hold: ReturnType<typeof createHold>) {
  const released: string[] = [];
  return {
    released,
    wait: (name: string) => void hold.wait().then(() => released.push(name)),
  };
}
const nextTick = () => new Promise((go) => process.nextTick(go));

test('releases waiters at once when idle', async () => {
  const { released, wait } = waiters(createHold({ isBusy: () => false, maxCount: 10, maxMs: 1_000 }));
  wait('one');
  await nextTick();
  expect(released).toEqual(['one']);
});

test('holds waiters while busy and releases them together when idle or many', async () => {
  const hold = createHold({ isBusy: () => true, maxCount: 3, maxMs: 60_000 });
  const { released, wait } = waiters(hold);
  wait('one');
  wait('two');
  await nextTick();
  expect(released).toEqual([]);
  hold.release();
  await nextTick();
  expect(released).toEqual(['one', 'two']);
  for (const name of ['three', 'four', 'five']) wait(name);
  await nextTick();
  expect(released).toEqual(['one', 'two', 'three', 'four', 'five']);
});

test('releases waiters after the maximum time, later ones separately', async () => {
  vi.useFakeTimers();
  try {
    const { released, wait } = waiters(createHold({ isBusy: () => true, maxCount: 10, maxMs: 1_000 }));
    wait('one');
    await vi.advanceTimersByTimeAsync(900);
    wait('two');
    expect(released).toEqual([]);
    await vi.advanceTimersByTimeAsync(100);
    expect(released).toEqual(['one', 'two']);
    wait('three');
    await vi.advanceTimersByTimeAsync(900);
    expect(released).toEqual(['one', 'two']);
    await vi.advanceTimersByTimeAsync(100);
    expect(released).toEqual(['one', 'two', 'three']);
  } finally {
    vi.useRealTimers();
  }
});
