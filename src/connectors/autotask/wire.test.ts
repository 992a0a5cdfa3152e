import { expect, test } from 'vitest';
import { ServiceError } from '#core/service-error.ts';
import { atCompany, atContractBlock, atExpenseReport, atInvoice, readRows } from './wire.ts';

const invoice = {
  id: 7,
  companyID: 0,
  invoiceDateTime: '2025-03-03T00:00:00Z',
  createDateTime: '2025-03-03',
  invoiceTotal: 1966.25,
};
const company = { id: 7 };
const block = { id: 7, contractID: 1, hours: 1, hourlyRate: 1 };
const report = { id: 7, status: 1, submitterID: 2 };
const row = { atInvoice: invoice, atCompany: company, atContractBlock: block, atExpenseReport: report } as const;
const shapes = { atInvoice, atCompany, atContractBlock, atExpenseReport } as const;

const read = (shape: keyof typeof shapes, change: object): Record<string, unknown> => {
  const [found] = readRows<Record<string, unknown>>('read rows', shapes[shape], [{ ...row[shape], ...change }]);
  return found ?? {};
};

test.each([
  ['atInvoice', 'id', '12', 12],
  ['atInvoice', 'companyID', 0, 0],
  ['atInvoice', 'paymentTerm', 0, null],
  ['atInvoice', 'paymentTerm', '0', null],
  ['atInvoice', 'paymentTerm', null, null],
  ['atInvoice', 'paymentTerm', undefined, null],
  ['atInvoice', 'paymentTerm', '3', 3],
  ['atInvoice', 'invoiceNumber', '', null],
  ['atInvoice', 'invoiceNumber', 0, '0'],
  ['atInvoice', 'invoiceNumber', undefined, null],
  ['atInvoice', 'dueDate', '', null],
  ['atInvoice', 'dueDate', null, null],
  ['atInvoice', 'dueDate', '2025-03-03T10:00:00.000Z', '2025-03-03T10:00:00.000Z'],
  ['atInvoice', 'isVoided', undefined, false],
  ['atInvoice', 'isVoided', 1, true],
  ['atInvoice', 'isVoided', 'True', true],
  ['atInvoice', 'isVoided', 'no', false],
  ['atInvoice', 'invoiceTotal', '12.50', '12.5'],
  ['atInvoice', 'invoiceTotal', -0.1, '-0.1'],
  ['atInvoice', 'invoiceTotal', '1e2', '100'],
  ['atInvoice', 'totalTaxValue', null, '0'],
  ['atCompany', 'companyType', undefined, undefined],
  ['atCompany', 'companyType', null, null],
  ['atContractBlock', 'hoursApproved', undefined, undefined],
  ['atExpenseReport', 'internalCurrencyCashAdvanceAmount', 7, '7'],
] as const)('%s: reads %s %j as %j', (shape, field, value, expected) => {
  expect(read(shape, { [field]: value })[field]).toBe(expected);
});

test.each([
  ['atInvoice', 'id', undefined],
  ['atInvoice', 'id', null],
  ['atInvoice', 'id', 1.5],
  ['atInvoice', 'id', '1.5'],
  ['atInvoice', 'id', ''],
  ['atInvoice', 'id', '99999999999999999999'],
  ['atInvoice', 'paymentTerm', ''],
  ['atInvoice', 'paymentTerm', true],
  ['atInvoice', 'invoiceNumber', {}],
  ['atInvoice', 'invoiceDateTime', ''],
  ['atInvoice', 'invoiceDateTime', undefined],
  ['atInvoice', 'dueDate', 'tomorrow'],
  ['atInvoice', 'dueDate', '2025-13-45'],
  ['atInvoice', 'isVoided', []],
  ['atInvoice', 'invoiceTotal', ''],
  ['atInvoice', 'invoiceTotal', ' 1'],
  ['atInvoice', 'invoiceTotal', '0x10'],
  ['atInvoice', 'invoiceTotal', null],
  ['atInvoice', 'totalTaxValue', 'much'],
  ['atCompany', 'companyType', 'x'],
  ['atContractBlock', 'hours', undefined],
] as const)('%s: rejects %s %j with a message that names only the field', (shape, field, value) => {
  const error = (() => {
    try {
      return read(shape, { [field]: value });
    } catch (thrown) {
      return thrown;
    }
  })();
  expect(error).toBeInstanceOf(ServiceError);
  expect((error as ServiceError).about.detail).toContain(field);
  if (typeof value === 'string' && value.trim() !== '') expect(String(error)).not.toContain(value);
});
