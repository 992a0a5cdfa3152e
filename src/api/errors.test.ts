import { expect, test } from 'vitest';
import { StoreUnavailable } from '#core/ports/unavailable.ts';
import { answerOf } from './errors.ts';

const app = {
  descriptors: {
    psa: { key: 'autotask', label: 'Autotask', shortLabel: 'Autotask' },
    accounting: { key: 'qbo', label: 'QuickBooks Online', shortLabel: 'QuickBooks' },
  },
} as unknown as Parameters<typeof answerOf>[1];

test('a database that is away is a 503 that says when to try again, and shows nothing of where it is', () => {
  const answer = answerOf(new StoreUnavailable('The database at db.internal:5432/tallybridge cannot be reached.'), app);
  expect(answer).toMatchObject({ status: 503, code: 'service_unavailable', retryAfterSeconds: 5 });
  expect(answer.message).not.toContain('db.internal');
});

test('whatever nobody knows stays a 500 without its insides', () => {
  expect(answerOf(new TypeError('Impossible: planted'), app)).toMatchObject({ status: 500, message: 'Server error.' });
});
