/** Records in memory, ordered by id, with indexes that are built on first use. */
import type { EntityType, Field } from './schema.ts';

/** A value of a user-defined field, always text on the wire. */
export interface UserDefinedValue {
  readonly name: string;
  readonly value: string | null;
}

/** A value of a field. Date-times are ISO 8601 text in UTC, with milliseconds only when they are not zero. */
export type Value = string | number | boolean | null | readonly UserDefinedValue[];

/** One record: every field of its entity, null where it has no value, in the order of the schema. */
export interface Row {
  readonly id: number;
  [field: string]: Value;
}

/** A condition that an index can answer: one of the values, or instants (epoch ms) within bounds, both inclusive. */
export type Constraint =
  | { readonly field: string; readonly oneOf: readonly (number | string)[] }
  | { readonly field: string; readonly from: number; readonly to: number };

interface DateIndex {
  readonly instants: Float64Array;
  readonly ids: readonly number[];
}

/** Returns the position of the first id that is not below `id`. */
function lowerBound(ids: readonly number[], id: number): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ids[middle] ?? Infinity) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

function firstAtLeast(instants: Float64Array, instant: number): number {
  let low = 0;
  let high = instants.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((instants[middle] ?? Infinity) < instant) low = middle + 1;
    else high = middle;
  }
  return low;
}

const isIndexedByValue = (field: Field): boolean =>
  field.reference !== undefined || field.name === 'invoiceNumber' || field.name === 'batchID';

/**
 * Returns text in its form for comparison: like the database of the service, without letter case and trailing blanks.
 */
export function textKey(text: string): string {
  return text.toLowerCase().trimEnd();
}

/** The records of one entity. */
export class Table {
  readonly type: EntityType;
  #rows = new Map<number, Row>();
  #ids: number[] = [];
  #byValue = new Map<string, Map<number | string, number[]>>();
  #byDate = new Map<string, DateIndex>();
  readonly #blank: Row;

  constructor(type: EntityType) {
    this.type = type;
    const names = type.fields.map((field) => field.name);
    const blank: Record<string, null> = Object.fromEntries(names.map((name) => [name, null]));
    // Parsed JSON keeps objects compact, which matters for half a million records.
    this.#blank = JSON.parse(JSON.stringify(type.hasUserDefinedFields ? { ...blank, userDefinedFields: [] } : blank));
  }

  get size(): number {
    return this.#ids.length;
  }

  get(id: number): Row | undefined {
    return this.#rows.get(id);
  }

