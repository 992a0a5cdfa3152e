import { expect, test } from 'vitest';
import { instant } from '../values/dates.ts';
import { decimal } from '../values/decimal.ts';
import { asBilled } from './billed-sum.ts';
import type { SalesState } from './sales-state.ts';
import { salesState } from '#test/cases/sample-documents.ts';

const document = ({
  total,
  balance,
  ...more
}: { total: string; balance: string } & Partial<Omit<SalesState, 'total' | 'balance'>>) =>
  salesState({ syncToken: '0', currency: null, ...more, total: decimal(total), balance: decimal(balance) });

test.each([
  ['no documents', [], '400', '0'],
  ['an invoice', [document({ total: '100', balance: '60' })], '500', '60'],
  ['a credit memo', [document({ type: 'CreditMemo', total: '100', balance: '30' })], '300', '-30'],
  [
    'an invoice and a credit memo',
    [document({ total: '100', balance: '100' }), document({ type: 'CreditMemo', total: '20', balance: '20' })],
    '480',
    '80',
  ],
] as const)('adds %s to an invoice', (_what, differences, total, balance) => {
  expect(asBilled(document({ total: '400', balance: '0' }), differences)).toMatchObject({
    number: '1042',
    total,
    balance,
  });
});

test('adds another credit memo to a credit memo', () => {
  const credit = document({ type: 'CreditMemo', total: '180', balance: '180' });
  expect(asBilled(credit, [document({ type: 'CreditMemo', total: '20', balance: '5' })])).toMatchObject({
    total: '200',
    balance: '185',
  });
});

test('lists a shared payment once and uses the latest change', () => {
  const applied = [{ type: 'Payment', id: '9200' }];
  const changedAt = instant('2025-03-05T15:00:00Z');
  const whole = asBilled(document({ total: '400', balance: '0', applied }), [
    document({ total: '100', balance: '0', applied, changedAt }),
  ]);
  expect(whole).toMatchObject({ applied, changedAt });
  expect(whole.applied).toHaveLength(1);
});
