/** Checks and carries out writes (autotask reference sections 6 to 8). */
import { Refused } from './answers.ts';
import { writeInstant } from './calendar.ts';
import { entityRules, type Draft } from './entity-rules.ts';
import { fromWire } from './metadata.ts';
import { parseInstant, property } from './query.ts';
import type { EntityType, Field } from './schema.ts';
import type { Row, UserDefinedValue, Value } from './table.ts';
import { tableOf, visibleRow, type World } from './world.ts';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The parent record of a child that is written. */
export interface Parent {
  readonly field: string;
  readonly id: number;
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function parseNumber(field: Field, value: unknown): number {
  // Numbers may be sent as text; an empty text is no number.
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  const isWhole = field.type !== 'double';
  if (typeof number !== 'number' || !Number.isFinite(number) || (isWhole && !Number.isInteger(number)))
    throw new Refused(
      `Conversion failed: the value '${show(value)}' of ${field.name} is not of the type ${field.type}.`,
    );
  return number;
}

function parseDate(world: World, field: Field, value: unknown): string | null {
  if (value === '' && world.behaviour.get('empty_text_clears_date')) return null;
  const instant = typeof value === 'string' ? parseInstant(value) : undefined;
  if (instant === undefined)
    throw new Refused(`Conversion failed when converting date and/or time from character string: ${field.name}.`);
  return field.isDay ? `${new Date(instant).toISOString().slice(0, 10)}T00:00:00Z` : writeInstant(instant);
}

function parseText(world: World, field: Field, value: unknown): string | null {
  if (typeof value === 'object' || typeof value === 'boolean')
    throw new Refused(`The value of ${field.name} must be a text.`);
  const text = show(value);
  if (field.length > 0 && text.length > field.length)
    throw new Refused(`The value of ${field.name} exceeds the maximum length of ${field.length} characters.`);
  return text === '' && world.behaviour.get('cleared_text') === 'null' ? null : text;
}

/** Parses one field of a body; checks type, length, picklist and reference. Throws Refused. */
function parseField(world: World, field: Field, value: unknown): Value {
  if (value === null) {
    if (field.isRequired) throw new Refused(`The field ${field.name} is required and cannot be empty.`);
    return field.type === 'string' && world.behaviour.get('cleared_text') === 'empty' ? '' : null;
  }
  let parsed: Value;
  switch (field.type) {
    case 'boolean':
      if (typeof value !== 'boolean') throw new Refused(`The value of ${field.name} must be true or false.`);
      parsed = value;
      break;
    case 'datetime':
      parsed = parseDate(world, field, value);
      break;
    case 'string':
      parsed = parseText(world, field, value);
      break;
    default:
      parsed = parseNumber(field, value);
  }
  if (parsed === '' && field.isRequired) throw new Refused(`The field ${field.name} is required and cannot be empty.`);
  if (field.picklist !== undefined && !field.picklist.some((choice) => choice.value === String(parsed)))
    throw new Refused(`The value ${show(value)} of ${field.name} is not in its picklist.`);
  if (field.reference !== undefined && typeof parsed === 'number') {
    const table = world.tables.get(field.reference);
    if (table !== undefined && table.get(parsed) === undefined)
      throw new Refused(
        `The reference value ${parsed} on field: ${field.name} of type: ${field.type} does not exist or is invalid.`,
      );
  }
  return parsed;
}

function parseUserDefined(type: EntityType, value: unknown, old: readonly UserDefinedValue[]): UserDefinedValue[] {
  if (!Array.isArray(value)) throw new Refused('userDefinedFields must be a list of names and values.');
  const fields = new Map(old.map((entry) => [entry.name, entry.value]));
  for (const entry of value) {
    const name: unknown = isRecord(entry) ? property(entry, 'name') : undefined;
    const known = type.userDefinedFields.find((field) => field.name.toLowerCase() === show(name).toLowerCase());
    if (!isRecord(entry) || known === undefined)
      throw new Refused(`Unable to find ${show(name)} in the ${type.singular} Entity.`);
    const given = property(entry, 'value');
    fields.set(known.name, given === null || given === undefined ? null : show(given));
  }
  return [...fields].map(([name, given]) => ({ name, value: given }));
}

/**
 * Returns the known fields of a body; keys in any letter case, unknown ones dropped. Throws Refused with all errors.
 */
function parseFields(
  world: World,
  type: EntityType,
  body: Record<string, unknown>,
  isCreate: boolean,
  old?: Row,
): Record<string, Value> {
  const fields: Record<string, Value> = {};
  const complaints: string[] = [];
  for (const [key, value] of Object.entries(body)) {
    const name = key.toLowerCase();
    if (name === 'id') continue;
    const field = type.fieldByName.get(name);
    try {
      if (name === 'userdefinedfields' && type.hasUserDefinedFields) {
        const before = Array.isArray(old?.userDefinedFields) ? old.userDefinedFields : [];
        fields.userDefinedFields = parseUserDefined(type, value, before);
        continue;
      }
      if (field === undefined) continue;
      if (field.isReadOnly || (field.isCreateOnly && !isCreate)) {
        if (world.behaviour.get('read_only_in_body') === 'refused')
          throw new Refused(`The field ${field.name} of ${type.singular} is read-only.`);
        continue;
      }
      const onWire = typeof value === 'number' ? fromWire(world.behaviour, type, field.name, value) : value;
      fields[field.name] = parseField(world, field, onWire);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      complaints.push(...error.errors);
    }
  }
  if (complaints.length > 0) throw new Refused(complaints);
  return fields;
}

function bodyObject(body: unknown): Record<string, unknown> {
  if (!isRecord(body)) throw new Refused('The request has no record.');
  return body;
}

function checkRules(world: World, type: EntityType, draft: Draft): void {
  const complaints = entityRules[type.name]?.check?.(world, draft) ?? [];
  if (complaints.length > 0) throw new Refused(complaints);
}

const stamps = (type: EntityType, names: readonly string[], value: Value): Record<string, Value> =>
  Object.fromEntries(names.flatMap((name) => (type.fieldByName.has(name.toLowerCase()) ? [[name, value]] : [])));

/** POST: creates a record. Returns its id. Throws Refused. */
export function createRecord(world: World, type: EntityType, body: unknown, parent?: Parent): number {
  const given = bodyObject(body);
  const fields = parseFields(world, type, parent === undefined ? given : { ...given, [parent.field]: parent.id }, true);
  const table = tableOf(world, type.name);
  const now = world.clock.iso().replace('.000Z', 'Z');
  const created: Record<string, Value> = {
    ...stamps(type, ['createDate', 'createDateTime', 'createdTime', 'lastModifiedDate', 'lastActivityDate'], now),
    ...stamps(type, ['creatorResourceID', 'createdByResourceID'], world.actingResourceId),
    ...(world.isImpersonating && stamps(type, ['impersonatorCreatorResourceID'], world.user.resourceId)),
    ...entityRules[type.name]?.defaults?.(world, fields),
    ...fields,
  };
  const missing = type.fields.filter((field) => {
    const value = created[field.name];
    return field.isRequired && !field.isReadOnly && (value === undefined || value === null || value === '');
  });
  if (missing.length > 0) throw new Refused(missing.map((field) => `The field ${field.name} is required.`));
  const row: Row = { ...created, id: table.nextId() };
  checkRules(world, type, { next: row, old: undefined, given: new Set(Object.keys(fields)) });
  const stored = table.put({ ...row, ...entityRules[type.name]?.derive?.(world, row, undefined) });
  entityRules[type.name]?.after?.(world, stored, undefined);
  return stored.id;
}

/**
 * PATCH and PUT: changes the record that the body names. PUT empties writable fields that are absent. Throws Refused.
 */
export function updateRecord(
  world: World,
  type: EntityType,
  body: unknown,
  verb: 'PATCH' | 'PUT',
  parent?: Parent,
): number {
  const given = bodyObject(body);
  const rawId = property(given, 'id');
  const id = typeof rawId === 'string' ? Number(rawId) : rawId;
  if (typeof id !== 'number' || !Number.isInteger(id)) throw new Refused('The id of the record is missing.');
  const old = visibleRow(world, type, id);
  if (old === undefined || (parent !== undefined && old[parent.field] !== parent.id)) throw noMatch(type);
  const fields = storedFields(world, verb, parseFields(world, type, given, false, old));
  if (verb === 'PUT') {
    const absent = type.fields.filter((field) => !field.isReadOnly && !field.isCreateOnly && !(field.name in fields));
    const required = absent.filter((field) => field.isRequired);
    if (required.length > 0) throw new Refused(required.map((field) => `The field ${field.name} is required.`));
    for (const field of absent) fields[field.name] = null;
  }
  const next: Row = { ...old, ...fields, id };
  checkRules(world, type, { next, old, given: new Set(Object.keys(fields)) });
  const now = world.clock.iso().replace('.000Z', 'Z');
  const stored = tableOf(world, type.name).put({
    ...next,
    ...stamps(type, ['lastModifiedDate', 'lastTrackedModifiedDateTime'], now),
    ...entityRules[type.name]?.derive?.(world, next, old),
  });
  entityRules[type.name]?.after?.(world, stored, old);
  return id;
}

/** Returns the fields of a write that are stored, according to the switch `patch_stores`. */
function storedFields<Fields extends object>(world: World, verb: 'PATCH' | 'PUT', fields: Fields): Fields {
  const stores = world.behaviour.get('patch_stores');
  if (verb === 'PUT' || stores === 'all') return fields;
  const stored = Object.entries(fields).filter(([, value]) => stores === 'no_nulls' && value !== null);
  // The remaining fields have the same type: each of them may be absent.
  return Object.fromEntries(stored) as Fields;
}

/** DELETE: removes a record. Throws Refused. */
export function deleteRecord(world: World, type: EntityType, id: number, parent?: Parent): number {
  const old = visibleRow(world, type, id);
  if (old === undefined || (parent !== undefined && old[parent.field] !== parent.id)) throw noMatch(type);
  tableOf(world, type.name).remove(id);
  entityRules[type.name]?.after?.(world, undefined, old);
  return id;
}

/** Returns the error for a write to a record that does not exist or is hidden from the caller. */
export function noMatch(type: EntityType): Refused {
  return new Refused(
    `No matching records found for the ${type.singular}. The record may not exist, or you may not have permission to it.`,
  );
}
