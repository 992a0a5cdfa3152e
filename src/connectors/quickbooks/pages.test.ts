import { expect, test } from 'vitest';
import { quickbooksListPage, quickbooksPage } from './pages.ts';

const production = 'https://quickbooks.api.intuit.com';

test.each([
  ['invoice', { Id: '130' }, 'https://app.qbo.intuit.com/app/invoice?txnId=130'],
  ['invoice', { Id: '131', RemainingCredit: 0 }, 'https://app.qbo.intuit.com/app/creditmemo?txnId=131'],
  ['purchase_order', { Id: '7' }, 'https://app.qbo.intuit.com/app/purchaseorder?txnId=7'],
  ['expense_report', { Id: '8' }, 'https://app.qbo.intuit.com/app/bill?txnId=8'],
  ['void', { Id: '9&x=1' }, 'https://app.qbo.intuit.com/app/invoice?txnId=9%26x%3D1'],
  ['invoice', { DocNumber: 'planned' }, null],
] as const)('%s %j has the page %s', (kind, document, page) => {
  expect(quickbooksPage(production, kind, document)).toBe(page);
});

test('uses another host for Intuit sandbox companies and returns null for unknown hosts', () => {
  const of = (host: string) => quickbooksPage(`https://${host}`, 'invoice', { Id: '1' });
  expect(of('sandbox-quickbooks.api.intuit.com')).toBe('https://app.sandbox.qbo.intuit.com/app/invoice?txnId=1');
  expect(of('quickbooks.example')).toBeNull();
});

test.each([
  ['invoice', 'invoices'],
  ['payment', 'invoices'],
  ['difference', 'sales'],
  ['purchase_order', 'expenses'],
  ['expense_report', 'bills'],
] as const)('lists %s documents at /app/%s', (kind, path) => {
  expect(quickbooksListPage(production, kind)).toBe(`https://app.qbo.intuit.com/app/${path}`);
  expect(quickbooksListPage('https://quickbooks.example', kind)).toBeNull();
});
