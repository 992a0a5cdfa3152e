import { expect, test } from 'vitest';
import { decimal } from '../values/decimal.ts';
import { lineChanges } from './line-changes.ts';

const line = (name: string | null, amount: string) => ({ name, amount: decimal(amount) });

test.each<[string, string[], ReturnType<typeof line>[], string[]]>([
  ['the same in another order', ['100', '50'], [line('B', '50'), line('A', '100')], []],
  ['one amount', ['100', '50'], [line('Onsite', '150'), line('A', '50')], ['“Onsite”: 100.00 → 150.00 (+50.00)']],
  ['a lower amount', ['100'], [line('Onsite', '75.5')], ['“Onsite”: 100.00 → 75.50 (-24.50)']],
  ['an additional line', ['100'], [line('A', '100'), line('Travel', '20')], ['“Travel”, 20.00, is new']],
  ['a removed line', ['100', '20'], [line('A', '100')], ['A line of 20.00 was removed']],
  [
    'several',
    ['100', '20'],
    [line('A', '110'), line(null, '30')],
    [
      'A line of 100.00 was removed',
      'A line of 20.00 was removed',
      '“A”, 110.00, is new',
      'A line without a name, 30.00, is new',
    ],
  ],
  ['a credit memo', ['180'], [line('Refund', '-200')], ['“Refund”: 180.00 → 200.00 (+20.00)']],
  ['two equal amounts with one removed', ['50', '50'], [line('A', '50')], ['A line of 50.00 was removed']],
])('describes the changes of %s', (_what, posted, lines, expected) => {
  expect(
    lineChanges(
      posted.map((amount) => decimal(amount)),
      lines,
    ),
  ).toEqual(expected);
});
