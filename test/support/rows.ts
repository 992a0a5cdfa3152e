import type { JsonObject } from '#core/values/json.ts';

/** A text of a row as a sandbox holds it; empty when it is something else. */
export function textOf(row: JsonObject | undefined, name: string): string {
  const value = row?.[name];
  return typeof value === 'string' ? value : '';
}

/** One text of each row, in order. */
export const textsOf = (rows: readonly JsonObject[], name: string): string[] =>
  rows.map((row) => textOf(row, name)).sort((a, b) => a.localeCompare(b));
