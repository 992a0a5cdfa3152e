import { expect, test } from 'vitest';
import { nextActionOf } from './next-action.ts';

const nowMs = Date.parse('2026-11-29T12:00:00Z');
const at = { psa: 'Autotask', accounting: 'QuickBooks', nowMs };
const client = {
  status: 'active',
  stalled_since: null,
  psa: 'active',
  accounting: 'active',
  consent_ends_at: '2027-06-01T00:00:00Z',
  failed: 0,
  held: 0,
} as const;

test('a client that works needs nothing', () => expect(nextActionOf(client, at)).toBeNull());

test.each([
  [{ failed: 1_200, held: 3 }, 'Fix 1,200 failed', '/needs-attention'],
  [{ held: 3 }, 'Check 3 on hold', '/needs-attention'],
  [{ failed: 2, accounting: 'inactive' }, 'Connect QuickBooks', '/connections'],
  [{ psa: null, accounting: null }, 'Connect both services', '/connections'],
  [{ failed: 2, stalled_since: '2026-11-29T10:00:00Z' }, 'Check stopped syncs', '/runs'],
  [{ held: 1, consent_ends_at: '2026-12-10T00:00:00Z' }, 'Renew consent', '/connections'],
  [{ status: 'pending', psa: null }, 'Finish setup', '/setup'],
] as const)('names the most urgent step of %j', (part, label, path) =>
  expect(nextActionOf({ ...client, ...part }, at)).toEqual({ label, path }),
);

test.each(['suspended', 'cancelled'] as const)('a %s client needs nothing', (status) =>
  expect(nextActionOf({ ...client, status, failed: 4 }, at)).toBeNull(),
);
