/** Changes records without the API, as a person in Autotask could. */
import type { Clock } from '../kit/clock.ts';
import type { EntityHooks } from '../kit/definition.ts';
import { BadInput, isObject, type JsonObject } from '../kit/input.ts';
import type { AutotaskBehaviour } from './behaviour.ts';
import { writeInstant } from './calendar.ts';
import { parseInstant } from './query.ts';
import type { EntityType, Field } from './schema.ts';
import type { Row, Table, Tables, UserDefinedValue, Value } from './table.ts';

function parseValue(field: Field, value: unknown): Value {
  if (value === null) return null;
  const wrong = (what: string): BadInput => new BadInput(`${field.name} must be ${what}, or null.`);
  switch (field.type) {
    case 'string':
      if (typeof value !== 'string') throw wrong('a text');
      return value;
    case 'boolean':
      if (typeof value !== 'boolean') throw wrong('true or false');
      return value;
    case 'datetime': {
      const instant = typeof value === 'string' ? parseInstant(value) : undefined;
      if (instant === undefined) throw wrong('an instant like 2025-03-03T15:00:00Z');
      return writeInstant(instant);
    }
    default:
      if (typeof value !== 'number' || !Number.isFinite(value)) throw wrong('a number');
      if (field.type !== 'double' && !Number.isInteger(value)) throw wrong('a whole number');
      return value;
  }
}

function parseUserDefined(value: unknown): UserDefinedValue[] {
  const wrong = new BadInput('userDefinedFields must be a list of {name, value}, both texts.');
  if (!Array.isArray(value)) throw wrong;
  return value.map((entry: unknown) => {
    if (!isObject(entry) || typeof entry.name !== 'string') throw wrong;
    if (entry.value !== null && typeof entry.value !== 'string') throw wrong;
    return { name: entry.name, value: entry.value };
  });
}

function parseFields(type: EntityType, fields: JsonObject): Record<string, Value> {
  const parsed: Record<string, Value> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'id') continue;
    const field = type.fieldByName.get(name.toLowerCase());
    if (field !== undefined) parsed[field.name] = parseValue(field, value);
    else if (name === 'userDefinedFields' && type.hasUserDefinedFields)
      parsed.userDefinedFields = parseUserDefined(value);
    else throw new BadInput(`${type.name} has no field “${name}”.`);
  }
  return parsed;
}

function parseId(value: unknown): number {
  const id = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof id !== 'number' || !Number.isInteger(id) || id < 0)
    throw new BadInput('The id must be a whole number, 0 or more.');
  return id;
}

/**
 * Returns the control API's access to the tables. It checks only types: a person in Autotask can do more than the API.
 */
export function controlEntities(tables: () => Tables, clock: Clock, behaviour: AutotaskBehaviour): EntityHooks {
  const find = (entity: string): Table | undefined =>
    [...tables().values()].find((table) => table.type.name.toLowerCase() === entity.toLowerCase());
  const need = (entity: string): Table => {
    const table = find(entity);
    if (table === undefined) throw new BadInput(`There is no entity “${entity}”.`);
    return table;
  };

  /** Completes the voiding of an invoice by a person: sets the time, and makes its items billable again. */
  const afterVoid = (table: Table, old: Row | undefined, row: Row): Row => {
    if (table.type.name !== 'Invoices' || row.isVoided !== true || old?.isVoided === true) return row;
    if (behaviour.get('void_releases_items')) {
      const items = need('BillingItems');
      for (const item of items.where('invoiceID', row.id)) items.change(item, { invoiceID: 0 });
    }
    return table.change(row, {
      voidedDate: row.voidedDate ?? writeInstant(clock.now()),
      voidedByResourceID: row.voidedByResourceID ?? 20,
    });
  };

  return {
    list: () => [...tables()].map(([name, table]) => ({ name, count: table.size })),
    items: (entity) => find(entity)?.all(),
    item: (entity, id) => need(entity).get(Number(id)),
    put(entity, idText, fields) {
      const table = need(entity);
      const id = parseId(idText);
      if (fields.id !== undefined && fields.id !== id)
        throw new BadInput('The id in the body is not the one in the path.');
      const old = table.get(id);
      const parsed = parseFields(table.type, fields);
      return afterVoid(table, old, table.put({ ...old, ...parsed, id }));
    },
    post(entity, fields) {
      const table = need(entity);
      const id = fields.id === undefined ? table.nextId() : parseId(fields.id);
      if (table.get(id) !== undefined) throw new BadInput(`${table.type.name} has ${id} already.`);
      return table.put({ ...parseFields(table.type, fields), id });
    },
    remove: (entity, id) => need(entity).remove(Number(id)),
  };
}
