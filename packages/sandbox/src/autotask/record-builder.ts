/** Builds generated records, with helpers for their values. */
import type { Value } from './table.ts';

/** Fields of a record. */
export type Fields = Readonly<Record<string, Value>>;

/**
 * Writes records of the sample world. Dates and times are given as of 2025-03-03 and shifted to the sandbox's today.
 */
export interface RecordBuilder {
  readonly put: (entity: string, fields: Fields & { readonly id: number }) => void;
  /** Returns a day in the service's format: `2025-03-03T00:00:00Z`. */
  readonly day: (date: string) => string;
  /** Returns the instant of a local date and time. */
  readonly at: (date: string, time: string) => string;
}

/** Rounds an amount to four decimals, as the service stores them. */
export function amount(value: number): number {
  return Math.round((value + Number.EPSILON) * 10_000) / 10_000;
}
