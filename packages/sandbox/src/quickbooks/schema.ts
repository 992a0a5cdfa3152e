import { type Doc, type Json, isDoc, shown } from './doc.ts';
import { fault } from './faults.ts';
import { entityFields, enumValues, typeFields } from './schema-data.ts';
import { isDate, parseInstant } from './times.ts';

/** The description of one member. Lengths count characters; `readOnly` members are tolerated and ignored. */
export interface Field {
  readonly name: string;
  readonly type: string;
  readonly isList: boolean;
  readonly readOnly: boolean;
  readonly min?: number;
  readonly max?: number;
  readonly from?: number;
  readonly to?: number;
}

type Fields = ReadonlyMap<string, Field>;

const common = 'Id:id! SyncToken:s MetaData:ModificationMetaData! domain:s! status:EntityStatusEnum! sparse:b';
const pattern = /^(\w+):(\w+)(\[\])?(?:\((?:(\d+)\.\.)?(\d+)\))?(?:\{(\d+)\.\.(\d+)\})?(!)?$/;

function parseFields(text: string): Fields {
  const fields = new Map<string, Field>();
  for (const word of text.trim().split(/\s+/)) {
    if (word === '') continue;
    const [, name, type, list, min, max, from, to, readOnly] = pattern.exec(word) ?? [];
    if (name === undefined || type === undefined) throw new Error(`schema data holds an unreadable word: ${word}`);
    const limits: { min?: number; max?: number; from?: number; to?: number } = {};
    if (min !== undefined) limits.min = Number(min);
    if (max !== undefined) limits.max = Number(max);
    if (from !== undefined) limits.from = Number(from);
    if (to !== undefined) limits.to = Number(to);
    fields.set(name, { name, type, isList: list !== undefined, readOnly: readOnly !== undefined, ...limits });
  }
  return fields;
}

const entities = new Map(Object.entries(entityFields).map(([name, text]) => [name, parseFields(`${common} ${text}`)]));
const types = new Map(Object.entries(typeFields).map(([name, text]) => [name, parseFields(text)]));
const enums = new Map(Object.entries(enumValues).map(([name, text]) => [name, new Set(text.trim().split(/\s*\|\s*/))]));

/** Every entity the schema holds, by name. */
export const entityNames: readonly string[] = [...entities.keys()];

/** Returns the members of an entity by name; throws for an unknown entity. */
export function fieldsOf(entity: string): Fields {
  const fields = entities.get(entity);
  if (fields === undefined) throw new Error(`the schema holds no entity ${entity}`);
  return fields;
}

/** Returns the members of a complex type, or undefined for plain types. */
export function membersOf(type: string): Fields | undefined {
  return types.get(type);
}

/**
 * Finds the field of a dotted path such as `MetaData.LastUpdatedTime`, in any letter case.
 *
 * @returns the field and the path in the service's spelling
 */
export function findField(entity: string, path: string): { readonly field: Field; readonly path: string } | undefined {
  let fields: Fields | undefined = fieldsOf(entity);
  let found: Field | undefined;
  const spelled: string[] = [];
  for (const part of path.split('.')) {
    found =
      fields?.get(part) ?? [...(fields?.values() ?? [])].find(({ name }) => name.toLowerCase() === part.toLowerCase());
    if (found === undefined) return undefined;
    spelled.push(found.name);
    fields = types.get(found.type);
  }
  return found === undefined ? undefined : { field: found, path: spelled.join('.') };
}

/** Amounts have at most 15 digits before the decimal point. */
const largestAmount = 999_999_999_999_999;

