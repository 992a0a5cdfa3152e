import { expect, test } from 'vitest';
import { toDos } from './remedies.ts';

const travel = { code: 'EXPENSE_CATEGORY_NOT_MAPPED', message: 'No account for: "Travel".', remedy: 'Map it.' };
const meals = { ...travel, message: 'No account for: "Meals".' };
const account = { code: 'PO_ACCOUNT_MISSING', message: 'No account.', remedy: 'Choose one.', screen: 'settings' };
const nothing = { code: 'OTHER', message: 'So be it.', remedy: null };

test('groups problems with the same fix', () => {
  expect(toDos([travel, account, nothing, meals], '')).toEqual([
    { remedy: 'Map it.', screen: null, messages: [travel.message, meals.message] },
    { remedy: 'Choose one.', screen: 'settings', messages: ['No account.'] },
  ]);
});

test('separates the same fix for another screen', () => {
  expect(toDos([travel, { ...travel, screen: 'expense-mappings' }], '')).toHaveLength(2);
});

test('omits messages that are already shown', () => {
  expect(toDos([travel, meals], `${travel.message} And more.`)).toEqual([
    { remedy: 'Map it.', screen: null, messages: [meals.message] },
  ]);
});
