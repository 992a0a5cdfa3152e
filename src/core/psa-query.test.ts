import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PsaCondition, PsaOperator, PsaQuery } from './ports/psa.ts';
import { BadPsaQuery, checkedPsaQuery } from './psa-query.ts';

const fields = [
  { name: 'id', dataType: 'long', isQueryable: true },
  { name: 'companyName', dataType: 'string', isQueryable: true },
  { name: 'isActive', dataType: 'boolean', isQueryable: true },
  { name: 'billingCodeType', dataType: 'integer', isQueryable: true },
  { name: 'assetValue', dataType: 'double', isQueryable: false },
];
const check = (...filter: PsaCondition[]) => checkedPsaQuery({ filter }, fields).filter;

test('what the PSA would drop or misread never leaves', () => {
  const refuses = (condition: PsaCondition, message: RegExp) => expect(() => check(condition)).toThrow(message);
  refuses({ field: 'companyName', op: 'ne' as PsaOperator, value: 'a' }, /operator “ne”/);
  for (const value of ['%', '%%', 'a%b', '%a%b%'])
    refuses({ field: 'companyName', op: 'like', value }, /“like” of “companyName” takes a text with “%” at its start/);
  refuses({ field: 'id', op: 'like', value: 3 }, /“like” of “id” takes a text/);
  refuses({ field: 'compnyName', op: 'eq', value: 'a' }, /field “compnyName”/);
  refuses({ field: 'assetValue', op: 'eq', value: 1 }, /“assetValue” cannot be searched/);
  refuses({ field: 'id', op: 'eq', value: 'abc' }, /“id” is a number/);
  refuses({ field: 'id', op: 'eq', value: null }, /“id” is not compared with nothing/);
  refuses({ field: 'id', op: 'eq' }, /“id” takes one value/);
  refuses({ field: 'id', op: 'in', value: [] }, /“in” of “id” takes a list/);
  refuses({ field: 'id', op: 'in', value: Array.from({ length: 501 }, (_, id) => id) }, /1 to 500/);
  refuses({ field: 'id', op: 'exist', value: 1 }, /takes no value/);
  refuses({ field: 'isActive', op: 'eq', value: 'maybe' }, /“isActive” is true or false/);
  refuses({ field: 'id', op: 'contains', value: 3 }, /“contains” of “id” takes a text/);
  expect(() => checkedPsaQuery({ filter: [], includeFields: ['nope'] }, fields)).toThrow(/field “nope”/);
  expect(() => checkedPsaQuery({ filter: [], maxRecords: 501 }, fields)).toThrow(BadPsaQuery);
});

describe('a query of a screen', () => {
  test('gets true and false where the PSA knows no 1 and 0', () => {
    expect(check({ field: 'isActive', op: 'eq', value: 1 })).toEqual([{ field: 'isActive', op: 'eq', value: true }]);
    expect(check({ field: 'isActive', op: 'in', value: [0, '1'] })).toEqual([
      { field: 'isActive', op: 'in', value: [false, true] },
    ]);
    expect(check({ field: 'billingCodeType', op: 'in', value: [0, 1] })).toEqual([
      { field: 'billingCodeType', op: 'in', value: [0, 1] },
    ]);
  });

  test.each([
    ['switch', 'contains', 'switch'],
    ['%switch%', 'contains', 'switch'],
    ['switch%', 'beginsWith', 'switch'],
    ['%switch', 'endsWith', 'switch'],
  ] as const)('may say like %s as in SQL', (pattern, op, value) => {
    expect(check({ field: 'companyName', op: 'like', value: pattern })).toEqual([{ field: 'companyName', op, value }]);
  });

  test('gets the names of fields as the PSA spells them', () => {
    expect(checkedPsaQuery({ filter: [], includeFields: ['ID', 'companyname'], maxRecords: 100 }, fields)).toEqual({
      filter: [],
      includeFields: ['id', 'companyName'],
      maxRecords: 100,
    });
  });

  test('is refused or passed whole: no condition is ever lost', () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.integer()));
    const condition = fc.record({
      field: fc.constantFrom('id', 'companyName', 'isActive', 'assetValue', 'nope'),
      op: fc.constantFrom('eq', 'noteq', 'in', 'exist', 'contains', 'like', 'ne') as fc.Arbitrary<PsaOperator>,
      value,
    });
    fc.assert(
      fc.property(fc.array(condition, { maxLength: 4 }), (filter) => {
        let checked: PsaQuery;
        try {
          checked = checkedPsaQuery({ filter }, fields);
        } catch (error) {
          expect(error).toBeInstanceOf(BadPsaQuery);
          return;
        }
        expect(checked.filter.map(({ field, op }) => ({ field, op }))).toEqual(
          filter.map(({ field, op }) => ({
            field,
            op: op === 'like' ? expect.stringMatching(/^(contains|beginsWith|endsWith)$/) : op,
          })),
        );
      }),
      { seed: 1, numRuns: 500 },
    );
  });
});

test.each([
  ['one row', { maxRecords: 1 }, true],
  ['all rows of a page', { maxRecords: 500 }, true],
  ['no row', { maxRecords: 0 }, false],
  ['more than a page', { maxRecords: 501 }, false],
  ['part of a row', { maxRecords: 1.5 }, false],
])('a query may ask for %s: %s', (_, more, may) => {
  const asked = () => checkedPsaQuery({ filter: [], ...more }, fields);
  if (may) expect(asked()).toEqual({ filter: [], ...more });
  else expect(asked).toThrow('MaxRecords must be a whole number from 1 to 500.');
});

test.each<[string, PsaCondition, boolean]>([
  ['one value of a list', { field: 'id', op: 'in', value: [1] }, true],
  ['500 values', { field: 'id', op: 'notIn', value: Array.from({ length: 500 }, (_, id) => id) }, true],
  ['a value that is no list', { field: 'id', op: 'in', value: 1 }, false],
  ['a list where one value is taken', { field: 'id', op: 'eq', value: [1] }, false],
  ['that there is one', { field: 'id', op: 'exist' }, true],
  ['that there is none', { field: 'id', op: 'notExist' }, true],
  ['how a text begins', { field: 'companyName', op: 'beginsWith', value: 'A' }, true],
  ['how a number ends', { field: 'companyName', op: 'endsWith', value: 1 }, false],
  ['a number in words', { field: 'id', op: 'eq', value: '12' }, true],
  ['true for a number', { field: 'id', op: 'eq', value: true }, false],
  ['an empty text for a number', { field: 'id', op: 'eq', value: ' ' }, false],
  ['an endless number', { field: 'id', op: 'eq', value: Number.POSITIVE_INFINITY }, false],
  ['true for a text', { field: 'companyName', op: 'eq', value: true }, true],
  ['true', { field: 'isActive', op: 'eq', value: 'TRUE' }, true],
])('a condition may name %s: %s', (_, condition, may) => {
  if (may) expect(check(condition)).toHaveLength(1);
  else expect(() => check(condition)).toThrow(BadPsaQuery);
});