  /** Returns the id of the next record. */
  nextId(): number {
    return (this.#ids.at(-1) ?? 0) + 1;
  }

  /** Adds a record, or replaces the one with that id. Missing fields become null. */
  put(fields: Readonly<Record<string, Value | undefined>> & { readonly id: number }): Row {
    const row: Row = { ...this.#blank };
    for (const name in fields) {
      const value = fields[name];
      if (value !== undefined) row[name] = value;
    }
    const { id } = row;
    const old = this.#rows.get(id);
    this.#rows.set(id, row);
    if (old === undefined) {
      const last = this.#ids.at(-1);
      if (last === undefined || last < id) this.#ids.push(id);
      else this.#ids.splice(lowerBound(this.#ids, id), 0, id);
    }
    this.#reindex(old, row);
    return row;
  }

  /** Changes fields of an existing record. */
  change(row: Row, fields: Readonly<Record<string, Value>>): Row {
    return this.put({ ...row, ...fields, id: row.id });
  }

  /** Removes a record; returns false when it does not exist. */
  remove(id: number): boolean {
    const old = this.#rows.get(id);
    if (old === undefined) return false;
    this.#rows.delete(id);
    this.#ids.splice(lowerBound(this.#ids, id), 1);
    this.#reindex(old, undefined);
    return true;
  }

  /** All records by ascending id. */
  all(): Row[] {
    return [...this.rows()];
  }

  /** Records by ascending id, from above `after`; or by descending id, from below `before`. */
  *rows(from: { readonly after?: number | undefined; readonly before?: number | undefined } = {}): Generator<Row> {
    const ids = this.#ids;
    if (from.before !== undefined) {
      for (let at = lowerBound(ids, from.before) - 1; at >= 0; at -= 1) yield* this.#at(at);
      return;
    }
    const start = from.after === undefined ? 0 : lowerBound(ids, from.after + 1);
    for (let at = start; at < ids.length; at += 1) yield* this.#at(at);
  }

  *#at(position: number): Generator<Row> {
    const row = this.#rows.get(this.#ids[position] ?? Number.NaN);
    if (row !== undefined) yield row;
  }

  /** Returns the records with a value in an indexed field, e.g. those of one parent, by ascending id. */
  where(field: string, value: number | string): Row[] {
    return this.#rowsOf(this.#valueIndex(field).get(typeof value === 'string' ? textKey(value) : value) ?? []);
  }

  /**
   * Returns the ids that satisfy one of the constraints, chosen to leave few candidates; undefined when a full scan is
   * as good. The order is undefined.
   */
  candidates(constraints: readonly Constraint[]): readonly number[] | undefined {
    let best: { count: number; ids: () => readonly number[] } | undefined;
    const offer = (count: number, ids: () => readonly number[]): void => {
      if (best === undefined || count < best.count) best = { count, ids };
    };
    for (const constraint of constraints) {
      const field = this.type.fieldByName.get(constraint.field.toLowerCase());
      if (field === undefined) continue;
      if ('oneOf' in constraint) {
        const { oneOf } = constraint;
        if (field.name === 'id') offer(oneOf.length, () => oneOf.flatMap((id) => (typeof id === 'number' ? [id] : [])));
        else if (isIndexedByValue(field)) {
          const index = this.#valueIndex(field.name);
          const lists = oneOf.map((value) => index.get(typeof value === 'string' ? textKey(value) : value) ?? []);
          offer(
            lists.reduce((sum, list) => sum + list.length, 0),
            () => [...new Set(lists.flat())],
          );
        }
      } else if (field.type === 'datetime') {
        const index = this.#dateIndex(field.name);
        const start = firstAtLeast(index.instants, constraint.from);
        const end = firstAtLeast(index.instants, constraint.to + 0.5);
        offer(Math.max(0, end - start), () => index.ids.slice(start, end));
      }
    }
    return best === undefined || best.count > this.size / 4 ? undefined : best.ids();
  }

  #rowsOf(ids: readonly number[]): Row[] {
    return ids.flatMap((id) => this.#rows.get(id) ?? []);
  }

  #valueIndex(field: string): Map<number | string, number[]> {
    let index = this.#byValue.get(field);
    if (index === undefined) {
      index = new Map();
      for (const row of this.rows()) Table.#enter(index, row[field], row.id);
      this.#byValue.set(field, index);
    }
    return index;
  }

  #dateIndex(field: string): DateIndex {
    let index = this.#byDate.get(field);
    if (index === undefined) {
      const pairs: { instant: number; id: number }[] = [];
      for (const row of this.rows()) {
        const value = row[field];
        if (typeof value === 'string') pairs.push({ instant: Date.parse(value), id: row.id });
      }
      pairs.sort((a, b) => a.instant - b.instant || a.id - b.id);
      index = { instants: Float64Array.from(pairs, (pair) => pair.instant), ids: pairs.map((pair) => pair.id) };
      this.#byDate.set(field, index);
    }
    return index;
  }

  static #keyOf(value: Value | undefined): number | string | undefined {
    if (typeof value === 'number') return value;
    return typeof value === 'string' ? textKey(value) : undefined;
  }

  static #enter(index: Map<number | string, number[]>, value: Value | undefined, id: number): void {
    const key = Table.#keyOf(value);
    if (key === undefined) return;
    const list = index.get(key);
    if (list === undefined) index.set(key, [id]);
    else if ((list.at(-1) ?? 0) < id) list.push(id);
    else list.splice(lowerBound(list, id), 0, id);
  }

  #reindex(old: Row | undefined, row: Row | undefined): void {
    const id = row?.id ?? old?.id ?? Number.NaN;
    for (const [field, index] of this.#byValue) {
      const [before, after] = [old?.[field], row?.[field]];
      if (old !== undefined && row !== undefined && before === after) continue;
      const key = Table.#keyOf(before);
      const list = key === undefined ? undefined : index.get(key);
      if (old !== undefined && list !== undefined) list.splice(lowerBound(list, id), 1);
      if (row !== undefined) Table.#enter(index, after, id);
    }
    for (const field of this.#byDate.keys()) if (old?.[field] !== row?.[field]) this.#byDate.delete(field);
  }
}

/** All tables by entity name. */
export type Tables = ReadonlyMap<string, Table>;
