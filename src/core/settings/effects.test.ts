import { describe, expect, test } from 'vitest';
import { defaultSettings, type Settings } from './definitions.ts';
import { effectsOf, type Waiting } from './effects.ts';

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

describe('what a change of settings will do', () => {
  test.each([
    [{}, []],
    [{ inv_numbering_option: 'autotask' }, ['14 waiting invoices would now keep their Autotask number.']],
    [{ inv_sync_active: true }, ['The next automatic run would sync 14 waiting invoices live.']],
    [
      { inv_sync_active: true, sync_start_date: '2025-03-01' },
      ['The next automatic run would sync 14 waiting invoices dated 2025-03-01 or later live.'],
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
    [{ po_sync_active: true }, ['From the next automatic run on, purchase orders would be synced live.']],
    [{ require_approval: true }, []],
    [
      { inv_sync_active: true, require_approval: true },
      ['The next automatic run would prepare 14 waiting invoices for approval.'],
    ],
    [
      { po_sync_active: true, require_approval: true },
      ['From the next automatic run on, purchase orders would be prepared for approval.'],
    ],
  ] as const)('%j: %j', (change, sentences) => {
    expect(sentencesOf(change as Partial<Settings>)).toEqual(sentences);
  });

  test('numbering by QuickBooks is said with the number of invoices', () => {
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

  test('a wider or narrower window matters only while a kind is on', () => {
    const on = { inv_sync_active: true } as const;
    expect(sentencesOf({ inv_max_age_days: 30 }, { before: 14, after: 17 })).toEqual([]);
    expect(sentencesOf({ inv_max_age_days: 30 }, { before: 14, after: 17 }, on)).toEqual([
      '3 more invoices would be picked up automatically.',
    ]);
    expect(sentencesOf({ inv_max_age_days: 7 }, { before: 14, after: 13 }, on)).toEqual([
      '1 waiting invoice would no longer be picked up automatically.',
    ]);
    expect(sentencesOf({ inv_sync_active: false }, { before: 14, after: 14 }, on)).toEqual([
      'Invoices would no longer be synced by themselves; 14 waiting invoices would stay where they are.',
    ]);
  });
});
