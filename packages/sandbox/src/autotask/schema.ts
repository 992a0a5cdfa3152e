/** The schema of every entity, loaded from schema.txt. The head of that file explains its format. */
import { readFileSync } from 'node:fs';

/** The type names of the service's field information. */
export type DataType = 'integer' | 'long' | 'double' | 'boolean' | 'string' | 'datetime';

/** One choice of a picklist. Its value is text in the metadata; records hold it as the field's own type. */
export interface PicklistValue {
  readonly value: string;
  readonly label: string;
}

/** One field of an entity. */
export interface Field {
  readonly name: string;
  readonly type: DataType;
  /** Maximum characters of a text; 0 for other types or when no limit is known. */
  readonly length: number;
  /** A date-time of which only the day is stored. */
  readonly isDay: boolean;
  readonly isReadOnly: boolean;
  /** Can be set on create, never afterward. */
  readonly isCreateOnly: boolean;
  readonly isRequired: boolean;
  readonly isQueryable: boolean;
  /** The entity whose ids it holds. */
  readonly reference: string | undefined;
  readonly picklist: readonly PicklistValue[] | undefined;
}

/** A user-defined field that the sample tenant has. */
export interface UserDefinedFieldType {
  readonly name: string;
  readonly type: 'string' | 'datetime' | 'double';
  readonly picklist: readonly PicklistValue[] | undefined;
}

/** A collection below a parent record. */
export interface ChildPath {
  /** As in the URL, e.g. `Expenses`, which differs from the parent entity's name. */
  readonly parent: string;
  readonly child: string;
  /** The field of the child that holds the parent's id. */
  readonly field: string;
  readonly verbs: ReadonlySet<string>;
  readonly canDelete: boolean;
}

/** One entity. */
export interface EntityType {
  readonly name: string;
  /** Singular name, as in error texts and references. */
  readonly singular: string;
  /** Verbs on the collection itself: POST, PUT, PATCH. */
  readonly verbs: ReadonlySet<string>;
  readonly canDelete: boolean;
  readonly hasUserDefinedFields: boolean;
  readonly hasWebhooks: boolean;
  readonly under: ChildPath | undefined;
  readonly fields: readonly Field[];
  /** By name in lower case. */
  readonly fieldByName: ReadonlyMap<string, Field>;
  readonly userDefinedFields: readonly UserDefinedFieldType[];
}

const userDefinedFields: Readonly<Record<string, readonly UserDefinedFieldType[]>> = {
  Companies: [
    { name: 'Account Code', type: 'string', picklist: undefined },
    { name: 'Renewal Date', type: 'datetime', picklist: undefined },
    { name: 'Seats', type: 'double', picklist: undefined },
    { name: 'Tier', type: 'string', picklist: ['Gold', 'Silver'].map((label) => ({ value: label, label })) },
  ],
  Contacts: [{ name: 'Nickname', type: 'string', picklist: undefined }],
  Contracts: [{ name: 'Signed By', type: 'string', picklist: undefined }],
  Products: [{ name: 'Shelf', type: 'string', picklist: undefined }],
  Services: [{ name: 'Runbook', type: 'string', picklist: undefined }],
  ServiceBundles: [{ name: 'Runbook', type: 'string', picklist: undefined }],
};

function parsePicklist(text: string): readonly PicklistValue[] {
  return text.split('|').map((choice) => {
    const words = choice.trim();
    const gap = words.indexOf(' ');
    return { value: words.slice(0, gap), label: words.slice(gap + 1) };
  });
}

