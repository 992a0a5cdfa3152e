import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { consentEndsSoon, statusText, subscriptionStatuses } from './tenant.ts';
import { addSeconds, instant } from './values/dates.ts';

test('statuses are words of US English', () => {
  expect(subscriptionStatuses.map(statusText)).toEqual(['pending', 'active', 'suspended', 'canceled']);
});

describe('the end of consent', () => {
  const now = instant('2025-03-03T15:00:00Z');
  const day = 86_400;

  test('is announced 30 days ahead', () => {
    expect(consentEndsSoon(addSeconds(now, 30 * day), now)).toBe(false);
    expect(consentEndsSoon(addSeconds(now, 30 * day - 1), now)).toBe(true);
    expect(consentEndsSoon(addSeconds(now, -day), now)).toBe(true);
    expect(consentEndsSoon(null, now)).toBe(false);
  });

  test('remains announced', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 200 * day }), fc.nat({ max: 60 * day }), (left, later) => {
        const endsAt = addSeconds(now, left);
        const [first, then] = [consentEndsSoon(endsAt, now), consentEndsSoon(endsAt, addSeconds(now, later))];
        expect(!first || then).toBe(true);
      }),
      { seed: 1 },
    );
  });
});
