/** Builder of made-up records, and helpers for their values. */
import type { Value } from './table.ts';

/** Fields of a record. */
export type Fields = Readonly<Record<string, Value>>;

/** Writes records of the sample world. Days and times are given as of 2025-03-03 and come back shifted. */
export interface RecordBuilder {
  readonly put: (entity: string, fields: Fields & { readonly id: number }) => void;
  /** A day, as the service writes days: `2025-03-03T00:00:00Z`. */
  readonly day: (date: string) => string;
  /** A local date and time as an instant. */
  readonly at: (date: string, time: string) => string;
}

/** An amount without the dust of binary fractions: four decimals, as the service keeps them. */
export function amount(value: number): number {
  return Math.round((value + Number.EPSILON) * 10_000) / 10_000;
}