function parseField(line: string, canCreate: boolean): Field {
  const bracket = line.indexOf('[');
  const words = (bracket < 0 ? line : line.slice(0, bracket)).trim().split(/\s+/);
  const [name = '', typeText = '', access = '', ...more] = words;
  const text = /^string\((\d+)\)$/.exec(typeText);
  const letter = access.charAt(0);
  return {
    name,
    // The file uses the type names of the metadata, except for text lengths and days.
    type: text === null ? (typeText === 'date' ? 'datetime' : (typeText as DataType)) : 'string',
    length: text === null ? 0 : Number(text[1]),
    isDay: typeText === 'date',
    isReadOnly: letter === 'R' || (letter === '?' && !canCreate),
    isCreateOnly: letter === 'C',
    isRequired: access.endsWith('*'),
    isQueryable: !more.includes('unqueryable'),
    reference: more.find((word) => word.startsWith('->'))?.slice(2),
    picklist: bracket < 0 ? undefined : parsePicklist(line.slice(bracket + 1, line.lastIndexOf(']'))),
  };
}

function parseUnder(line: string): ChildPath {
  const match = /^under (\w+)\/(\w+) by (\w+): (.+)$/.exec(line);
  const [, parent = '', child = '', field = '', rest = ''] = match ?? [];
  const verbs = rest.split(' ').map((verb) => verb.toUpperCase());
  return {
    parent,
    child,
    field,
    verbs: new Set(verbs.filter((verb) => verb !== 'DELETE')),
    canDelete: verbs.includes('DELETE'),
  };
}

function parseEntity(block: string): EntityType {
  const [head = '', ...lines] = block.split('\n');
  const [, name = '', singular = '', rest = ''] = /^(\w+) \((\w+)\)(.*)$/.exec(head) ?? [];
  const marks = rest.trim().split(' ').filter(Boolean);
  const verbs = new Set(
    ['post', 'put', 'patch'].filter((verb) => marks.includes(verb)).map((verb) => verb.toUpperCase()),
  );
  const underLine = lines.map((line) => line.trim()).find((line) => line.startsWith('under '));
  const under = underLine === undefined ? undefined : parseUnder(underLine);
  const canCreate = verbs.has('POST') || under?.verbs.has('POST') === true;
  const fields = lines
    .map((line) => line.trim())
    .filter((line) => !line.startsWith('under '))
    .map((line) => parseField(line, canCreate));
  return {
    name,
    singular,
    verbs,
    canDelete: marks.includes('delete'),
    hasUserDefinedFields: marks.includes('+udf'),
    hasWebhooks: marks.includes('+webhook'),
    under,
    fields,
    fieldByName: new Map(fields.map((field) => [field.name.toLowerCase(), field])),
    userDefinedFields: userDefinedFields[name] ?? [],
  };
}

const text = readFileSync(new URL('schema.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => !line.startsWith('#'))
  .join('\n')
  .trim();

/** Every entity by its name in lower case, in alphabetical order. */
export const entityTypes: ReadonlyMap<string, EntityType> = new Map(
  text
    .split(/\n{2,}/)
    .map(parseEntity)
    .map((type) => [type.name.toLowerCase(), type]),
);

/**
 * Returns an entity by its name in any letter case. Throws when it is unknown, because names come from our own code.
 */
export function entityType(name: string): EntityType {
  const type = entityTypes.get(name.toLowerCase());
  if (type === undefined) throw new Error(`no entity is called ${name}`);
  return type;
}

/** Child collections by `parent/child` in lower case. */
export const childPaths: ReadonlyMap<string, { readonly type: EntityType; readonly path: ChildPath }> = new Map(
  [...entityTypes.values()].flatMap((type) => {
    const path = type.under;
    return path === undefined ? [] : [[`${path.parent}/${path.child}`.toLowerCase(), { type, path }] as const];
  }),
);

/** Returns the number of a picklist label. Throws when it is unknown, because labels come from our own code. */
export function picklistNumber(entity: string, field: string, label: string): number {
  const choice = entityType(entity)
    .fieldByName.get(field.toLowerCase())
    ?.picklist?.find((entry) => entry.label === label);
  if (choice === undefined) throw new Error(`${entity}.${field} has no ${label}`);
  return Number(choice.value);
}
