import { psaOperators, type PsaCondition, type PsaQuery, type PsaScalar } from './ports/psa.ts';

/** Thrown when a screen's query names an unknown field or an operator that the PSA does not accept. */
export class BadPsaQuery extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BadPsaQuery';
  }
}

/** The PSA's description of one field. */
export interface PsaField {
  readonly name: string;
  /** E.g. `string`, `integer`, `boolean`. */
  readonly dataType: string;
  readonly isQueryable: boolean;
}

/** Maximum number of rows per page and of values in a list (autotask reference section 3). */
const maxRecords = 500;

/**
 * Checks a query against the existing fields and returns it in the PSA's format: field names in its spelling, and
 * `true` or `false` where screens send 1 or 0. The PSA silently ignores a condition with an unknown operator and then
 * returns every record, so every query must be checked.
 *
 * @throws BadPsaQuery with a message that names the field or the operator.
 */
export function checkedPsaQuery(query: PsaQuery, fields: readonly PsaField[]): PsaQuery {
  const byName = new Map(fields.map((field) => [field.name.toLowerCase(), field]));
  const known = (name: string): PsaField => {
    const field = byName.get(name.toLowerCase());
    if (field === undefined) throw new BadPsaQuery(`There is no field “${name}”.`);
    return field;
  };
  if (query.maxRecords !== undefined && !isWithin(query.maxRecords, 1, maxRecords))
    throw new BadPsaQuery(`MaxRecords must be a whole number from 1 to ${maxRecords}.`);
  return {
    filter: query.filter.map((condition) => checkedCondition(condition, known(condition.field))),
    ...(query.includeFields !== undefined && { includeFields: query.includeFields.map((name) => known(name).name) }),
    ...(query.maxRecords !== undefined && { maxRecords: query.maxRecords }),
  };
}

function checkedCondition(condition: PsaCondition, field: PsaField): PsaCondition {
  const { op, value } = condition;
  const name = field.name;
  if (!(psaOperators as readonly string[]).includes(op)) throw new BadPsaQuery(`There is no operator “${op}”.`);
  if (!field.isQueryable) throw new BadPsaQuery(`The field “${name}” cannot be searched by.`);
  if (op === 'exist' || op === 'notExist') {
    if (value !== undefined) throw new BadPsaQuery(`The operator “${op}” of “${name}” takes no value.`);
    return { field: name, op };
  }
  if (op === 'in' || op === 'notIn') {
    if (!Array.isArray(value) || !isWithin(value.length, 1, maxRecords))
      throw new BadPsaQuery(`The operator “${op}” of “${name}” takes a list of 1 to ${maxRecords} values.`);
    return { field: name, op, value: value.map((one: PsaScalar) => checkedScalar(one, field)) };
  }
  if (value === undefined || Array.isArray(value))
    throw new BadPsaQuery(`The operator “${op}” of “${name}” takes one value.`);
  const isTextOnly = op === 'beginsWith' || op === 'endsWith' || op === 'contains' || op === 'like';
  if (isTextOnly && typeof value !== 'string') throw new BadPsaQuery(`The operator “${op}” of “${name}” takes a text.`);
  if (op === 'like') return { field: name, ...withoutWildcards(String(value), name) };
  return { field: name, op, value: checkedScalar(value as PsaScalar, field) };
}

/** Translates a SQL pattern to a PSA condition. The PSA's operator for a text without wildcards is `contains`. */
function withoutWildcards(pattern: string, name: string): Pick<PsaCondition, 'op' | 'value'> {
  const isOpenBefore = pattern.startsWith('%');
  const isOpenAfter = pattern.length > 1 && pattern.endsWith('%');
  const value = pattern.slice(isOpenBefore ? 1 : 0, isOpenAfter ? -1 : undefined);
  if (value === '' || value.includes('%'))
    throw new BadPsaQuery(`The operator “like” of “${name}” takes a text with “%” at its start or end only.`);
  return { op: isOpenBefore === isOpenAfter ? 'contains' : isOpenBefore ? 'endsWith' : 'beginsWith', value };
}

const isNumeric = (field: PsaField): boolean => /^(integer|long|short|double|decimal)$/i.test(field.dataType);

function checkedScalar(value: PsaScalar, field: PsaField): PsaScalar {
  if (value === null) throw new BadPsaQuery(`The field “${field.name}” is not compared with nothing; use “notExist”.`);
  if (field.dataType.toLowerCase() === 'boolean') {
    const word = String(value).toLowerCase();
    if (word === '1' || word === 'true') return true;
    if (word === '0' || word === 'false') return false;
    throw new BadPsaQuery(`The field “${field.name}” is true or false.`);
  }
  // Any other value would cause a conversion error in the PSA's database.
  if (
    isNumeric(field) &&
    (typeof value === 'boolean' || String(value).trim() === '' || !Number.isFinite(Number(value)))
  )
    throw new BadPsaQuery(`The field “${field.name}” is a number.`);
  return value;
}

const isWithin = (value: number, min: number, max: number): boolean =>
  Number.isInteger(value) && value >= min && value <= max;
