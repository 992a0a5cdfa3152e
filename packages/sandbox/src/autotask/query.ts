/**
 * The filter engine (autotask reference section 4): compiles a query body to a predicate over records. Pure; unknown
 * behavior of the real service is passed in as rules.
 */
import type { EntityType, Field, UserDefinedFieldType } from './schema.ts';
import { textKey, type Constraint, type Row, type Value } from './table.ts';

/** A query that the service rejects, with the texts of its `errors` list. */
export class QueryRefused extends Error {
  override readonly name = 'QueryRefused';
}

/** Rules for behavior that is uncertain. */
export interface QueryRules {
  readonly emptyFilterIsRefused: boolean;
  readonly operatorsIgnoreCase: boolean;
  /** Whether `exist` treats "" as a value. */
  readonly emptyTextExists: boolean;
  readonly noteqFindsNull: boolean;
  readonly booleansMayBeNumbers: boolean;
  readonly includeFieldsAddsId: boolean;
  /** Returns the shown number of a picklist value, when it differs from the stored one. */
  readonly shown?: ((field: string, value: number) => number) | undefined;
}

/** A compiled query. */
export interface CompiledQuery {
  readonly matches: (row: Row) => boolean;
  /** Conditions that every match satisfies, used to choose an index. */
  readonly constraints: readonly Constraint[];
  /** The columns to return, spelled as in the schema; undefined for all. */
  readonly columns: readonly string[] | undefined;
  /** The user-defined fields asked for among the columns. */
  readonly userDefinedColumns: readonly string[];
  readonly pageSize: number;
}

type Test = (row: Row) => boolean;
type Scalar = string | number | boolean;

const maxPageSize = 500;
const maxOrConditions = 500;

const comparisons = ['eq', 'noteq', 'gt', 'gte', 'lt', 'lte'] as const;
const textOperators = ['beginsWith', 'endsWith', 'contains'] as const;
const listOperators = ['in', 'notIn'] as const;
const existence = ['exist', 'notExist'] as const;
const groups = ['and', 'or'] as const;
const operators = [...comparisons, ...textOperators, ...listOperators, ...existence, ...groups];
type Operator = (typeof operators)[number];

const isIn = <T extends string>(list: readonly T[], word: string): word is T => list.some((entry) => entry === word);
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads a key of a JSON object in any letter case. */
export function property(object: Readonly<Record<string, unknown>>, name: string): unknown {
  if (name in object) return object[name];
  const key = Object.keys(object).find((candidate) => candidate.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : object[key];
}

/** Epoch milliseconds of ISO text, UTC when it names no zone; undefined when it is no instant. */
export function parseInstant(text: string): number | undefined {
  const match =
    /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,7}))?)?)?(Z|[+-]\d{2}:?\d{2})?$/i.exec(
      text.trim(),
    );
  if (match === null) return undefined;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = match;
  const milliseconds = fraction.padEnd(3, '0').slice(0, 3);
  const instant = Date.parse(
    `${year}-${month}-${day}T${hour}:${minute}:${second}.${milliseconds}${zone.toUpperCase()}`,
  );
  return Number.isNaN(instant) ? undefined : instant;
}

interface Subject {
  readonly field: Pick<Field, 'name' | 'type'>;
  readonly read: (row: Row) => Value | undefined;
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null');
}

