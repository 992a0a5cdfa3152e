import {
  anything,
  array,
  assert,
  configureGlobal,
  constantFrom,
  dictionary,
  jsonValue,
  oneof,
  property,
  record,
  string,
} from 'fast-check';
import { expect, test } from 'vitest';
import { createClock } from '../kit/clock.ts';
import { Refused } from './answers.ts';
import { createAutotaskBehaviour } from './behaviour.ts';
import { compileQuery, parseInstant, QueryRefused, type QueryRules } from './query.ts';
import { createRecord, updateRecord } from './rules.ts';
import { entityTypes, type EntityType, type Field } from './schema.ts';
import { createTables } from './seed.ts';
import type { Row, Value } from './table.ts';
import { defaultUser } from './users.ts';
import type { World } from './world.ts';

configureGlobal({ seed: 20_250_303 });

const rules: QueryRules = {
  emptyFilterIsRefused: true,
  operatorsIgnoreCase: false,
  emptyTextExists: true,
  noteqFindsNull: false,
  booleansMayBeNumbers: false,
  includeFieldsAddsId: false,
};
const types = [...entityTypes.values()];
const anyType = constantFrom(...types);
const operator = oneof(
  constantFrom(
    'eq',
    'noteq',
    'gt',
    'lte',
    'contains',
    'beginsWith',
    'in',
    'notIn',
    'exist',
    'notExist',
    'and',
    'or',
    'like',
  ),
  string(),
);
const fieldName = oneof(
  constantFrom(...new Set(types.flatMap((type) => type.fields.map((field) => field.name)))),
  string(),
);
const leaf = record(
  { op: operator, field: fieldName, value: jsonValue(), udf: constantFrom(true, false) },
  { requiredKeys: ['op'] },
);
const node = oneof(
  leaf,
  record({ op: operator, items: array(oneof(leaf, jsonValue()), { maxLength: 4 }) }),
  jsonValue(),
);
const queryBody = record(
  {
    filter: oneof(array(node, { maxLength: 4 }), jsonValue()),
    IncludeFields: oneof(array(fieldName), jsonValue()),
    MaxRecords: jsonValue(),
  },
  { requiredKeys: [] },
);

test('every query is accepted or rejected with a message', () => {
  const tables = createTables({ today: '2025-03-03' });
  assert(
    property(anyType, oneof(queryBody, jsonValue()), (type, body) => {
      try {
        const query = compileQuery(type, body, rules);
        for (const row of tables.get(type.name)?.all().slice(0, 20) ?? [])
          expect(typeof query.matches(row)).toBe('boolean');
        expect(query.pageSize >= 1 && query.pageSize <= 500).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(QueryRefused);
      }
    }),
    { numRuns: 2000 },
  );
});

test('parsing any date text returns an instant or null', () => {
  assert(
    property(string(), (text) => {
      const instant = parseInstant(text);
      return instant === undefined || Number.isInteger(instant);
    }),
  );
});

function world(): World {
  return {
    tables: createTables({ today: '2025-03-03' }),
    behaviour: createAutotaskBehaviour(),
    clock: createClock({ startAt: '2025-03-03T15:00:00Z', frozen: true }),
    user: defaultUser,
    actingResourceId: 99,
    isImpersonating: false,
  };
}

function fits(field: Field, value: Value | undefined): boolean {
  if (value === null || value === undefined) return true;
  if (field.type === 'boolean') return typeof value === 'boolean';
  if (field.type === 'string') return typeof value === 'string' && (field.length === 0 || value.length <= field.length);
  if (field.type === 'datetime') return typeof value === 'string' && parseInstant(value) !== undefined;
  return typeof value === 'number' && Number.isFinite(value) && (field.type === 'double' || Number.isInteger(value));
}

const invalidFields = (type: EntityType, row: Row | undefined): string[] =>
  row === undefined ? [] : type.fields.filter((field) => !fits(field, row[field.name])).map((field) => field.name);

const values = oneof(jsonValue(), constantFrom(0, 1, 175, 301, '2025-03-01', '12.5', '', true, 'x'.repeat(200)));

test('every write is rejected with messages or leaves a valid record', () => {
  const shared = world();
  const writable = types.filter((type) => type.verbs.has('PATCH') || type.under?.verbs.has('PATCH') === true);
  assert(
    property(
      constantFrom(...writable),
      dictionary(fieldName, values, { maxKeys: 4 }),
      constantFrom('PATCH', 'PUT', 'POST'),
      (type, fields, verb) => {
        const table = shared.tables.get(type.name);
        const old = table?.all()[0];
        const before = JSON.stringify(old);
        try {
          const id =
            verb === 'POST'
              ? createRecord(shared, type, fields)
              : updateRecord(shared, type, { ...fields, id: old?.id }, verb === 'PUT' ? 'PUT' : 'PATCH');
          expect(invalidFields(type, table?.get(id))).toEqual([]);
        } catch (error) {
          expect(error).toBeInstanceOf(Refused);
          expect(
            error instanceof Refused && error.errors.length > 0 && error.errors.every((text) => text.length > 0),
          ).toBe(true);
          expect(JSON.stringify(old === undefined ? undefined : table?.get(old.id))).toBe(before);
        }
      },
    ),
    { numRuns: 3000 },
  );
});

test('rejects a body that is not a record', () => {
  const shared = world();
  const companies = types.find((type) => type.name === 'Companies');
  if (companies === undefined) throw new Error('no companies');
  assert(
    property(
      anything().filter((value) => typeof value !== 'object' || value === null || Array.isArray(value)),
      (body) => {
        expect(() => createRecord(shared, companies, body)).toThrow(Refused);
        expect(() => updateRecord(shared, companies, body, 'PATCH')).toThrow(Refused);
      },
    ),
  );
});
