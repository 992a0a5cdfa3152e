import { expect, test } from 'vitest';
import { books, mapping, psa } from '#test/cases/sample-world.ts';
import { DecisionLog } from './decision.ts';
import { chooseLocation, type LocationSource } from './document-fields.ts';
import { indexAccounting, indexMappings, indexPsa } from './reference-index.ts';

const business = (...ids: readonly (number | null)[]): readonly LocationSource[] =>
  ids.map((lineOfBusinessId) => ({ lineOfBusinessId, department: [] }));
const department = (...names: readonly (readonly string[])[]): readonly LocationSource[] =>
  names.map((one) => ({ lineOfBusinessId: null, department: one }));

function chosen(by: 'line_of_business' | 'department', sources: readonly LocationSource[]) {
  const document = { what: 'Invoice', psaId: 1, number: null, party: null, on: null, amount: null, currency: null };
  const log = new DecisionLog(document);
  const id = chooseLocation(
    sources,
    {
      settings: { location_by: by },
      preferences: { ...books.preferences, tracksLocations: true },
      psa: indexPsa(psa),
      books: indexAccounting({
        ...books,
        locations: [
          ...(books.locations ?? []),
          { id: '213', fullyQualifiedName: 'Texas:SVC', isActive: true },
          { id: '214', fullyQualifiedName: 'Texas:Field', isActive: true },
          { id: '215', fullyQualifiedName: 'Ohio:Field', isActive: true },
        ],
      }),
      mappings: indexMappings([mapping('Location', '1', '210'), mapping('Location', '2', '999')]),
    },
    log,
  );
  return [id, ...log.warnings.map(({ code, message }) => `${code} ${/“[^.]*”/.exec(message)?.[0] ?? ''}`.trim())];
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