/** Converts a filter value for comparison with the field's type: text in lower case, instants as numbers. */
function convert(field: Pick<Field, 'name' | 'type'>, value: unknown, rules: QueryRules): Scalar | null {
  if (field.type === 'boolean') {
    if (typeof value === 'boolean') return value;
    if (rules.booleansMayBeNumbers && (value === 0 || value === 1)) return value === 1;
    throw new QueryRefused(`The value ${show(value)} of the field ${field.name} must be true or false.`);
  }
  if (value === null || value === undefined) return null;
  if (typeof value === 'object') throw new QueryRefused(`The value of the field ${field.name} must be a single value.`);
  switch (field.type) {
    case 'string':
      return textKey(show(value));
    case 'datetime': {
      const instant = typeof value === 'string' ? parseInstant(value) : undefined;
      if (instant === undefined)
        throw new QueryRefused('Conversion failed when converting date and/or time from character string.');
      return instant;
    }
    default: {
      const number =
        typeof value === 'number' ? value : typeof value === 'string' ? Number(value.trim() || 'x') : Number.NaN;
      if (Number.isNaN(number))
        throw new QueryRefused(
          field.type === 'double'
            ? 'Error converting data type nvarchar to float.'
            : `Conversion failed when converting the nvarchar value '${show(value)}' to data type int.`,
        );
      return number;
    }
  }
}

/** Converts a record's value to the same form. */
function comparable(type: Field['type'], value: Value | undefined): Scalar | null {
  if (value === null || value === undefined || typeof value === 'object') return null;
  if (typeof value !== 'string') return value;
  if (type === 'datetime') return parseInstant(value) ?? null;
  return type === 'string' ? textKey(value) : value;
}

function compare(subject: Subject, operator: (typeof comparisons)[number], value: unknown, rules: QueryRules): Test {
  const { field, read } = subject;
  const { type } = field;
  const wanted = convert(field, value, rules);
  if (type === 'boolean' && operator !== 'eq' && operator !== 'noteq')
    throw new QueryRefused(`The operator ${operator} cannot be used with the field ${field.name}.`);
  // As in SQL, null is neither equal to anything nor different from it.
  if (wanted === null) return operator === 'noteq' && rules.noteqFindsNull ? (row) => read(row) !== null : () => false;
  const test = (holds: (actual: Scalar) => boolean): Test => {
    return (row) => {
      const actual = comparable(type, read(row));
      return actual !== null && holds(actual);
    };
  };
  switch (operator) {
    case 'eq':
      return test((actual) => actual === wanted);
    case 'noteq':
      return (row) => {
        const actual = comparable(type, read(row));
        return actual === null ? rules.noteqFindsNull : actual !== wanted;
      };
    case 'gt':
      return test((actual) => actual > wanted);
    case 'gte':
      return test((actual) => actual >= wanted);
    case 'lt':
      return test((actual) => actual < wanted);
    case 'lte':
      return test((actual) => actual <= wanted);
    default:
      return operator satisfies never;
  }
}

function matchText(subject: Subject, operator: (typeof textOperators)[number], value: unknown): Test {
  const { field, read } = subject;
  if (field.type !== 'string')
    throw new QueryRefused(`The operator ${operator} cannot be used with the field ${field.name}.`);
  if (value === null || value === undefined) return () => false;
  const wanted = show(value).toLowerCase();
  const test = (holds: (actual: string) => boolean): Test => {
    return (row) => {
      const actual = read(row);
      return typeof actual === 'string' && holds(actual.toLowerCase());
    };
  };
  if (operator === 'beginsWith') return test((actual) => actual.startsWith(wanted));
  if (operator === 'endsWith') return test((actual) => actual.endsWith(wanted));
  return test((actual) => actual.includes(wanted));
}

/** State shared by all nodes of one query. */
class Compiler {
  readonly type: EntityType;
  readonly rules: QueryRules;
  orConditions = 0;
  userDefinedFilters = 0;

  constructor(type: EntityType, rules: QueryRules) {
    this.type = type;
    this.rules = rules;
  }

  unknown(name: string): QueryRefused {
    return new QueryRefused(`Unable to find ${name} in the ${this.type.singular} Entity.`);
  }

  countOr(conditions: number): void {
    this.orConditions += conditions;
    if (this.orConditions > maxOrConditions)
      throw new QueryRefused("Invalid query syntax. Queries are limited to 500 or fewer 'OR' conditions.");
  }

  operatorOf(node: Readonly<Record<string, unknown>>): Operator | undefined {
    const word = property(node, 'op');
    if (typeof word !== 'string') return undefined;
    return this.rules.operatorsIgnoreCase
      ? operators.find((operator) => operator.toLowerCase() === word.toLowerCase())
      : operators.find((operator) => operator === word);
  }

