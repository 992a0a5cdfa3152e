import { expect, test } from 'vitest';
import { inTimeZone } from './transcript-clock.ts';

const text = '15:00:04 INFO  Invoice 48213\n              with a second line at 15:00:05\n15:00:08 RESULT OK';

test("shows transcript times in the client's time zone", () => {
  expect(inTimeZone(text, '2025-03-03T15:00:08.000Z', 'America/Chicago')).toBe(
    '09:00:04 INFO  Invoice 48213\n              with a second line at 15:00:05\n09:00:08 RESULT OK',
  );
  expect(inTimeZone(text, '2025-03-03T15:00:08.000Z', 'UTC')).toBe(text);
});

test('converts times before midnight with the previous date and its offset', () => {
  // In Chicago, daylight time began on March 9, 2025 at 08:00 UTC.
  const night = '23:59:59 INFO  a\n00:00:01 RESULT OK';
  expect(inTimeZone(night, '2025-03-10T00:00:01.000Z', 'America/Chicago')).toBe('18:59:59 INFO  a\n19:00:01 RESULT OK');
});
