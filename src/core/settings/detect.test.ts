import { describe, expect, test } from 'vitest';
import { accounting, expenseReport, settingsFacts as facts, mapping } from '#test/cases/sample-world.ts';
import { instant } from '../values/dates.ts';
import type { AccountingLists } from '../documents/reference-data.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { waitingCategories, type ExpenseCategory } from '../planning/expense-categories.ts';
import type { SettingsFacts } from './definition.ts';
import { defaultSettings, type Settings } from './definitions.ts';
import { detectSettings } from './detect.ts';
import { kindReadiness, type ExpenseCategories } from './kind-readiness.ts';

const mappingOf = (namespace: ExpenseCategory['namespace'], from: string, to: string) =>
  mapping(namespace, from, to, '');
const missing = (
  settings: Partial<Settings>,
  more: Partial<SettingsFacts> = {},
  { mappings = [], waiting = [] }: Partial<ExpenseCategories> = {},
) =>
  Object.fromEntries(
    kindReadiness({ ...defaultSettings, ...settings }, { ...facts, ...more }, { mappings, waiting }).map(
      ({ kind, missing: what }) => [kind, what.map(({ text }) => text)],
    ),
  );

describe('a kind is ready', () => {
  test('when nothing is missing that every document needs', () => {
    expect(missing({})).toEqual({
      invoice: ['Choose an active income account.'],
      purchase_order: ['Choose an active expense account.'],
      expense_report: ['Map expense categories to accounts.'],
    });
    expect(
      missing(
        { inv_default_income_account: '1', po_payable_account: '20', po_default_expense_account: '14' },
        {},
        { mappings: [mappingOf('ExpenseCategoryBillable', '41', '14')] },
      ),
    ).toEqual({ invoice: [], purchase_order: [], expense_report: [] });
  });

  test('without accounts for items that are not created', () => {
    const none = { inv_create_item_automatically: false, po_create_item_automatically: false };
    expect(missing(none)).toMatchObject({ invoice: [], purchase_order: [] });
    const accounts = facts.accounts.filter(({ id }) => id !== '20');
    expect(missing(none, { accounts })).toMatchObject({ purchase_order: ['Choose an active payable account.'] });
  });

  test('when each waiting category is mapped to an active account', () => {
    const one = (namespace: ExpenseCategory['namespace'], id: string, name: string): ExpenseCategory => ({
      namespace,
      id,
      name,
      submittedAt: instant('2025-03-01T10:00:00Z'),
    });
    const meals = mappingOf('ExpenseCategoryBillable', '41', '14');
    const reports = (mappings: readonly Mapping[], waiting: readonly ExpenseCategory[]) =>
      missing({}, {}, { mappings, waiting })['expense_report'];
    const waiting = [
      one('ExpenseCategoryBillable', '41', 'Meals'),
      one('ExpenseCategoryNonBillable', '41', 'Meals'),
      one('ExpenseCategoryNonBillable', '42', 'Toner'),
    ];
    expect(reports([meals], [])).toEqual([]);
    expect(reports([meals], waiting)).toEqual([
      'Map these expense categories to accounts: “Meals” (non-billable), “Toner” (non-billable).',
    ]);
    expect(
      reports([meals], [...waiting, ...['A', 'B'].map((name) => one('ExpenseCategoryBillable', name, name))]),
    ).toEqual([
      'Map these expense categories to accounts: “Meals” (non-billable), “Toner” (non-billable), “A” (billable) and 1 more.',
    ]);
    const rest = ['41', '42'].map((id) => mappingOf('ExpenseCategoryNonBillable', id, '14'));
    expect(reports([meals, ...rest], waiting)).toEqual([]);
    const inactive = { accounts: facts.accounts.map((account) => ({ ...account, isActive: account.id !== '14' })) };
    expect(missing({}, inactive, { mappings: [meals, ...rest], waiting })['expense_report']).toEqual([
      'Map expense categories to accounts.',
    ]);
  });

  test('for purchase orders only with procurement, and only when connected', () => {
    expect(missing({}, { modules: { procurement: false, multiCurrency: false } })['purchase_order']).toEqual([
      'Enable Procurement in Autotask.',
    ]);
    expect(missing({}, { isConnected: false })['invoice']).toEqual(['Connect both services.']);
  });
});

test('waiting categories come from approved reports that are not synced, including failed ones', () => {
  const items = [
    { categoryId: 41, categoryName: 'Travel', isBillable: true },
    { categoryId: 41, categoryName: 'Travel', isBillable: false },
    { categoryId: 44, categoryName: 'Toner', isReimbursable: false },
    { categoryId: 45, categoryName: 'Rejected', isRejected: true },
  ];
  const waiting = (more: Parameters<typeof expenseReport>[0]) =>
    waitingCategories([expenseReport({ items, ...more })]).map(({ namespace, name }) => [namespace, name]);
  const both = [
    ['ExpenseCategoryBillable', 'Travel'],
    ['ExpenseCategoryNonBillable', 'Travel'],
  ];
  expect(waiting({})).toEqual(both);
  expect(waiting({ reference: 'ERROR' })).toEqual(both);
  expect(waiting({ reference: '901' })).toEqual([]);
  expect(waiting({ status: 'awaiting_approval' })).toEqual([]);
  expect(waiting({ submittedAt: null })).toEqual([]);
});