  subjectOf(node: Readonly<Record<string, unknown>>): Subject {
    const name = property(node, 'field');
    if (typeof name !== 'string' || name === '') throw new QueryRefused('A filter item has no field.');
    if (property(node, 'udf') === true) return this.userDefined(name);
    const field = this.type.fieldByName.get(name.toLowerCase());
    if (field === undefined) throw this.unknown(name);
    if (!field.isQueryable)
      throw new QueryRefused(`The field ${name} in the ${this.type.singular} Entity cannot be queried.`);
    const { shown } = this.rules;
    if (shown === undefined || field.picklist === undefined) return { field, read: (row) => row[field.name] };
    return {
      field,
      read(row) {
        const value = row[field.name];
        return typeof value === 'number' ? shown(field.name, value) : value;
      },
    };
  }

  userDefined(name: string): Subject {
    this.userDefinedFilters += 1;
    if (this.userDefinedFilters > 1) throw new QueryRefused('Queries are limited to one user-defined field.');
    const field = this.type.userDefinedFields.find((entry) => entry.name.toLowerCase() === name.toLowerCase());
    if (field === undefined) throw this.unknown(name);
    return { field, read: (row) => userDefinedValue(row, field) };
  }

  /** Returns the test of one node; undefined when its operator is unknown, because the node is then ignored. */
  node(node: unknown, isTop: boolean, constraints: Constraint[]): Test | undefined {
    if (!isRecord(node)) throw new QueryRefused('A filter item is not an object.');
    const operator = this.operatorOf(node);
    if (operator === undefined) return undefined;
    if (isIn(groups, operator)) return this.group(operator, node, isTop, constraints);
    const subject = this.subjectOf(node);
    const value = property(node, 'value');
    if (isIn(existence, operator)) {
      const has: Test = (row) => {
        const actual = subject.read(row);
        return actual !== null && actual !== undefined && (actual !== '' || this.rules.emptyTextExists);
      };
      return operator === 'exist' ? has : (row) => !has(row);
    }
    if (isIn(textOperators, operator)) return matchText(subject, operator, value);
    if (isIn(listOperators, operator)) return this.list(operator, subject, value, isTop, constraints);
    const test = compare(subject, operator, value, this.rules);
    if (isTop) constrain(constraints, subject.field, operator, convert(subject.field, value, this.rules));
    return test;
  }

  list(
    operator: (typeof listOperators)[number],
    subject: Subject,
    value: unknown,
    isTop: boolean,
    into: Constraint[],
  ): Test {
    const { field, read } = subject;
    if (!Array.isArray(value)) throw new QueryRefused(`The operator ${operator} needs a list of values.`);
    this.countOr(value.length);
    const wanted = new Set(value.map((entry: unknown) => convert(field, entry, this.rules)));
    wanted.delete(null);
    if (operator === 'in') {
      const oneOf = [...wanted].flatMap((entry) => (typeof entry === 'boolean' || entry === null ? [] : [entry]));
      if (isTop && field.type !== 'datetime' && oneOf.length === wanted.size) into.push({ field: field.name, oneOf });
      return (row) => wanted.has(comparable(field.type, read(row)));
    }
    return (row) => {
      const actual = comparable(field.type, read(row));
      return actual === null ? this.rules.noteqFindsNull : !wanted.has(actual);
    };
  }

  group(
    operator: (typeof groups)[number],
    node: Readonly<Record<string, unknown>>,
    isTop: boolean,
    into: Constraint[],
  ): Test | undefined {
    const items = property(node, 'items');
    if (!Array.isArray(items)) throw new QueryRefused(`The group ${operator} has no items.`);
    if (operator === 'or') this.countOr(items.length);
    const tests = items.flatMap((item: unknown) => this.node(item, isTop && operator === 'and', into) ?? []);
    if (tests.length === 0) return undefined;
    return operator === 'and' ? (row) => tests.every((test) => test(row)) : (row) => tests.some((test) => test(row));
  }
}

