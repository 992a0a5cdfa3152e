import { expect, test } from 'vitest';
import { calendarDate } from '../values/dates.ts';
import { zero } from '../values/decimal.ts';
import { truncate } from '../values/text.ts';
import { purchaseForm, salesDocument, salesLine } from '#test/cases/sample-documents.ts';
import { withCutTexts } from './cut-texts.ts';
import type { Command, Plan } from './plan.ts';

const about = { what: 'Invoice', psaId: 7, number: '1042', party: 'Acme', on: null, amount: null, currency: null };
const planOf = (...commands: Command[]): Plan => ({
  commands,
  notes: [],
  warnings: [],
  expected: { subtotal: zero, tax: zero, dueOn: null },
});
const listed = (...commands: Command[]) =>
  withCutTexts(planOf(...commands), about).warnings.map(({ message }) => message);
const long = (limit: number) => truncate('x'.repeat(limit + 1), limit, '…');
const invoice = (description: string, customerMessage: string | null = null): Command => ({
  do: 'create_invoice',
  document: salesDocument([salesLine('1.00'), { ...salesLine('2.00'), description }], {
    datedOn: calendarDate('2026-02-10'),
    customerMessage,
  }),
});

test('names each text that was cut, with its limit', () => {
  const [warning] = withCutTexts(planOf(invoice(long(4_000))), about).warnings;
  expect(warning).toMatchObject({ code: 'TEXT_CUT', treatment: 'warning', document: about });
  expect(listed(invoice(long(4_000), long(1_000)))).toEqual([
    'QuickBooks allows fewer characters, so these texts were shortened: message to the customer (1,000 characters), line 2 (4,000 characters).',
  ]);
  const order = purchaseForm(['1.00'], { messageToVendor: long(4_000) });
  expect(listed({ do: 'create_purchase_order', order })[0]).toContain('message to the vendor (4,000 characters)');
  const bill = purchaseForm(['1.00'], { number: 'EXP-7-2' });
  const cut = { ...bill, number: 'EXP-7', lines: bill.lines.map((line) => ({ ...line, description: long(4_000) })) };
  expect(listed({ do: 'create_bill', bill: cut }, { do: 'create_bill', bill })[0]).toContain('line 1 of bill EXP-7 (');
  expect(listed({ do: 'create_bill', bill: cut })[0]).toContain('line 1 (');
});

test.each([
  ['a text before a letter of two characters', truncate(`${'x'.repeat(3_998)}😀😀`, 4_000, '…'), true],
  ['a text with a remark behind it', `${long(3_977)} (covered by contract)`, true],
  ['a text of the maximum length', 'x'.repeat(4_000), false],
  ['a short text that ends with an ellipsis', 'and so on…', false],
])('%s counts as cut: %s', (_, text, isCut) => {
  expect(listed(invoice(text))).toHaveLength(isCut ? 1 : 0);
});
