import type { JsonObject } from '#core/values/json.ts';

/** Returns a text field of a sandbox row, or an empty text. */
export function textOf(row: JsonObject | undefined, name: string): string {
  const value = row?.[name];
  return typeof value === 'string' ? value : '';
}

/** Returns one text field of each row. */
export const textsOf = (rows: readonly JsonObject[], name: string): string[] =>
  rows.map((row) => textOf(row, name)).sort((a, b) => a.localeCompare(b));
