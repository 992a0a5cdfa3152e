import { assert, double, integer, property, uuid } from 'fast-check';
import { expect, test } from 'vitest';
import { searchedKinds } from './kinds.ts';
import { cycleOrder, isAutomatic, nextSyncAt } from './schedule.ts';
import { defaultSettings } from './settings/definitions.ts';
import { addSeconds, epochMs, instant, secondsBetween } from './values/dates.ts';

const now = instant('2025-03-03T15:00:00Z');
const next = (of: Partial<Parameters<typeof nextSyncAt>[0]> = {}) =>
  nextSyncAt({ now, tenantId: 'a tenant', intervalMinutes: 15, consecutiveFailures: 0, random: 0, ...of });

test('the next sync is in the future, at most one interval plus jitter away', () => {
  assert(
    property(
      uuid(),
      integer({ min: 1, max: 1_440 }),
      integer({ min: 0, max: 2_000_000_000 }),
      double({ min: 0, max: 0.999_999, noNaN: true }),
      (tenantId, intervalMinutes, seconds, random) => {
        const from = addSeconds(instant(0), seconds);
        const wait = secondsBetween(from, next({ now: from, tenantId, intervalMinutes, random }));
        expect(wait).toBeGreaterThan(0);
        expect(wait).toBeLessThanOrEqual(intervalMinutes * 60 + Math.min(60, intervalMinutes * 15));
      },
    ),
  );
});

test("a tenant's syncs are one interval apart regardless of jitter", () => {
  assert(
    property(uuid(), double({ min: 0, max: 0.999, noNaN: true }), (tenantId, random) => {
      const first = next({ tenantId });
      const late = addSeconds(first, random * 60);
      expect(next({ tenantId, now: late })).toBe(addSeconds(first, 900));
    }),
  );
});

test('a sync that took 40 minutes skips the missed times', () => {
  const first = next();
  expect(next({ now: addSeconds(first, 40 * 60) })).toBe(addSeconds(first, 45 * 60));
});

test('spreads 10,000 tenants evenly over the interval', () => {
  const perMinute = new Map<number, number>();
  for (let number = 0; number < 10_000; number += 1) {
    // The times depend on the IDs only, so these look like database IDs.
    const tenantId = `${number.toString(16).padStart(8, '0')}-3f1c-4c5e-9d2a-${(number * 7_919).toString(16).padStart(12, '0')}`;
    const minute = Math.floor((epochMs(next({ tenantId })) - epochMs(now)) / 60_000);
    perMinute.set(minute, (perMinute.get(minute) ?? 0) + 1);
  }
  const counts = [...perMinute.values()];
  expect(counts.length).toBeGreaterThanOrEqual(15);
  // 667 per minute on average.
  expect(Math.max(...counts)).toBeLessThan(800);
});

test.each([
  [1, 30],
  [2, 60],
  [3, 60],
  [50, 60],
])('after %i rejected logins in a row, waits %i minutes', (consecutiveFailures, minutes) => {
  expect(next({ consecutiveFailures })).toBe(addSeconds(now, minutes * 60));
});

test('keeps an interval longer than the wait after a rejected login', () => {
  expect(next({ consecutiveFailures: 1, intervalMinutes: 240 })).toBe(addSeconds(now, 240 * 60));
});

test('syncs voids first and every kind once', () => {
  expect(cycleOrder[0]).toBe('void');
  expect([...cycleOrder].sort()).toEqual([...searchedKinds].sort());
});

test.each([
  ['invoice', 'inv_sync_active'],
  ['void', 'void_sync_active'],
  ['payment', 'pay_sync_active'],
  ['purchase_order', 'po_sync_active'],
  ['expense_report', 'exp_sync_active'],
] as const)('%s syncs automatically only when %s is on', (kind, key) => {
  const rules = { voidsEnabled: true };
  expect(isAutomatic(kind, defaultSettings, rules)).toBe(false);
  const on = { ...defaultSettings, [key]: true };
  expect(searchedKinds.filter((one) => isAutomatic(one, on, rules))).toEqual([kind]);
});

test('never syncs voids when the deployment disables them', () => {
  expect(isAutomatic('void', { ...defaultSettings, void_sync_active: true }, { voidsEnabled: false })).toBe(false);
});
