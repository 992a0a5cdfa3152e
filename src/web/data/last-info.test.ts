import { expect, test, vi } from 'vitest';
import { readLastInfo } from './last-info.ts';

const quiet = () => undefined;

test.each([
  ['invoice', '{"at_invoice_id":48213,"qbo_invoice_number":"1042"}', { psaId: '48213', target: '1042', count: 1 }],
  [
    'purchase_order',
    '{"at_po_id":3310,"qbo_po_number":"1009","qbo_po_id":"551"}',
    { psaId: '3310', target: '1009', count: 1 },
  ],
  ['purchase_order', '{"at_po_id":3310,"qbo_po_id":"551"}', { psaId: '3310', target: '551', count: 1 }],
  [
    'expense_report',
    '{"at_expense_report_id":1207,"qbo_bill_id":9203,"count":3}',
    { psaId: '1207', target: '9203', count: 3 },
  ],
  ['invoice', '{"qbo_invoice_number":"1042"}', { psaId: null, target: '1042', count: 1 }],
] as const)('reads both document numbers of %s', (kind, text, info) => {
  expect(readLastInfo(kind, text, quiet)).toEqual(info);
});

test.each(['{oops', '[1]', '"text"', 'null'])('treats %s as empty and reports it', (text) => {
  const report = vi.fn();
  expect(readLastInfo('invoice', text, report)).toBeNull();
  expect(report).toHaveBeenCalledOnce();
});

test.each([null, '', '  ', '{}', '{"at_po_id":3310}'])('treats %j as empty without reporting it', (text) => {
  const report = vi.fn();
  expect(readLastInfo('invoice', text, report)).toBeNull();
  expect(report).not.toHaveBeenCalled();
});
