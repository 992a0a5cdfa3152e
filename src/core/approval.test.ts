import { describe, expect, test } from 'vitest';
import { approvalOf, hasChangedSetup, needsApproval, type ApprovalSettings } from './approval.ts';
import { instant } from './values/dates.ts';
import { decimal } from './values/decimal.ts';

const on: ApprovalSettings = { require_approval: true, approval_limit: decimal(0), approval_four_eyes: false };
const limited = { ...on, approval_limit: decimal(1_000) };
const fourEyes = { ...on, approval_four_eyes: true };
const usd = (amount: number | null, currency: string | null = null) => ({
  amount: amount === null ? null : decimal(amount),
  currency,
  homeCurrency: 'USD',
});
const draft = (
  amount: number | null,
  more: { preparedBy?: string; firstApprovedBy?: string; currency?: string } = {},
) => ({
  ...usd(amount, more.currency ?? null),
  preparedBy: more.preparedBy ?? null,
  firstApprovedBy: more.firstApprovedBy ?? null,
});
const anna = { by: 'anna', hasChangedSetup: false };

describe('documents that need approval', () => {
  test.each([
    [
      'none when approval is off',
      { ...limited, approval_four_eyes: true, require_approval: false },
      'automatic',
      9_999,
      false,
    ],
    ['every automatic sync', on, 'automatic', 1, true],
    ['no manual sync without a limit', on, 'manual', 9_999, false],
    ['a manual sync when four eyes are required', fourEyes, 'manual', 1, true],
    ['a manual sync above the limit', limited, 'manual', 1_001, true],
    ['no manual sync at the limit', limited, 'manual', 1_000, false],
    ['a large credit memo', limited, 'manual', -1_001, true],
  ] as const)('%s', (_, settings, trigger, amount, waits) => {
    expect(needsApproval({ ...usd(amount), trigger }, settings)).toBe(waits);
  });

  test('an amount in another currency or without a value counts as above the limit', () => {
    expect(needsApproval({ ...usd(1, 'CAD'), trigger: 'manual' }, limited)).toBe(true);
    expect(needsApproval({ ...usd(null), trigger: 'manual' }, limited)).toBe(true);
    expect(needsApproval({ ...usd(1, 'USD'), trigger: 'manual' }, limited)).toBe(false);
  });
});

describe('an approval', () => {
  test.each([
    ['is final below the limit', draft(1_000), anna, limited, { is: 'final' }],
    ['is the first of two above the limit', draft(1_001), anna, limited, { is: 'first' }],
    [
      "is final after another user's first approval",
      draft(1_001, { firstApprovedBy: 'ben' }),
      anna,
      limited,
      { is: 'final' },
    ],
    [
      'is rejected for the same user twice',
      draft(1_001, { firstApprovedBy: 'anna' }),
      anna,
      limited,
      { is: 'refused', why: 'approved_it' },
    ],
    [
      'is rejected for the user who prepared the draft',
      draft(1, { preparedBy: 'anna' }),
      anna,
      fourEyes,
      { is: 'refused', why: 'prepared_it' },
    ],
    [
      'is final for a user who did not prepare the draft',
      draft(1, { preparedBy: 'ben' }),
      anna,
      fourEyes,
      { is: 'final' },
    ],
    [
      'is rejected for a user who changed the setup',
      draft(1),
      { by: 'anna', hasChangedSetup: true },
      fourEyes,
      { is: 'refused', why: 'changed_setup' },
    ],
    ['is final for the preparer when four eyes are off', draft(1, { preparedBy: 'anna' }), anna, on, { is: 'final' }],
  ] as const)('%s', (_, of, who, settings, step) => {
    expect(approvalOf(of, who, settings)).toEqual(step);
  });
});

test('a setup change counts until another user approves after it', () => {
  const at = (minute: number, by: string) => ({ at: instant(`2025-03-03T15:0${minute}:00Z`), by });
  expect(hasChangedSetup('anna', [], [])).toBe(false);
  expect(hasChangedSetup('anna', [at(1, 'ben')], [])).toBe(false);
  expect(hasChangedSetup('anna', [at(1, 'anna')], [])).toBe(true);
  expect(hasChangedSetup('anna', [at(1, 'anna')], [at(2, 'anna')])).toBe(true);
  expect(hasChangedSetup('anna', [at(1, 'anna')], [at(2, 'ben')])).toBe(false);
  expect(hasChangedSetup('anna', [at(3, 'anna')], [at(2, 'ben')])).toBe(true);
});
