import { expect, test } from 'vitest';
import { nameIn, recordNames, valueIn } from './record-names.ts';
import { documentOf, lineOf } from './testing.ts';

const lists = {
  customers: [{ id: '58', displayName: 'Acme Dental' }],
  vendors: [{ id: '61', displayName: 'Ingram Micro' }],
  items: [
    { id: '11', fullyQualifiedName: 'Onsite:Setup' },
    { id: '12', fullyQualifiedName: 'Unused' },
  ],
  accounts: [{ id: '3', fullyQualifiedName: 'Income:Hardware' }],
  classes: [{ id: '7', fullyQualifiedName: 'Projects' }],
  locations: [{ id: '210', fullyQualifiedName: 'Austin office' }],
} as unknown as Parameters<typeof recordNames>[1];

test('returns the names of the referenced records only', () => {
  const names = recordNames(
    [
      {
        posted: [lineOf('5', { itemId: null, accountId: '3' })],
        accounting: documentOf(1, '100', { lines: [lineOf('100', { itemId: '11', classId: '7' })], locationId: '210' }),
        changes: [{ field: 'customer', line: null, before: '58', after: '61' }],
      },
    ],
    lists,
  );
  expect(names).toEqual({
    customer: { '58': 'Acme Dental', '61': 'Ingram Micro' },
    item: { '11': 'Onsite:Setup' },
    account: { '3': 'Income:Hardware' },
    class: { '7': 'Projects' },
    location: { '210': 'Austin office' },
  });
  expect([nameIn(names, 'item', '11'), nameIn(names, 'item', '99'), nameIn(names, 'item', null)]).toEqual([
    'Onsite:Setup',
    '99',
    null,
  ]);
  expect([valueIn(names, 'class', '7'), valueIn(names, 'amount', '7'), valueIn(names, 'class', null)]).toEqual([
    'Projects',
    '7',
    '–',
  ]);
});