function checkValue(value: Json, field: Field, entity: string): void {
  const { name, type } = field;
  switch (type) {
    case 'any':
      return;
    case 's':
    case 'id': {
      // The service reads numbers and booleans where it expects text; it rejects objects.
      if (typeof value === 'object') throw fault.badType(name, 'a text');
      const length = shown(value).length;
      const max = field.max ?? Number.POSITIVE_INFINITY;
      if (length > max || (field.min !== undefined && length < field.min))
        throw fault.badLength(name, field.min ?? 0, max, length);
      return;
    }
    case 'n': {
      const amount = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
      if (typeof amount !== 'number' || !Number.isFinite(amount)) throw fault.badNumber(shown(value), name);
      if (Math.abs(amount) > largestAmount) throw fault.badAmount(shown(value), name);
      return;
    }
    case 'i': {
      const whole = typeof value === 'string' && value !== '' ? Number(value) : value;
      if (typeof whole !== 'number' || !Number.isInteger(whole)) throw fault.badNumber(shown(value), name);
      const { from, to } = field;
      if (from !== undefined && to !== undefined && (whole < from || whole > to))
        throw fault.badRange(shown(value), name, from, to);
      return;
    }
    case 'b':
      if (typeof value !== 'boolean' && value !== 'true' && value !== 'false')
        throw fault.badType(name, 'true or false');
      return;
    case 'd':
      // A date-time is accepted for a date; its day counts.
      if (typeof value !== 'string' || !isDate(value.slice(0, 10)) || parseInstant(value) === undefined)
        throw fault.badDate(shown(value), name);
      return;
    case 't':
      if (typeof value !== 'string' || parseInstant(value) === undefined) throw fault.badDate(shown(value), name);
      return;
    default: {
      const allowed = enums.get(type);
      if (allowed !== undefined) {
        if (typeof value !== 'string' || !allowed.has(value)) throw fault.badEnum(shown(value), name);
        return;
      }
      const members = types.get(type);
      if (members === undefined) throw new Error(`the schema holds no type ${type}`);
      // Clears a member: Vendor was recorded with "" instead of an object (quickbooks reference 2.5).
      if (value === '') return;
      if (!isDoc(value)) throw fault.badType(name, 'an object');
      checkMembers(value, members, type, entity);
    }
  }
}

function checkMembers(doc: Doc, fields: Fields, owner: string, entity: string): void {
  for (const [name, value] of Object.entries(doc)) {
    const field = fields.get(name);
    if (field === undefined) throw fault.unknownMember(name, owner, [...fields.keys()]);
    if (value === undefined || value === null) continue;
    if (field.isList) {
      if (!Array.isArray(value)) throw fault.badType(name, 'a list');
      for (const item of value) if (item !== null) checkValue(item, field, entity);
    } else checkValue(value, field, entity);
  }
}

/**
 * Rejects a request body that the service could not read: unknown members (2010), wrong types, lengths (2050), numbers,
 * dates (2060), closed lists (2170). Rules that need data are checked elsewhere.
 */
export function checkBody(entity: string, body: Doc): void {
  checkMembers(body, fieldsOf(entity), entity, entity);
}

/**
 * Normalizes a checked body: numbers as numbers, booleans as booleans, dates without a time, no nulls. Drops members
 * that the service assigns.
 */
export function normalise(entity: string, body: Doc): Doc {
  return normaliseMembers(body, fieldsOf(entity));
}

function normaliseMembers(doc: Doc, fields: Fields): Doc {
  const copy: Doc = {};
  for (const [name, value] of Object.entries(doc)) {
    const field = fields.get(name);
    if (field === undefined || field.readOnly || value === undefined || value === null) continue;
    copy[name] = Array.isArray(value)
      ? value.filter((item) => item !== null).map((item) => normaliseValue(item, field))
      : normaliseValue(value, field);
  }
  return copy;
}

function normaliseValue(value: Json, field: Field): Json {
  switch (field.type) {
    case 's':
    case 'id':
      return typeof value === 'object' ? value : shown(value);
    case 'n':
    case 'i':
      return Number(value);
    case 'b':
      return value === true || value === 'true';
    case 'd':
      return shown(value).slice(0, 10);
    default: {
      const members = types.get(field.type);
      // The name in a reference is read-only; only its value counts on write.
      if (field.type === 'ReferenceType' && isDoc(value)) {
        const { name: _, ...reference } = value;
        return reference;
      }
      return members !== undefined && isDoc(value) ? normaliseMembers(value, members) : value;
    }
  }
}

/** The names of an entity's members. */
export function schemaMembers(entity: string): Iterable<string> {
  return fieldsOf(entity).keys();
}
