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

describe('what waits for approval', () => {
  test.each([
    [
      'nothing while it is off',
      { ...limited, approval_four_eyes: true, require_approval: false },
      'automatic',
      9_999,
      false,
    ],
    ['whatever runs by itself', on, 'automatic', 1, true],
    ['not what a person asks for', on, 'manual', 9_999, false],
    ['what a person asks for when others approve', fourEyes, 'manual', 1, true],
    ['what a person asks for above the limit', limited, 'manual', 1_001, true],
    ['not what is at the limit', limited, 'manual', 1_000, false],
    ['a credit memo by its size', limited, 'manual', -1_001, true],
  ] as const)('%s', (_, settings, trigger, amount, waits) => {
    expect(needsApproval({ ...usd(amount), trigger }, settings)).toBe(waits);
  });

  test('what cannot be compared with the limit is above it', () => {
    expect(needsApproval({ ...usd(1, 'CAD'), trigger: 'manual' }, limited)).toBe(true);
    expect(needsApproval({ ...usd(null), trigger: 'manual' }, limited)).toBe(true);
    expect(needsApproval({ ...usd(1, 'USD'), trigger: 'manual' }, limited)).toBe(false);
  });
});

describe('one approval', () => {
  test.each([
    ['is enough below the limit', draft(1_000), anna, limited, { is: 'final' }],
    ['is the first of two above it', draft(1_001), anna, limited, { is: 'first' }],
    ['is the second of two', draft(1_001, { firstApprovedBy: 'ben' }), anna, limited, { is: 'final' }],
    [
      'does not count twice',
      draft(1_001, { firstApprovedBy: 'anna' }),
      anna,
      limited,
      { is: 'refused', why: 'approved_it' },
    ],
    ['is not the preparer’s', draft(1, { preparedBy: 'anna' }), anna, fourEyes, { is: 'refused', why: 'prepared_it' }],
    ['is that of whoever did not prepare it', draft(1, { preparedBy: 'ben' }), anna, fourEyes, { is: 'final' }],
    [
      'is not that of whoever changed the setup',
      draft(1),
      { by: 'anna', hasChangedSetup: true },
      fourEyes,
      { is: 'refused', why: 'changed_setup' },
    ],
    ['may be the preparer’s without four eyes', draft(1, { preparedBy: 'anna' }), anna, on, { is: 'final' }],
  ] as const)('%s', (_, of, who, settings, step) => {
    expect(approvalOf(of, who, settings)).toEqual(step);
  });
});

test('a change of the setup is reviewed once somebody else has approved after it', () => {
  const at = (minute: number, by: string) => ({ at: instant(`2025-03-03T15:0${minute}:00Z`), by });
  expect(hasChangedSetup('anna', [], [])).toBe(false);
  expect(hasChangedSetup('anna', [at(1, 'ben')], [])).toBe(false);
  expect(hasChangedSetup('anna', [at(1, 'anna')], [])).toBe(true);
  expect(hasChangedSetup('anna', [at(1, 'anna')], [at(2, 'anna')])).toBe(true);
  expect(hasChangedSetup('anna', [at(1, 'anna')], [at(2, 'ben')])).toBe(false);
  expect(hasChangedSetup('anna', [at(3, 'anna')], [at(2, 'ben')])).toBe(true);
});
