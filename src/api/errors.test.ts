import { expect, test } from 'vitest';
import { StoreUnavailable } from '#core/records/unavailable.ts';
import { answerOf } from './errors.ts';

const app = {
  descriptors: {
    psa: { key: 'autotask', label: 'Autotask', shortLabel: 'Autotask' },
    accounting: { key: 'qbo', label: 'QuickBooks Online', shortLabel: 'QuickBooks' },
  },
} as unknown as Parameters<typeof answerOf>[1];

test('returns 503 with a retry time for an unreachable database, without its address', () => {
  const answer = answerOf(new StoreUnavailable('The database at db.internal:5432/tallybridge cannot be reached.'), app);
  expect(answer).toMatchObject({ status: 503, code: 'service_unavailable', retryAfterSeconds: 5 });
  expect(answer.message).not.toContain('db.internal');
});

test('returns 500 without details for an unknown error', () => {
  expect(answerOf(new TypeError('Impossible: planted'), app)).toMatchObject({ status: 500, message: 'Server error.' });
});