test('uses the latest name of a waiting category and sorts by name', () => {
  const report = (submitted: string, ...names: readonly string[]) =>
    expenseReport({
      submittedAt: instant(`${submitted}T12:00:00Z`),
      items: names.map((categoryName, at) => ({ categoryId: 41 + at, categoryName })),
    });
  const shown = (...reports: Parameters<typeof waitingCategories>[0]) =>
    waitingCategories(reports).map(({ id, name, submittedAt }) => [id, name, submittedAt.slice(0, 10)]);
  const [old, newer] = [report('2025-02-01', 'Travel', 'Air'), report('2025-02-20', 'Journeys')];
  const wanted = [
    ['42', 'Air', '2025-02-01'],
    ['41', 'Journeys', '2025-02-20'],
  ];
  expect(shown(old, newer)).toEqual(wanted);
  expect(shown(newer, old)).toEqual(wanted);
});

describe('detected settings', () => {
  const found = (settings: Partial<Settings> = {}, preferences = {}) =>
    detectSettings(
      { ...accounting, preferences: { ...accounting.preferences, ...preferences } },
      { procurement: true, multiCurrency: false },
      { ...defaultSettings, ...settings },
      'Autotask',
    );
  const proposed = (...of: Parameters<typeof found>) =>
    Object.fromEntries(
      found(...of).flatMap(({ proposal }) => (proposal === null ? [] : [[proposal.key, proposal.value]])),
    );

  test('come from numbering, the most used accounts, and the only payable account', () => {
    expect(proposed()).toEqual({
      inv_default_income_account: '1',
      po_payable_account: '20',
      po_default_expense_account: '14',
    });
    expect(proposed({}, { customTransactionNumbers: true })).toMatchObject({ inv_numbering_option: 'autotask' });
  });

  test('keep what a user already chose', () => {
    expect(proposed({ inv_default_income_account: '2' })).not.toHaveProperty('inv_default_income_account');
    expect(found({ inv_default_income_account: '2' }).map(({ says }) => says)).toContain(
      '“Hardware Income” is chosen.',
    );
  });

  const textOf = (title: string, of: Partial<AccountingLists>, multiCurrency: boolean | null = false) => {
    const preferences = { ...accounting.preferences, ...of.preferences };
    const modules = multiCurrency === null ? null : { procurement: true, multiCurrency };
    const one = detectSettings({ ...accounting, ...of, preferences }, modules, defaultSettings, 'Autotask').find(
      (detected) => detected.title === title,
    );
    return one === undefined ? null : `${one.says} ${one.follows}`;
  };
  const withPreferences = (more: Partial<AccountingLists['preferences']>) => ({
    preferences: { ...accounting.preferences, ...more },
  });

  test.each<[string, Partial<AccountingLists>, boolean | null, RegExp]>([
    ['Numbering', withPreferences({ customTransactionNumbers: true }), false, /are on .* keep the number/],
    ['Numbering', withPreferences({ customTransactionNumbers: false }), false, /are off .* numbers invoices/],
    ['Sales tax', withPreferences({ usesSalesTax: false }), false, /charges no sales tax/],
    ['Sales tax', withPreferences({ automatedSalesTax: true }), false, /automated sales tax on/],
    ['Sales tax', withPreferences({ automatedSalesTax: false }), false, /by tax codes/],
    ['Currency', withPreferences({ multiCurrency: true }), true, /on there and on in Autotask.* keep the currency/],
    ['Currency', withPreferences({ multiCurrency: true }), false, /on there and off in Autotask.* All amounts/],
    ['Currency', withPreferences({ multiCurrency: false }), true, /off there and on in Autotask.* All amounts/],
    ['Currency', withPreferences({ multiCurrency: true }), null, /on there and off in Autotask.* All amounts/],
    ['Classes', withPreferences({ classPerLine: true }), false, /by line; it has 3.* Map lines of business/],
    [
      'Classes',
      withPreferences({ classPerLine: false, classPerTransaction: true }),
      false,
      /by transaction; it has 3.* Map lines of business/,
    ],
    ['Classes', withPreferences({ classPerLine: false, classPerTransaction: false }), false, /not track.* Nothing/],
  ])('%s reflects both systems: %#', (title, of, multiCurrency, wanted) => {
    expect(textOf(title, of, multiCurrency)).toMatch(wanted);
  });

  test('the income account is the most used suitable one; the first of equals', () => {
    const [sample] = accounting.items;
    if (sample === undefined) throw new Error('the sample data has no item');
    const of = (...ids: readonly (readonly [string | null, boolean?])[]) =>
      textOf('Income account', {
        items: ids.map(([incomeAccountId, isActive = true]) => ({ ...sample, incomeAccountId, isActive })),
        accounts: [
          ...accounting.accounts,
          { id: '10', fullyQualifiedName: 'Late Income', classification: 'Revenue', subType: '', isActive: true },
        ],
      });
    expect(of(['1'], ['2'], ['2'])).toContain('“Hardware Income”');
    expect(of(['2'], ['2'], ['1'], ['1'], ['1'])).toContain('“Service Income”');
    expect(of(['10'], ['2'])).toContain('“Hardware Income”');
    expect(of(['2'], ['1', false], ['1', false], [null])).toContain('“Hardware Income”');
    expect(of(['11'], ['11'], ['3'])).toContain('“Project Income”');
    expect(of([null])).toBeNull();
  });

  test('a payable account is proposed only when it is the only one', () => {
    const payable = accounting.accounts.filter(({ subType }) => subType === 'AccountsPayable');
    const second = payable.map((one) => ({ ...one, id: '99' }));
    expect(textOf('Payable account', {})).toContain('only payable account');
    expect(textOf('Payable account', { accounts: [...accounting.accounts, ...second] })).toBeNull();
  });

  test('state what both systems have and what follows', () => {
    expect(found().map(({ title }) => title)).toEqual([
      'Numbering',
      'Income account',
      'Payable account',
      'Expense account',
      'Sales tax',
      'Currency',
      'Classes',
    ]);
    for (const { says, follows } of found()) expect(`${says} ${follows}`).toMatch(/^.+\. .+\.$/);
  });
});
