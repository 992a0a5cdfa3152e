import { expect, test } from 'vitest';
import type { Job } from './records/jobs.ts';
import { stillStopped } from './stopped-jobs.ts';
import { instant } from './values/dates.ts';

const failedAt = instant('2025-03-03T15:00:00Z');
const job = (change: Partial<Job> = {}): Job => ({
  id: 'one',
  kind: 'invoice',
  mode: 'live',
  force: false,
  trigger: 'automatic',
  logLevel: 'debug',
  psaIds: null,
  submittedBy: null,
  createdAt: failedAt,
  sameAs: 'automatic|invoice',
  status: 'failed',
  total: null,
  done: 0,
  succeeded: 0,
  failed: 0,
  skipped: 0,
  held: 0,
  message: 'Autotask did not respond.',
  stopCode: 'PSA_UNREACHABLE',
  cancelRequestedAt: null,
  startedAt: failedAt,
  finishedAt: failedAt,
  results: [],
  ...change,
});
const ids = (one: Job, polledAt: string | null, now = '2025-03-03T15:20:00Z') =>
  stillStopped([one], { invoice: { polledAt: polledAt === null ? null : instant(polledAt) } }, instant(now)).map(
    ({ id }) => id,
  );

test('shows a stopped job until a later scheduled check succeeds, for at most a day', () => {
  expect(ids(job(), null)).toEqual(['one']);
  expect(ids(job(), '2025-03-03T14:45:00Z')).toEqual(['one']);
  expect(ids(job(), '2025-03-03T15:15:00Z')).toEqual([]);
  expect(ids(job(), null, '2025-03-04T14:59:59Z')).toEqual(['one']);
  expect(ids(job(), null, '2025-03-04T15:00:00Z')).toEqual([]);
});

test('a scheduled check does not replace a manual job', () => {
  expect(ids(job({ trigger: 'manual' }), '2025-03-03T15:15:00Z')).toEqual(['one']);
});

test('ignores jobs that ended or still run', () => {
  for (const status of ['finished', 'cancelled', 'running', 'queued'] as const)
    expect(ids(job({ status }), null)).toEqual([]);
});
