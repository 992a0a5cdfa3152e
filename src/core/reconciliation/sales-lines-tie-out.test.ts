import { expect, test } from 'vitest';
import type { AccountingDocument } from '../documents/accounting-document.ts';
import { exceptionsOf } from './close.ts';
import { salesLinesPsa } from './sales-lines-tie-out.ts';
import { accountOf, documentOf, lineOf, postingOf, provedOf, sourceOf } from './testing.ts';

const item = (id: string, incomeAccountId: string) => ({ id, incomeAccountId });
const lists = {
  accounts: [accountOf('1', 'Labor'), accountOf('2', 'Hardware'), accountOf('3', 'Hardware:Leased')],
  classes: [
    { id: '7', fullyQualifiedName: 'Managed', isActive: true },
    { id: '8', fullyQualifiedName: 'Projects', isActive: true },
  ],
  customers: [],
  items: [item('11', '1'), item('12', '2')],
};

/** Posts an invoice with the first lines, then reads it with the other lines. */
function compared(
  posted: AccountingDocument['lines'],
  now: AccountingDocument['lines'],
  more: Partial<AccountingDocument> = {},
) {
  const source = sourceOf(1, more.type === 'CreditMemo' ? '-400' : '400');
  const before = documentOf(1, '400', { lines: posted, ...more });
  const { rows } = provedOf({
    sources: [source],
    postings: [postingOf(source, before)],
    documents: [{ ...before, lines: now }],
  });
  const facts = { psaLabel: 'Autotask', lists } as unknown as Parameters<typeof salesLinesPsa>[0];
  const [tie] = salesLinesPsa(facts, rows);
  return {
    classes: exceptionsOf({ rows }).map((one) => one.class),
    rows: tie?.rows.map(({ label, left, right, note }) => [label, left, right, note ?? '']),
    difference: tie?.difference,
  };
}
const hardware = lineOf('300', { itemId: '12' });
const labor = lineOf('100', { itemId: '11' });

test('reports an amount moved to another account with both accounts', () => {
  expect(compared([hardware, labor], [lineOf('200', { itemId: '12' }), lineOf('200', { itemId: '11' })])).toEqual({
    classes: ['amounts_moved'],
    rows: [
      ['Hardware', '300', '200', 'Invoice AT-1 -100.00'],
      ['Labor', '100', '200', 'Invoice AT-1 +100.00'],
    ],
    difference: '0',
  });
});

test.each([
  [
    'account',
    [lineOf('400', { itemId: null, accountId: '2' })],
    [lineOf('400', { itemId: null, accountId: '3' })],
    ['account_differs'],
    ['Hardware', 'Hardware:Leased'],
  ],
  [
    'class',
    [lineOf('400', { classId: '7' })],
    [lineOf('400', { classId: '8' })],
    ['class_differs'],
    ['Labor · Managed', 'Labor · Projects'],
  ],
  [
    'removed class',
    [lineOf('400', { classId: '7' })],
    [lineOf('400')],
    ['class_differs'],
    ['Labor', 'Labor · Managed'],
  ],
  ['item', [lineOf('400')], [lineOf('400', { itemId: '12' })], ['item_differs'], ['Hardware', 'Labor']],
  ['number of lines', [lineOf('400')], [hardware, labor], ['item_differs'], ['Hardware', 'Labor']],
] as const)('finds another %s at the same total', (_, posted, now, classes, labels) => {
  const found = compared(posted, now);
  expect(found.classes).toEqual(classes);
  expect(found.rows?.map(([label]) => label)).toEqual(labels);
  expect(found.rows?.every(([, left, right, note]) => left !== right && note !== '')).toBe(true);
});

test('money moved within a credit memo is negative', () => {
  const now = [lineOf('250', { itemId: '12' }), lineOf('150', { itemId: '11' })];
  expect(compared([hardware, labor], now, { type: 'CreditMemo' }).rows).toEqual([
    ['Hardware', '-300', '-250', 'Credit memo AT-1 +50.00'],
    ['Labor', '-100', '-150', 'Credit memo AT-1 -50.00'],
  ]);
});

test('reports nothing for an unchanged document', () => {
  expect(compared([hardware, labor], [hardware, labor])).toEqual({
    classes: [],
    rows: [
      ['Hardware', '300', '300', ''],
      ['Labor', '100', '100', ''],
    ],
    difference: '0',
  });
});
