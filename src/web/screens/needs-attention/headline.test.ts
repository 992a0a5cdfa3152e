import { expect, test } from 'vitest';
import { worthOf } from './headline.ts';
import { waitText } from './words.ts';

const invoice = { type: 'invoice', what: 'Invoice', amount: '100.10', currency: 'USD' } as const;
const memo = { ...invoice, what: 'Credit memo', amount: '-20' } as const;

test('documents are counted by what they are called, and their money is added up by currency', () => {
  expect(worthOf([invoice, invoice])).toBe('2 invoices, $200.20');
  expect(worthOf([invoice, memo])).toBe('1 invoice and 1 credit memo, $80.10');
  expect(worthOf([{ ...invoice, currency: 'CAD' }, invoice])).toBe('2 invoices, $100.10 and CAD 100.10');
  expect(worthOf([{ type: 'purchase_order', what: null, amount: null, currency: null }])).toBe('1 purchase order');
});

test('a cause says how many wait, for how much money, and for what, where one repair says it all', () => {
  const map = {
    do: 'map',
    namespace: 'ItemBilling',
    sourceEntity: 'BillingCode',
    sourceValue: '7',
    sourceLabel: 'Managed Workstation',
    candidates: [],
  } as const;
  const twelve = Array.from({ length: 12 }, () => ({ ...invoice, amount: '1535.85' }));
  expect(waitText(twelve, [map])).toBe('12 invoices, $18,430.20, wait for one item mapping: Managed Workstation');
  expect(waitText([invoice], [map, { ...map, sourceValue: '8' }])).toBe(
    '1 invoice, $100.10, waits for 2 item mappings',
  );
  expect(waitText([invoice], [map, { ...map, namespace: 'Customer' }])).toBe(
    '1 invoice, $100.10, waits for 2 mappings',
  );
  expect(waitText([invoice], [{ do: 'choose_setting', key: 'inv_default_income_account' }])).toBe(
    '1 invoice, $100.10, waits for an account: Income account to use',
  );
  const travel = { ...map, namespace: 'ExpenseCategoryBillable', sourceLabel: 'Travel' } as const;
  expect(waitText([{ ...invoice, type: 'expense_report' }], [travel])).toBe(
    '1 expense report, $100.10, waits for one billable expense category mapping: Travel',
  );
  expect(waitText([invoice], [{ do: 'reconnect' }])).toBe('1 invoice, $100.10, waits for a connection');
  expect(waitText([invoice], [map, { do: 'refresh_lists' }])).toBe('1 invoice, $100.10, waits');
  expect(waitText([invoice], [])).toBe('1 invoice, $100.10, waits');
});
