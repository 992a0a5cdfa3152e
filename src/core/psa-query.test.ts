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

test('rejects conditions that the PSA would ignore or misread', () => {
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
  test('converts 1 and 0 to true and false for boolean fields', () => {
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
  ] as const)('accepts like %s with SQL wildcards', (pattern, op, value) => {
    expect(check({ field: 'companyName', op: 'like', value: pattern })).toEqual([{ field: 'companyName', op, value }]);
  });

  test('spells field names like the PSA', () => {
    expect(checkedPsaQuery({ filter: [], includeFields: ['ID', 'companyname'], maxRecords: 100 }, fields)).toEqual({
      filter: [],
      includeFields: ['id', 'companyName'],
      maxRecords: 100,
    });
  });

  test('is rejected or passed completely, without losing a condition', () => {
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
  ['a full page', { maxRecords: 500 }, true],
  ['zero rows', { maxRecords: 0 }, false],
  ['more than a page', { maxRecords: 501 }, false],
  ['a fraction of a row', { maxRecords: 1.5 }, false],
])('a query may request %s: %s', (_, more, isAllowed) => {
  const checked = () => checkedPsaQuery({ filter: [], ...more }, fields);
  if (isAllowed) expect(checked()).toEqual({ filter: [], ...more });
  else expect(checked).toThrow('MaxRecords must be a whole number from 1 to 500.');
});

test.each<[string, PsaCondition, boolean]>([
  ['one value in a list', { field: 'id', op: 'in', value: [1] }, true],
  ['500 values', { field: 'id', op: 'notIn', value: Array.from({ length: 500 }, (_, id) => id) }, true],
  ['a single value for a list operator', { field: 'id', op: 'in', value: 1 }, false],
  ['a list for a single-value operator', { field: 'id', op: 'eq', value: [1] }, false],
  ['existence', { field: 'id', op: 'exist' }, true],
  ['absence', { field: 'id', op: 'notExist' }, true],
  ['the start of a text', { field: 'companyName', op: 'beginsWith', value: 'A' }, true],
  ['the end of a number', { field: 'companyName', op: 'endsWith', value: 1 }, false],
  ['a number as text', { field: 'id', op: 'eq', value: '12' }, true],
  ['true for a number', { field: 'id', op: 'eq', value: true }, false],
  ['an empty text for a number', { field: 'id', op: 'eq', value: ' ' }, false],
  ['an infinite number', { field: 'id', op: 'eq', value: Number.POSITIVE_INFINITY }, false],
  ['true for a text', { field: 'companyName', op: 'eq', value: true }, true],
  ['true', { field: 'isActive', op: 'eq', value: 'TRUE' }, true],
])('a condition may use %s: %s', (_, condition, isAllowed) => {
  if (isAllowed) expect(check(condition)).toHaveLength(1);
  else expect(() => check(condition)).toThrow(BadPsaQuery);
});
