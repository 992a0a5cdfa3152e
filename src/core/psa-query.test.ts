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
  refuses({ field: 'companyName', op: 'like' as PsaOperator, value: 'a' }, /operator “like”/);
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
          filter.map(({ field, op }) => ({ field, op })),
        );
      }),
      { seed: 1, numRuns: 500 },
    );
  });
});
