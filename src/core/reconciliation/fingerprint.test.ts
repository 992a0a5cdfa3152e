import { expect, test } from 'vitest';
import { calendarDate } from '../values/dates.ts';
import { decimal } from '../values/decimal.ts';
import { compareFingerprints, fingerprintOf, type Fingerprint, type FingerprintLine } from './fingerprint.ts';
import { documentOf, lineOf } from './testing.ts';

const posted = fingerprintOf(documentOf(1, '100', { lines: [lineOf('60'), lineOf('40', { classId: '7' })] }));
const [first, second] = posted.lines;
if (first === undefined || second === undefined) throw new Error('the document lacks two lines');
const changesOf = (after: Fingerprint, before = posted) =>
  compareFingerprints(before, after).map(({ field, line, before: was, after: is }) => [field, line, was, is]);
const onSecond = (more: Partial<FingerprintLine>): Fingerprint => ({
  ...posted,
  lines: [first, { ...second, ...more }],
});

test.each<[what: string, after: Fingerprint, changes: readonly (readonly unknown[])[], before?: Fingerprint]>([
  ['nothing', posted, []],
  ['its date', { ...posted, datedOn: calendarDate('2026-02-11') }, [['date', null, '2026-02-10', '2026-02-11']]],
  ['a removed due date', { ...posted, dueOn: null }, [['due', null, '2026-03-12', null]]],
  ['its customer', { ...posted, partyId: '59' }, [['customer', null, '58', '59']]],
  ['its number', { ...posted, number: 'X' }, [['number', null, 'AT-1', 'X']]],
  ['its currency', { ...posted, currency: 'CAD' }, [['currency', null, 'USD', 'CAD']]],
  [
    'its payable or receivable account',
    { ...posted, controlAccountId: '21' },
    [['account', null, '20', '21']],
    { ...posted, controlAccountId: '20' },
  ],
  ['only the removed line', { ...posted, lines: [second] }, [['lines', null, '2', '1']]],
  ['the item of its second line', onSecond({ itemId: '12' }), [['item', 2, '11', '12']]],
  ['the class of a line', onSecond({ classId: null }), [['class', 2, '7', null]]],
  ['the tax code of a line', onSecond({ taxCode: 'TAX' }), [['tax_code', 2, 'NON', 'TAX']]],
  ['the quantity of a line', onSecond({ quantity: decimal('2') }), [['quantity', 2, '1', '2']]],
  ['a removed quantity', onSecond({ quantity: null }), [['quantity', 2, '1', null]]],
  ['the amount of a line', onSecond({ amount: decimal('41') }), [['amount', 2, '40', '41']]],
  ['an added location', { ...posted, locationId: '3' }, [['location', null, null, '3']]],
  ['a removed location', posted, [['location', null, '3', null]], { ...posted, locationId: '3' }],
  [
    'the account of an item, for a posted line',
    onSecond({ itemAccountId: '80' }),
    [['item_account', 2, '79', '80']],
    onSecond({ itemAccountId: '79' }),
  ],
  [
    'only the item, which has another account',
    onSecond({ itemId: '12', itemAccountId: '80' }),
    [['item', 2, '11', '12']],
    onSecond({ itemAccountId: '79' }),
  ],
  [
    'a tax that moved to another rate',
    { ...posted, taxes: [{ rateId: '4', amount: decimal('8') }] },
    [['tax', null, 'rate 3: 8.00', 'rate 4: 8.00']],
    { ...posted, taxes: [{ rateId: '3', amount: decimal('8') }] },
  ],
  [
    'no tax whose amount changed at the same rate',
    { ...posted, taxes: [{ rateId: '3', amount: decimal('9') }] },
    [],
    { ...posted, taxes: [{ rateId: '3', amount: decimal('8') }] },
  ],
])('lists as change %s', (_, after, wanted, before) => {
  expect(changesOf(after, before)).toEqual(wanted);
});

test('ignores discounts, whose amount is compared separately', () => {
  const lines = [lineOf('60'), lineOf('40', { classId: '7' }), lineOf('-5', { itemId: null, isDiscount: true })];
  expect(changesOf(fingerprintOf(documentOf(1, '95', { lines })))).toEqual([]);
});

test('ignores values that were unknown at posting, except an added class', () => {
  const { locationId: _, ...known } = posted;
  const before: Fingerprint = {
    ...known,
    dueOn: null,
    number: null,
    currency: null,
    lines: [{ ...first, quantity: null, taxCode: null }, second],
  };
  expect(changesOf({ ...posted, locationId: '3' }, before)).toEqual([]);
  expect(changesOf({ ...posted, lines: [{ ...first, classId: '7' }, second] })).toEqual([['class', 1, null, '7']]);
});
