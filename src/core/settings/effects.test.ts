import { describe, expect, test } from 'vitest';
import { defaultSettings, type Settings } from './definitions.ts';
import { decimal } from '../values/decimal.ts';
import { effectsOf, type ExpectedOutcome, type Waiting } from './effects.ts';

const sentencesOf = (
  change: Partial<Settings>,
  invoice: Waiting | null = { before: 14, after: 14 },
  from: Partial<Settings> = {},
) =>
  effectsOf({
    before: { ...defaultSettings, ...from },
    after: { ...defaultSettings, ...from, ...change },
    waiting: { invoice, purchase_order: null, expense_report: null },
    psaLabel: 'Autotask',
    accountName: (id) => `account ${id}`,
  });

describe('the effects of a settings change', () => {
  test.each([
    [{}, []],
    [{ inv_numbering_option: 'autotask' }, ['14 waiting invoices would now keep their Autotask number.']],
    [
      { inv_sync_active: true },
      ['14 invoices are not tested yet. The next run checks them; what passes will be posted.'],
    ],
    [
      { inv_sync_active: true, sync_start_date: '2025-03-01' },
      [
        '14 invoices dated Mar 1, 2025 or later are not tested yet. The next run checks them; what passes will be posted.',
      ],
    ],
    [
      { pay_sync_active: true },
      ['From the next automatic run on, payments would be followed in Autotask and in QuickBooks.'],
    ],
    [
      { void_sync_active: true },
      ['From the next automatic run on, invoices that were voided in Autotask would be voided in QuickBooks.'],
    ],
    [
      { inv_default_income_account: '2' },
      ['New items would be booked to account 2. Items that exist keep their account.'],
    ],
    [
      { inv_create_item_automatically: false },
      ['An invoice line without a matching item would stop its document until the item is mapped.'],
    ],
    [{ inv_email_automatically: true }, ['QuickBooks would mail 14 waiting invoices to the customer.']],
    [{ po_sync_active: true }, ['From the next run on, purchase orders that pass every check will be posted.']],
    [{ require_approval: true }, []],
    [
      { inv_sync_active: true, require_approval: true },
      ['14 invoices are not tested yet. The next run checks them; what passes will be prepared for approval.'],
    ],
    [
      { po_sync_active: true, require_approval: true },
      ['From the next run on, purchase orders that pass every check will be prepared for approval.'],
    ],
  ] as const)('%j: %j', (change, sentences) => {
    expect(sentencesOf(change as Partial<Settings>)).toEqual(sentences);
  });

  test('turning on a kind promises only documents that passed a test', () => {
    const one = (amount: string, expected: ExpectedOutcome | null, currency: string | null = 'USD') => ({
      amount: decimal(amount),
      currency,
      expected,
    });
    const documents = [
      one('1050', 'posts', null),
      one('90', 'posts', 'CAD'),
      one('8000', 'failed'),
      one('120', 'failed'),
      one('7', 'skipped'),
      one('8', 'held'),
      one('9', null),
    ];
    expect(sentencesOf({ inv_sync_active: true }, { before: 0, after: 7, documents })).toEqual([
      '2 invoices, $1,050.00 and CAD 90.00, passed their last test and will be posted in the next run.',
      '1 invoice, $9.00, is not tested yet. The next run checks it; what passes will be posted.',
      '2 invoices, $8,120.00, failed last time and will fail again until you fix the cause. Test again to see the cause.',
      '1 invoice, $8.00, is on hold.',
      '1 invoice, $7.00, was skipped last time.',
    ]);
    expect(sentencesOf({ inv_sync_active: true }, { before: 0, after: 0, documents: [] })).toEqual([
      'No invoices are waiting. New ones that pass every check will be posted.',
    ]);
  });

  test('numbering by QuickBooks shows the number of invoices', () => {
    const from = { inv_numbering_option: 'autotask' } as const;
    expect(sentencesOf({ inv_numbering_option: 'qbo' }, { before: 14, after: 14 }, from)).toEqual([
      '14 waiting invoices would now be numbered by QuickBooks.',
    ]);
    expect(sentencesOf({ inv_numbering_option: 'qbo' }, { before: 1, after: 1 }, from)).toEqual([
      '1 waiting invoice would now be numbered by QuickBooks.',
    ]);
    expect(sentencesOf({ inv_numbering_option: 'qbo' }, null, from)).toEqual([
      'Every waiting invoice would now be numbered by QuickBooks.',
    ]);
  });

  test('a changed window matters only while the kind is on', () => {
    const on = { inv_sync_active: true } as const;
    expect(sentencesOf({ inv_max_age_days: 30 }, { before: 14, after: 17 })).toEqual([]);
    expect(sentencesOf({ inv_max_age_days: 30 }, { before: 14, after: 17 }, on)).toEqual([
      '3 more invoices would be picked up automatically.',
    ]);
    expect(sentencesOf({ inv_max_age_days: 7 }, { before: 14, after: 13 }, on)).toEqual([
      '1 waiting invoice would no longer be picked up automatically.',
    ]);
    expect(sentencesOf({ inv_sync_active: false }, { before: 14, after: 14 }, on)).toEqual([
      'Invoices would no longer sync automatically; 14 waiting invoices would stay where they are.',
    ]);
  });
});
