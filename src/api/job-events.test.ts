import { expect, test, vi } from 'vitest';
import type { Job } from '#core/ports/jobs.ts';
import type { App } from '#flows/context.ts';
import { createStreams, pollingWatcher } from './job-events.ts';

/** A job that ends when it is told to; each look at it counts. */
function storeOf(state: { looks: number; status: Job['status']; results?: number }): Pick<App, 'store'> {
  const readJob = async () => {
    state.looks += 1;
    return { status: state.status, results: Array.from({ length: state.results ?? 0 }) } as unknown as Job;
  };
  return { store: { forTenant: () => ({ readJob }) } as unknown as App['store'] };
}

test('all who follow a job share one look at a time, and each is told of every change once', async () => {
  vi.useFakeTimers();
  try {
    const state: { looks: number; status: Job['status'] } = { looks: 0, status: 'running' };
    const watcher = pollingWatcher(storeOf(state));
    const seenByStream: string[][] = [];
    const follow = async (index: number): Promise<void> => {
      const seen: string[] = (seenByStream[index] = []);
      for await (const { status } of watcher.watch('tenant', 'job', new AbortController().signal)) seen.push(status);
    };
    const all = Array.from({ length: 50 }, (_, index) => follow(index));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(state.looks).toBeLessThanOrEqual(11);
    const late = follow(50);
    await vi.advanceTimersByTimeAsync(1_000);
    state.status = 'finished';
    await vi.advanceTimersByTimeAsync(1_000);
    await Promise.all([...all, late]);
    expect(new Set(seenByStream.map((seen) => seen.join()))).toEqual(new Set(['running,finished']));
    expect(state.looks).toBeLessThanOrEqual(15);
  } finally {
    vi.useRealTimers();
  }
});

test('a job with thousands of results is looked at every few seconds', async () => {
  vi.useFakeTimers();
  try {
    const state = { looks: 0, status: 'running' as const, results: 5_000 };
    const leaving = new AbortController();
    const one = (async () => {
      for await (const _ of pollingWatcher(storeOf(state)).watch('tenant', 'job', leaving.signal));
    })();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(state.looks).toBeLessThanOrEqual(5);
    leaving.abort();
    await one;
  } finally {
    vi.useRealTimers();
  }
});

test('whoever reads slowly is told of the newest state, not of each one in between', async () => {
  vi.useFakeTimers();
  try {
    const state = { looks: 0, status: 'queued' as Job['status'], results: 0 };
    const events = pollingWatcher(storeOf(state)).watch('tenant', 'job', new AbortController().signal);
    const stream = events[Symbol.asyncIterator]();
    const first = stream.next();
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await first).value?.status).toBe('queued');
    state.status = 'running';
    for (const results of [1, 2, 3]) {
      state.results = results;
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect((await stream.next()).value?.results).toHaveLength(3);
    await stream.return?.(undefined);
  } finally {
    vi.useRealTimers();
  }
});

test('nobody looks any more once the last one has left', async () => {
  vi.useFakeTimers();
  try {
    const state: { looks: number; status: Job['status'] } = { looks: 0, status: 'running' };
    const watcher = pollingWatcher(storeOf(state));
    const leaving = new AbortController();
    const seen: string[] = [];
    const one = (async () => {
      for await (const { status } of watcher.watch('tenant', 'job', leaving.signal)) seen.push(status);
    })();
    await vi.advanceTimersByTimeAsync(1_000);
    leaving.abort();
    await one;
    const { looks } = state;
    await vi.advanceTimersByTimeAsync(10_000);
    expect([seen, state.looks]).toEqual([['running'], looks]);
  } finally {
    vi.useRealTimers();
  }
});

test('a user and a client have so many streams at once, and one that ends makes room', () => {
  const streams = createStreams();
  const leaves = Array.from({ length: 10 }, () => streams.open('one', 'client'));
  expect(() => streams.open('one', 'client')).toThrow('Too many requests');
  leaves[0]?.();
  leaves[0]?.();
  expect(() => streams.open('one', 'client')).not.toThrow();
  expect(() => streams.open('one', 'client')).toThrow('Too many requests');
  for (const user of ['two', 'three']) for (let count = 0; count < 10; count += 1) streams.open(user, 'client');
  expect(() => streams.open('four', 'client')).toThrow('Too many requests');
  expect(() => streams.open('four', 'another client')).not.toThrow();
});
