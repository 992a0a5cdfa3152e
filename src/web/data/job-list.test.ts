import { expect, test } from 'vitest';
import type { JobReply } from '#contract/jobs.ts';
import { isWhole, withJob, withResults } from './job-list.ts';

const result: JobReply['results'][number] = {
  entityid: 48213,
  outcome: 'succeeded',
  message: 'Synced.',
  log_key: 'k',
  awaits_approval: false,
  what: 'Invoice',
  number: '1042',
  party: 'Acme Dental',
  amount: '1966.25',
  currency: 'USD',
  date: '2025-03-03',
};
const job = (id: string, values: Partial<JobReply> = {}): JobReply => ({
  id,
  type: 'invoice',
  trigger: 'manual',
  mode: 'live',
  force: false,
  choice: null,
  update: false,
  status: 'running',
  message: null,
  ids: null,
  total: 2,
  done: 0,
  succeeded: 0,
  failed: 0,
  skipped: 0,
  held: 0,
  submitted_by: null,
  created_at: '2025-03-03T12:00:00Z',
  finished_at: null,
  cancel_requested: false,
  results: [],
  ...values,
});

test('replaces a known job and adds a new one first', () => {
  expect(withJob(undefined, job('a')).map(({ id }) => id)).toEqual(['a']);
  expect(withJob([job('a'), job('b')], job('b', { done: 1 }))).toEqual([job('a'), job('b', { done: 1 })]);
  expect(withJob([job('a')], job('b')).map(({ id }) => id)).toEqual(['b', 'a']);
});

test('a list without results keeps the known results', () => {
  const known = [job('a', { done: 1, results: [result] })];
  const ended = job('a', { status: 'finished', done: 2 });
  expect(withResults(known, [job('b'), ended])).toEqual([job('b'), { ...ended, results: [result] }]);
  const both = [result, { ...result, entityid: 48214 }];
  expect(withResults(known, [{ ...ended, results: both }])).toEqual([{ ...ended, results: both }]);
  expect(withResults(undefined, [ended])).toEqual([ended]);
});

test('follows a job until it has ended and all its results arrived', () => {
  expect(isWhole(job('a', { status: 'running', done: 1, results: [result] }))).toBe(false);
  expect(isWhole(job('a', { status: 'finished', done: 1 }))).toBe(false);
  expect(isWhole(job('a', { status: 'finished', done: 1, results: [result] }))).toBe(true);
  expect(isWhole(job('a', { status: 'failed', done: 0 }))).toBe(true);
});
