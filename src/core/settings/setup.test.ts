import { describe, expect, test } from 'vitest';
import { books } from '#test/cases/sample-world.ts';
import type { SettingsFacts } from './definition.ts';
import { defaultSettings, type Settings } from './definitions.ts';
import { detectSettings } from './detect.ts';
import { kindReadiness } from './kind-readiness.ts';

const facts: SettingsFacts = {
  psaLabel: 'Autotask',
  isConnected: true,
  preferences: books.preferences,
  accounts: books.accounts,
  modules: { procurement: true, multiCurrency: false },
  voidsEnabled: true,
  paymentsAvailable: true,
};
const missing = (settings: Partial<Settings>, more: Partial<SettingsFacts> = {}, mapped = {}) =>
  Object.fromEntries(
    kindReadiness({ ...defaultSettings, ...settings }, { ...facts, ...more }, mapped).map(({ kind, missing: what }) => [
      kind,
      what.map(({ text }) => text),
    ]),
  );

describe('a kind is ready', () => {
  test('when nothing is missing without which each of its documents would be refused', () => {
    expect(missing({})).toEqual({
      invoice: ['Choose an active income account.'],
      purchase_order: ['Choose an active payable account.', 'Choose an active expense account.'],
      expense_report: ['Map expense categories to accounts.'],
    });
    expect(
      missing(
        { inv_default_income_account: '1', po_payable_account: '20', po_default_expense_account: '14' },
        {},
        { ExpenseCategoryBillable: 1 },
      ),
    ).toEqual({ invoice: [], purchase_order: [], expense_report: [] });
  });

  test('without accounts for items that are not made', () => {
    const none = { inv_create_item_automatically: false, po_create_item_automatically: false };
    expect(missing(none)).toMatchObject({ invoice: [], purchase_order: ['Choose an active payable account.'] });
  });

  test('with procurement only, for purchase orders, and connected only', () => {
    expect(missing({}, { modules: { procurement: false, multiCurrency: false } })['purchase_order']).toEqual([
      'Enable Procurement in Autotask.',
    ]);
    expect(missing({}, { isConnected: false })['invoice']).toEqual(['Connect both services.']);
  });
});

describe('settings are detected', () => {
  const found = (settings: Partial<Settings> = {}, preferences = {}) =>
    detectSettings(
      { ...books, preferences: { ...books.preferences, ...preferences } },
      { procurement: true, multiCurrency: false },
      { ...defaultSettings, ...settings },
      'Autotask',
    );
  const proposed = (...of: Parameters<typeof found>) =>
    Object.fromEntries(
      found(...of).flatMap(({ proposal }) => (proposal === null ? [] : [[proposal.key, proposal.value]])),
    );

  test('from numbering, the accounts of most items and the only payable account', () => {
    expect(proposed()).toEqual({
      inv_default_income_account: '1',
      po_payable_account: '20',
      po_default_expense_account: '14',
    });
    expect(proposed({}, { customTransactionNumbers: true })).toMatchObject({ inv_numbering_option: 'autotask' });
  });

  test('and what somebody has chosen is left alone', () => {
    expect(proposed({ inv_default_income_account: '2' })).not.toHaveProperty('inv_default_income_account');
    expect(found({ inv_default_income_account: '2' }).map(({ says }) => says)).toContain(
      '“Hardware Income” is chosen.',
    );
  });

  test('with what both systems say and what follows', () => {
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
