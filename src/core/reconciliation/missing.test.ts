import { expect, test } from 'vitest';
import { instant } from '../values/dates.ts';
import { missingClass, type MissingFacts } from './missing.ts';

const facts: MissingFacts = {
  createdAt: instant('2026-02-10T00:00:00Z'),
  outcome: null,
  window: instant('2026-02-01T00:00:00Z'),
  startsAt: instant('2026-02-01T00:00:00Z'),
  isSendable: true,
};

test.each([
  ['no obstacle', {}, 'missing_not_taken_up'],
  ['it failed', { outcome: 'failed' }, 'missing_error'],
  ['it is on hold and now too old', { outcome: 'held', createdAt: instant('2020-01-01T00:00:00Z') }, 'missing_held'],
  ['it needs approval', { outcome: 'awaits_approval' }, 'missing_awaits_approval'],
  ['it was only tested', { outcome: 'tested' }, 'missing_test_only'],
  ['it is older than the window', { createdAt: instant('2026-01-31T23:59:59Z') }, 'missing_outside_age'],
  ['it is older than the sync start date', { startsAt: instant('2026-02-15T00:00:00Z') }, 'missing_before_start'],
  ['it is canceled', { isSendable: false }, 'missing_not_posting'],
] as const)('explains why a document is missing in QuickBooks: %s', (_what, of, expected) => {
  expect(missingClass({ ...facts, ...of })).toBe(expected);
});
