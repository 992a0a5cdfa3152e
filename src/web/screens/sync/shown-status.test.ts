import { expect, test } from 'vitest';
import type { LiveState } from './live-states.ts';
import { shownStatus } from './shown-status.ts';

const quiet = { status: 'not_synced', live: null, awaitsApproval: false, isOnHold: false } as const;
const job = (more: Partial<LiveState>): LiveState => ({
  isTest: false,
  outcome: 'held',
  message: '',
  logKey: null,
  awaitsApproval: false,
  ...more,
});

test.each([
  [{}, 'not_synced'],
  [{ isOnHold: true }, 'held'],
  [{ isOnHold: true, status: 'error' }, 'held'],
  [{ isOnHold: true, status: 'synced' }, 'synced'],
  [{ isOnHold: true, awaitsApproval: true }, 'awaits_approval'],
  [{ live: job({}) }, 'held'],
  [{ live: job({ awaitsApproval: true }) }, 'awaits_approval'],
  [{ live: job({ outcome: 'failed' }), isOnHold: true }, 'error'],
  [{ live: job({ isTest: true }) }, 'not_synced'],
] as const)('%j is shown as %s', (row, shown) => {
  expect(shownStatus({ ...quiet, ...row })).toBe(shown);
});
