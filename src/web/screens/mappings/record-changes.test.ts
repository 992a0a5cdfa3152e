import { expect, test } from 'vitest';
import { recordChangesOf } from './record-changes.ts';

const recorded = (source_value: string, source: string, target: string) => ({ source_value, source, target });

test('lists new, changed, and deleted targets of a change', () => {
  expect(
    recordChangesOf({
      before: [recorded('1', 'Acme', 'Old'), recorded('2', 'Birch', 'Same'), recorded('3', 'Cedar', 'Gone')],
      after: [recorded('1', 'Acme', 'New'), recorded('2', 'Birch', 'Same'), recorded('4', 'Dune', 'First')],
    }),
  ).toEqual([
    { id: '1', source: 'Acme', target: 'New', before: 'Old' },
    { id: '2', source: 'Birch', target: 'Same', before: null },
    { id: '4', source: 'Dune', target: 'First', before: null },
    { id: '3', source: 'Cedar', target: null, before: 'Gone' },
  ]);
});

test('distinguishes records of the same name by their IDs', () => {
  expect(
    recordChangesOf({
      before: [recorded('1', 'Smith', 'A'), recorded('2', 'Smith', 'B'), recorded('3', 'Smith', 'C')],
      after: [recorded('1', 'Smith', 'X'), recorded('2', 'Smith', 'Y')],
    }),
  ).toEqual([
    { id: '1', source: 'Smith', target: 'X', before: 'A' },
    { id: '2', source: 'Smith', target: 'Y', before: 'B' },
    { id: '3', source: 'Smith', target: null, before: 'C' },
  ]);
});