function constrain(
  into: Constraint[],
  field: Pick<Field, 'name' | 'type'>,
  operator: string,
  value: Scalar | null,
): void {
  if (value === null || typeof value === 'boolean') return;
  if (field.type !== 'datetime') {
    if (operator === 'eq') into.push({ field: field.name, oneOf: [value] });
    return;
  }
  if (typeof value !== 'number') return;
  // Bounds are inclusive here; the predicate distinguishes gt from gte.
  if (operator === 'eq') into.push({ field: field.name, from: value, to: value });
  if (operator === 'gt' || operator === 'gte') into.push({ field: field.name, from: value, to: Infinity });
  if (operator === 'lt' || operator === 'lte') into.push({ field: field.name, from: -Infinity, to: value });
}

function userDefinedValue(row: Row, field: UserDefinedFieldType): Value {
  const values = row.userDefinedFields;
  if (!Array.isArray(values)) return null;
  const found = values.find((entry) => entry.name.toLowerCase() === field.name.toLowerCase());
  if (found === undefined || found.value === null) return null;
  return field.type === 'double' ? Number(found.value) : found.value;
}

function pageSizeOf(body: Readonly<Record<string, unknown>>): number {
  const wanted = property(body, 'MaxRecords');
  if (wanted === undefined || wanted === null) return maxPageSize;
  const number = typeof wanted === 'string' ? Number(wanted) : wanted;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < 1)
    throw new QueryRefused('MaxRecords must be a whole number from 1 to 500.');
  return Math.min(number, maxPageSize);
}

function columnsOf(
  compiler: Compiler,
  body: Readonly<Record<string, unknown>>,
): Pick<CompiledQuery, 'columns' | 'userDefinedColumns'> {
  const wanted = property(body, 'IncludeFields');
  if (wanted === undefined || wanted === null || (Array.isArray(wanted) && wanted.length === 0))
    return { columns: undefined, userDefinedColumns: [] };
  if (!Array.isArray(wanted)) throw new QueryRefused('IncludeFields must be a list of field names.');
  const columns = new Set<string>(compiler.rules.includeFieldsAddsId ? ['id'] : []);
  const userDefinedColumns: string[] = [];
  for (const name of wanted) {
    const key = show(name).toLowerCase();
    const field = compiler.type.fieldByName.get(key);
    const userDefined = compiler.type.userDefinedFields.find((entry) => entry.name.toLowerCase() === key);
    if (field !== undefined) columns.add(field.name);
    else if (userDefined !== undefined) userDefinedColumns.push(userDefined.name);
    else throw compiler.unknown(show(name));
  }
  // Columns are in the order of the entity, not of the request.
  const ordered = compiler.type.fields.flatMap((field) => (columns.has(field.name) ? [field.name] : []));
  return { columns: ordered, userDefinedColumns };
}

/**
 * Compiles a query body (`{filter, IncludeFields?, MaxRecords?}`, keys in any letter case). Throws QueryRefused with
 * the text that the service puts into `errors`.
 */
export function compileQuery(type: EntityType, body: unknown, rules: QueryRules): CompiledQuery {
  if (!isRecord(body)) throw new QueryRefused('The query has no filter.');
  const filter = property(body, 'filter');
  if (!Array.isArray(filter)) throw new QueryRefused('The query has no filter.');
  if (filter.length === 0 && rules.emptyFilterIsRefused) throw new QueryRefused('The filter of the query is empty.');
  const compiler = new Compiler(type, rules);
  const constraints: Constraint[] = [];
  const tests = filter.flatMap((node: unknown) => compiler.node(node, true, constraints) ?? []);
  return {
    matches: tests.length === 1 && tests[0] !== undefined ? tests[0] : (row) => tests.every((test) => test(row)),
    constraints,
    ...columnsOf(compiler, body),
    pageSize: pageSizeOf(body),
  };
}
