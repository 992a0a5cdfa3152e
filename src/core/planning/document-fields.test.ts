import { expect, test } from 'vitest';
import { accounting, mapping, psa } from '#test/cases/sample-world.ts';
import { DecisionLog } from './decision.ts';
import { chooseClasses, chooseLocation, reportInactiveClasses, type LocationSource } from './document-fields.ts';
import { indexAccounting, indexMappings, indexPsa } from './reference-index.ts';

const business = (...ids: readonly (number | null)[]): readonly LocationSource[] =>
  ids.map((lineOfBusinessId) => ({ lineOfBusinessId, department: [] }));
const department = (...names: readonly (readonly string[])[]): readonly LocationSource[] =>
  names.map((one) => ({ lineOfBusinessId: null, department: one }));

function chosen(
  by: 'line_of_business' | 'department',
  sources: readonly LocationSource[],
  policy: 'post' | 'hold' = 'post',
) {
  const document = { what: 'Invoice', psaId: 1, number: null, party: null, on: null, amount: null, currency: null };
  const log = new DecisionLog(document);
  const id = chooseLocation(
    sources,
    {
      settings: { location_by: by, inactive_record_policy: policy },
      preferences: { ...accounting.preferences, tracksLocations: true },
      psa: indexPsa(psa),
      accounting: indexAccounting({
        ...accounting,
        locations: [
          ...(accounting.locations ?? []),
          { id: '213', fullyQualifiedName: 'Texas:SVC', isActive: true },
          { id: '214', fullyQualifiedName: 'Texas:Field', isActive: true },
          { id: '215', fullyQualifiedName: 'Ohio:Field', isActive: true },
          { id: '216', fullyQualifiedName: 'Closed office', isActive: false },
        ],
      }),
      mappings: indexMappings([
        mapping('Location', '1', '210'),
        mapping('Location', '2', '999'),
        mapping('Location', '4', '216'),
      ]),
    },
    log,
  );
  return [
    id,
    ...[...log.warnings, ...log.problems].map(({ code, message }) =>
      `${code} ${/“[^.]*”/.exec(message)?.[0] ?? ''}`.trim(),
    ),
  ];
}

test.each([
  ['the mapped one', business(1, 1, null), ['210']],
  ['none when its mapping target was deleted', business(2), [null, 'LOCATION_NOT_MAPPED “Hardware”']],
  ['none when it is not mapped', business(3, 3), [null, 'LOCATION_NOT_MAPPED “Projects”']],
  ['the mapped one when only some are mapped', business(1, 2), ['210', 'LOCATION_NOT_MAPPED “Hardware”']],
  ['none without a line of business', business(null), [null]],
])('the location of a line of business is %s', (_, sources, wanted) => {
  expect(chosen('line_of_business', sources)).toEqual(wanted);
});

test.each([
  ['the one with its name', department(['Service', 'XY']), ['212']],
  ['the one with its name, without a number', department(['Service']), ['212']],
  ['the one with its number', department(['Help desk', 'SVC']), ['213']],
  ['the one with its name when the number belongs to another', department(['Service', 'SVC']), ['212']],
  ['none when two have the name at different parents', department(['Field']), [null, 'LOCATION_NOT_MAPPED “Field”']],
  ['the one with its full name', department(['Ohio:Field']), ['215']],
  ['none when no location has its name', department(['Sales']), [null, 'LOCATION_NOT_MAPPED “Sales”']],
  [
    'none when two departments differ',
    department(['Service'], ['Austin office'], ['Service']),
    [null, 'LOCATIONS_DIFFER'],
  ],
  ['none without a department', department([]), [null]],
])('the location of a department is %s', (_, sources, wanted) => {
  expect(chosen('department', sources)).toEqual(wanted);
});

test('an inactive location is named, and holds the document by setting', () => {
  for (const [by, sources] of [
    ['line_of_business', business(4)],
    ['department', department(['Closed office'])],
  ] as const) {
    expect(chosen(by, sources)).toEqual([null, 'RECORD_INACTIVE “Closed office”']);
    expect(chosen(by, sources, 'hold')).toEqual([null, 'RECORD_INACTIVE_HELD “Closed office”']);
  }
  expect(chosen('line_of_business', business(1, 4))).toEqual(['210', 'RECORD_INACTIVE “Closed office”']);
});

test('an inactive class is named, and is not reported as unmapped', () => {
  const [first] = accounting.classes;
  if (first === undefined) throw new Error('the sample has no class');
  const index = indexAccounting({ ...accounting, classes: [{ ...first, isActive: false }] });
  const mappings = indexMappings([mapping('LineOfBusiness', '1', first.id)]);
  const lines = [{ lineOfBusinessId: 1 }, { lineOfBusinessId: 3 }];
  const tracking = { classPerLine: true, classPerTransaction: false };
  const { inactive, warnings } = chooseClasses(lines, tracking, indexPsa(psa), index, mappings);
  expect(inactive.map(({ id, target }) => [id, target])).toEqual([[1, first.fullyQualifiedName]]);
  expect(warnings.map(({ message }) => message)).toEqual(['No QuickBooks class is mapped for “Projects”.']);
  for (const [policy, code] of [
    ['post', 'RECORD_INACTIVE'],
    ['hold', 'RECORD_INACTIVE_HELD'],
  ] as const) {
    const document = { what: 'Invoice', psaId: 1, number: null, party: null, on: null, amount: null, currency: null };
    const log = new DecisionLog(document);
    const settings = { inactive_record_policy: policy };
    reportInactiveClasses(lines, { psa: indexPsa(psa), accounting: index, mappings, settings }, log);
    expect([...log.warnings, ...log.problems].map((one) => one.code)).toEqual([code]);
  }
});
