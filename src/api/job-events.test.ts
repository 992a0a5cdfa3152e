import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Job } from '#core/records/jobs.ts';
import type { App } from '#flows/context.ts';
import { createStreams, jobWatcher } from './job-events.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A job whose status and results a test sets, with a count of its reads. */
interface WatchedJob {
  reads: number;
  status: Job['status'];
  results: number;
}
const runningJob = (): WatchedJob => ({ reads: 0, status: 'running', results: 0 });

/** A store with one job that counts its reads. */
function storeOf(state: WatchedJob): Pick<App, 'store'> {
  const readJob = async () => {
    state.reads += 1;
    return { status: state.status, results: Array.from({ length: state.results }) } as unknown as Job;
  };
  return { store: { forTenant: () => ({ readJob }) } as unknown as App['store'] };
}

/**
 * Follows a job until it ends or the follower leaves.
 *
 * @returns the facts reported so far, and a promise that resolves when the stream ends.
 */
function follow<T>(watcher: ReturnType<typeof jobWatcher>, factOf: (job: Job) => T) {
  const seen: T[] = [];
  const leaving = new AbortController();
  const ended = (async () => {
    for await (const job of watcher.watch('tenant', 'job', leaving.signal)) seen.push(factOf(job));
  })();
  return { seen, ended, leave: () => (leaving.abort(), ended) };
}
const statusOf = ({ status }: Job): Job['status'] => status;
const countOf = ({ results }: Job): number => results.length;

test('followers of a job share one read, and each receives every change once', async () => {
  const state = runningJob();
  const watcher = jobWatcher(storeOf(state));
  const all = Array.from({ length: 50 }, () => follow(watcher, statusOf));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(state.reads).toBeLessThanOrEqual(11);
  all.push(follow(watcher, statusOf));
  await vi.advanceTimersByTimeAsync(1_000);
  state.status = 'finished';
  await vi.advanceTimersByTimeAsync(1_000);
  await Promise.all(all.map(({ ended }) => ended));
  expect(new Set(all.map(({ seen }) => seen.join()))).toEqual(new Set(['running,finished']));
  expect(state.reads).toBeLessThanOrEqual(15);
});

test('reads a job with thousands of results every few seconds', async () => {
  const state = { ...runningJob(), results: 5_000 };
  const { leave } = follow(jobWatcher(storeOf(state)), countOf);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(state.reads).toBeLessThanOrEqual(5);
  await leave();
});

test('sends a slow reader only the latest state', async () => {
  const state: WatchedJob = { ...runningJob(), status: 'queued' };
  const events = jobWatcher(storeOf(state)).watch('tenant', 'job', new AbortController().signal);
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
});

test('stops reading after the last follower left', async () => {
  const state = runningJob();
  const { seen, leave } = follow(jobWatcher(storeOf(state)), statusOf);
  await vi.advanceTimersByTimeAsync(1_000);
  await leave();
  const { reads } = state;
  await vi.advanceTimersByTimeAsync(10_000);
  expect([seen, state.reads]).toEqual([['running'], reads]);
});

/** Announcements made by a test; they arrive until the test loses the connection. */
function announcing() {
  let tell: (payload: string) => void = () => undefined;
  let isLost = false;
  return {
    announcements: {
      on: (_: unknown, listener: (payload: string) => void) => void (tell = listener),
      ensure: () => (isLost ? Promise.reject(new Error('lost')) : Promise.resolve()),
    },
    tell: (payload: string) => tell(payload),
    lose: () => void (isLost = true),
  };
}

test('reads a job when a change is announced and rarely otherwise', async () => {
  const state = runningJob();
  const { announcements, tell } = announcing();
  const { seen, ended } = follow(jobWatcher(storeOf(state), announcements), countOf);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([state.reads <= 12, seen]).toEqual([true, [0]]);
  // Announcements of other jobs and of other clients are ignored.
  const { reads } = state;
  tell('tenant another');
  tell('another job');
  await vi.advanceTimersByTimeAsync(1);
  expect(state.reads).toBe(reads);
  state.results = 1;
  tell('tenant job');
  await vi.advanceTimersByTimeAsync(1);
  expect(seen).toEqual([0, 1]);
  // Reads are half a second apart, no matter how many changes are announced.
  const before = state.reads;
  for (let change = 2; change <= 100; change += 1) {
    state.results = change;
    tell('tenant job');
    await vi.advanceTimersByTimeAsync(10);
  }
  expect(state.reads - before).toBeLessThanOrEqual(2);
  await vi.advanceTimersByTimeAsync(600);
  expect(seen.at(-1)).toBe(100);
  state.status = 'finished';
  tell('tenant job');
  await vi.advanceTimersByTimeAsync(600);
  await ended;
});

test('notices a change after seconds if its announcement was lost, and twice a second without announcements', async () => {
  const state = runningJob();
  const { announcements, lose } = announcing();
  const { seen, leave } = follow(jobWatcher(storeOf(state), announcements), countOf);
  await vi.advanceTimersByTimeAsync(100);
  state.results = 1;
  await vi.advanceTimersByTimeAsync(6_000);
  expect(seen).toEqual([0, 1]);
  lose();
  await vi.advanceTimersByTimeAsync(6_000);
  const { reads } = state;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(state.reads - reads).toBeGreaterThanOrEqual(19);
  await leave();
});

test('limits streams per user and client, and a closed stream frees a slot', () => {
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
